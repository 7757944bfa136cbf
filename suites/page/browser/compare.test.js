// The page that compares reports, as a reader meets it. Samples: compared (eight reports),
// compared-200, compared-hostile (see .ci/browser).
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {after, before, test} from 'node:test';
import {address, launch, open} from './open.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const phone = {width: 390, height: 844};
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// visit opens a sample, and shows that the page did nothing that it should not.
async function visit(sample, options, act) {
  const page = await open(browser, sample + '/index.html', options);
  try {
    await act(page);
    assert.deepEqual(await page.breaches(), [], 'no dialog, error, breach of the policy, or request');
  } finally {
    await page.close();
  }
}

const counted = (page, pattern) => page.waitForFunction((p) => new RegExp(p).test(document.getElementById('result-count').textContent), pattern.source);
const shown = (page, selector) => page.locator(selector).evaluateAll((all) => all.filter((e) => e.checkVisibility()).length);

test('verdicts, and what is no pass', () => visit('compared', {}, async (page) => {
  assert.equal(await page.locator('h1').innerText(), '7 targets compared: 3 conform completely');
  const verdict = (name) => page.locator('.of-targets tbody tr', {has: page.getByRole('link', {name, exact: true})}).locator('td').first();
  for (const [name, words, state] of [
    ['Reference', /conforming \(complete\)/, 'passed'], ['East', /nonconforming/, 'failed'], ['low', /inconclusive \(partial, /, 'partly'],
    ['part', /conforming \(partial, /, 'partly'], ['West', /conforming in the 1 case selected, of \d+/, 'partly'],
  ]) {
    assert.match(await verdict(name).innerText(), words);
    assert.match(await verdict(name).locator('.state').getAttribute('class'), new RegExp(state), name);
  }
  const cells = page.locator('.of-targets tbody tr', {hasText: 'low'}).locator('.state.passed');
  assert.equal(await cells.count(), 0, 'nothing of a partial run is green');
}));

test('a broken cell leads to what was found', () => visit('compared', {}, async (page) => {
  const link = page.locator('.of-clauses td.b a').first();
  assert.equal(await link.textContent(), 'broken');
  await link.click();
  const found = page.locator('li:target');
  assert.match(await found.innerText(), /^[A-Z]+-\d+ stated .*404/);
}));

test('open points that differ come first, and the cell says where', () => visit('compared', {}, async (page) => {
  const rows = await page.locator('.of-points tbody tr').evaluateAll((all) => all.map((r) => 'differs' in r.dataset));
  assert.ok(rows[0] && !rows.at(-1) && rows.indexOf(false) === rows.lastIndexOf(true) + 1);
  const part = page.locator('.of-points details', {hasText: 'in part'}).first();
  await part.locator('summary').click();
  assert.match(await part.locator('li').first().innerText(), /^(yes|no): update\w+\.\w+/);
}));

test('filters: targets, questions, and only what differs', () => visit('compared', {}, async (page) => {
  const columns = await page.locator('.of-clauses thead th').count();
  assert.equal(columns, 8);
  await page.getByRole('searchbox', {name: 'Targets'}).fill('acme');
  await counted(page, /^2 of 7 targets/);
  assert.equal(await shown(page, '.of-targets tbody tr'), 2);
  assert.equal(await shown(page, '.of-clauses thead th'), 3);
  assert.equal(await shown(page, '.of-clauses tbody tr:nth-child(2) td'), 2 * await page.locator('.of-clauses tbody').count());
  assert.equal(await shown(page, '.target'), 2);
  await page.getByRole('button', {name: 'Clear'}).click();
  await counted(page, /^7 of 7 targets/);
  await page.getByLabel('Clauses and questions').fill('trimmed?');
  await counted(page, /, 1 of \d+ clauses/);
  await page.getByLabel('Clauses and questions').fill('deleteCreative effect');
  await counted(page, /, [1-9] of \d+ clauses/);
  await page.getByRole('button', {name: 'Clear'}).click();
  await page.getByLabel('only what differs').check();
  await page.waitForFunction(() => [...document.querySelectorAll('tr[data-row]')].every((r) => r.checkVisibility() === 'differs' in r.dataset));
  assert.ok(await shown(page, 'tr[data-row]') > 5);
}));

test('without scripts all of it is there', async () => {
  const page = await browser.newPage();
  try {
    const session = await browser.newCDPSession(page);
    await session.send('Emulation.setScriptExecutionDisabled', {value: true});
    await page.goto(address('compared/index.html'));
    assert.equal(await page.locator('.of-targets tbody tr').count(), 7);
    assert.equal(await page.locator('#filters').isVisible(), false);
    assert.ok(await page.locator('.of-clauses tbody tr').count() > 200);
  } finally {
    await page.close();
  }
});

for (const sample of ['compared', 'compared-200']) {
  test(`${sample}: names stay in sight`, () => visit(sample, {viewport: {width: 1000, height: 800}}, async (page) => {
    for (const table of await page.locator('.sheet').all()) {
      await table.scrollIntoViewIfNeeded();
      await table.evaluate((e) => e.scrollTo(300, 400));
      const [head, first, box] = await table.evaluate((e) => {
        const row = [...e.querySelectorAll('tbody tr')].find((r) => r.getBoundingClientRect().top > e.getBoundingClientRect().top + 250) || e.querySelector('tbody tr:last-child');
        const at = (x) => { const b = x.getBoundingClientRect(); return {x: b.x, y: b.y}; };
        return [at(e.querySelector('thead th')), at(row.firstElementChild), at(e)];
      });
      assert.ok(Math.abs(head.y - box.y) < 2 && Math.abs(head.x - box.x) < 2 && Math.abs(first.x - box.x) < 2, JSON.stringify([head, first, box]));
    }
  }));
  test(`${sample}: fits a phone, and paper`, () => visit(sample, {viewport: phone}, async (page) => {
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= phone.width);
    const first = await page.locator('.of-clauses tbody th').first().boundingBox();
    assert.ok(first.width < phone.width / 2, 'beside the names there is room for states');
    await page.emulateMedia({media: 'print', colorScheme: 'dark'});
    assert.equal(await page.locator('#filters').isVisible(), false);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(28, 33, 40)');
  }));
}

for (const [sample, colorScheme] of [['compared', 'light'], ['compared', 'dark'], ['compared-200', 'light'], ['compared-hostile', 'dark']]) {
  test(`${sample}, ${colorScheme}: axe finds nothing`, () => visit(sample, {colorScheme}, async (page) => {
    await page.evaluate(() => document.querySelectorAll('details').forEach((d, i) => { d.open = i < 4; }));
    await page.evaluate(axe);
    const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
    assert.deepEqual(violations.map((v) => `${v.impact} ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(' | ')}`), []);
  }));
}

test('what a stranger reports stays text', () => visit('compared-hostile', {}, async (page) => {
  const seen = await page.evaluate(() => ({
    title: document.title,
    strange: [...document.querySelectorAll('img, svg, iframe, link, base, object, embed, [onerror], [onload], [style]')].length,
    scripts: document.scripts.length,
    links: [...document.querySelectorAll('a')].map((a) => a.getAttribute('href')).filter((h) => !h.startsWith('#')),
    control: /[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText),
  }));
  assert.deepEqual(seen, {title: '1 target compared: 0 conform completely · adconform', strange: 0, scripts: 1, links: [], control: false});
  assert.ok(await page.getByText('<img src=x onerror=').count() > 0, 'it is shown as text');
}));
