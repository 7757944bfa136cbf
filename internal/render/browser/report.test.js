// report.html as a reader meets it. Samples: ok, broken, large, hostile (see
// .ci/browser). Nothing here waits for a time; figures of speed are ratios.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {after, before, test} from 'node:test';
import {address, launch, open} from './open.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const phone = {width: 360, height: 740};
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// visit opens a sample, and shows that the page did nothing that it should not.
async function visit(sample, options, act) {
  const page = await open(browser, sample, options);
  try {
    await act(page);
    assert.deepEqual(await page.breaches(), [], 'no dialog, error, breach of the policy, or request');
  } finally {
    await page.close();
  }
}

const matches = (page) => page.locator('#result-count').textContent();
const select = (page, name) => page.getByRole('combobox', {name, exact: true});
// held is what the data of the page hold: findings, cases, clauses.
const held = (page) => page.evaluate(() => {
  const d = JSON.parse(document.getElementById('data').textContent);
  return [d.report.findings.filter((f) => f.fails).length, d.report.results.length, new Set(d.report.clauses.map((c) => c.id)).size];
});
const numbers = async (page) => (await matches(page)).split(',').map((part) => parseInt(part, 10));

test('says verdict, figures and matrix, and that all is well', () => visit('ok', {}, async (page) => {
  assert.match(await page.locator('h1').innerText(), /^CONFORMING \(complete\): \d+ clauses held$/i);
  assert.equal(await page.locator('.matrix tbody tr').count(), 5);
  assert.equal(await page.locator('.cell:not(.passed)').count(), 0);
  assert.equal(await page.locator('#finding-list > *').count(), 0);
  const [, cases, clauses] = await held(page);
  assert.ok(cases > 300 && clauses > 100);
  assert.deepEqual(await numbers(page), [0, cases, clauses]);
}));

test('the matrix of dimensions opens what was tried, refused alone and failed', () => visit('pair', {}, async (page) => {
  const card = page.locator('section:has(> #pairs)');
  assert.equal(await card.locator('details').count(), 5);
  assert.equal(await card.locator('summary .icon.failed').count(), 1);
  const {pairs, dimensions} = await page.evaluate(() => report.arrays.find((a) => a.operation === 'updateCampaign'));
  await card.locator('summary', {hasText: 'updateCampaign'}).click();
  const cells = card.locator('.pairs tbody tr');
  assert.equal(await cells.count(), dimensions);
  const tried = await card.locator('.pair').evaluateAll((all) => all.filter((b) => b.title.includes('pair')).map((b) => parseInt(b.textContent, 10)));
  assert.equal(tried.reduce((sum, n) => sum + n, 0), pairs);
  const failed = card.locator('.pair.failed');
  assert.equal(await failed.count(), 1);
  await failed.focus();
  await page.keyboard.press('Enter');
  const text = await card.locator('.opened').innerText();
  assert.match(text, /^path × value of name: \d+ pairs tried\n+Failed: updateCampaign: [^]*\nRefused by this target even alone: .*slash-behind[^]*encoded-last\n.*name-is-object/);
  await card.locator('.opened a', {hasText: 'whose last character is encoded'}).first().click();
  assert.match(await page.evaluate(() => document.activeElement.textContent), /whose last character is encoded/);
}));

test('without scripts: the verdict and the findings, as text', async () => {
  const page = await browser.newPage();
  try {
    const session = await browser.newCDPSession(page);
    await session.send('Emulation.setScriptExecutionDisabled', {value: true});
    await page.goto(address('broken'));
    const text = await page.locator('pre').innerText();
    assert.match(text, /^NONCONFORMING \(partial, .*\): \d+ findings; tested: [^]*^Findings: [^]*^  clause    AUTH-1 \(stated, critical\)[^]*^ +curl -i /m);
    assert.equal(await page.locator('#filters').count(), 0);
  } finally {
    await page.close();
  }
});

test('bodies are laid out with the place marked', () => visit('ok', {}, async (page) => {
  // laid is what comes before the mark, what is marked, and whether it is the place itself.
  const laid = (body, pointer) => page.evaluate(([body, pointer]) => {
    const l = layOut(body, pointer);
    return [l.lines.slice(0, l.from).join('\n'), l.lines.slice(l.from, l.to + 1).join('\n'), l.exact];
  }, [body, pointer]);
  for (const [name, body, pointer, ...want] of [
    ['a value', '{"data":{"id":25,"name":"x"}}', '/data/name', '{\n  "data": {\n    "id": 25,', '    "name": "x"', true],
    ['a container', '{"a":[1,{"b":[]}],"c":2}', '/a/1', '{\n  "a": [\n    1,', '    {\n      "b": []\n    }', true],
    ['the first of two', '{"a":1,"a":{"x":1}}', '/a', '{', '  "a": 1,', true],
    ['a named container', '{"a":{"x":1},"b":2}', '/a', '{', '  "a": {\n    "x": 1\n  },', true],
    ['what is not there', '{"data":{"id":1}}', '/data/name', '{', '  "data": {', false],
    ['an escaped pointer', '{"a/b":{"~":1}}', '/a~1b/~0', '{\n  "a/b": {', '    "~": 1', true],
    ['not a prefix', '{"na":1,"name":2}', '/name', '{\n  "na": 1,', '  "name": 2', true],
    ['numbers as sent', '{"n":1.00E+2,"s":"\\u0041"}', '/s', '{\n  "n": 1.00E+2,', '  "s": "\\u0041"', true],
    ['cut off', '{"a":{"b":1},"c":"tex', '/a/b', '{\n  "a": {', '    "b": 1', true],
  ]) assert.deepEqual(await laid(body, pointer), want, name);
  const whole = (body) => page.evaluate((body) => (layOut(body, '') || {lines: [body]}).lines.join('\n'), body);
  assert.equal(await whole('{"a":1,"b":[2,3],"c":{}} tail'), '{\n  "a": 1,\n  "b": [\n    2,\n    3\n  ],\n  "c": {}\n}tail');
  for (const plain of ['plain\ntext', '', '"text"']) assert.equal(await whole(plain), plain);
  // A body of nothing but brackets may not become a page of nothing but spaces.
  assert.ok((await whole('['.repeat(9_000))).length < 9_000 * 26);
  const [text, notes] = await page.evaluate(() => {
    const [shown, note] = body('', {text: `{"data":[${Array(500).fill(1)}]}`}, '/data/400');
    return [[shown.querySelector('mark').textContent, shown.textContent.split('\n').length], note.textContent];
  });
  assert.deepEqual(text, ['    1,\n', 60]);
  assert.match(notes, /of 504/);
}));

test('the exchanges of findings are in the page, and those of each case', () => visit('broken', {}, async (page) => {
  const missing = await page.evaluate(() => [
    ...findings.filter((f) => f.data.exchange && !exchanges.has(f.data.exchange)).map((f) => f.number),
    ...cases.filter((c) => c.data.requests && !exchangesOf.has(c.id)).map((c) => c.id),
  ]);
  assert.deepEqual(missing, []);
}));

test('search and filters agree with the data', () => visit('broken', {}, async (page) => {
  const [findings, cases, clauses] = await numbers(page);
  assert.ok(findings > 15, await matches(page));
  assert.deepEqual([findings, cases, clauses], await held(page));
  const expected = await page.evaluate(() => {
    const d = JSON.parse(document.getElementById('data').textContent);
    return {
      cases: d.report.results.filter((c) => c.operation === 'updateCampaign' && c.class === '422').length,
      stated: d.report.findings.filter((f) => f.clauses.some((id) => d.report.clauses.find((c) => c.id === id).basis === 'stated')).length,
      failed: d.report.results.filter((c) => c.status === 'failed').length,
    };
  });
  await select(page, 'Operation').selectOption('updateCampaign');
  await select(page, 'Class').selectOption('422');
  await page.waitForFunction((n) => document.getElementById('result-count').textContent.includes(n), `${expected.cases} of ${cases} cases`);
  assert.match(page.url(), /#operation=updateCampaign&class=422$/);
  assert.equal(await page.locator('.cell[aria-current]').count(), 1);
  await page.getByRole('button', {name: 'Clear'}).click();
  await page.waitForFunction(() => !document.getElementById('result-count').textContent.includes(' of '));
  await select(page, 'Basis').selectOption('stated');
  await page.waitForFunction((n) => document.getElementById('result-count').textContent.startsWith(`${n} of `), expected.stated);
    await page.getByRole('button', {name: 'Clear'}).click();
  await select(page, 'Outcome').selectOption('failed');
  await page.waitForFunction((n) => document.getElementById('result-count').textContent.includes(n), `${expected.failed} of ${cases} cases`);
  await page.getByRole('button', {name: 'Clear'}).click();
  await page.getByLabel('Search').fill('stranger 403');
  await page.waitForFunction(() => location.hash.startsWith('#q=stranger'));
  const names = await page.locator('.cases .name').allTextContents();
  assert.ok(names.length > 0 && names.length < 100);
  await page.getByLabel('Search').fill('there is no such word');
  await page.waitForFunction(() => document.getElementById('result-count').textContent.startsWith('0 of '));
  assert.equal(await page.locator('.cases .name').count(), 0);
}));

test('a filter by clause keeps what judges it', () => visit('broken', {hash: '#clause=PROFILE-6'}, async (page) => {
  const [findings, , clauses] = await numbers(page);
  assert.equal(clauses, 1);
  assert.ok(findings >= 1);
  for (const t of await page.locator('.finding .tags:has(.severity)').allTextContents()) assert.match(t, /PROFILE-6\b/);
}));

test('the keyboard alone: into the filters, a cell of the matrix, a case', () => visit('broken', {}, async (page) => {
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  const reached = new Set();
  for (let i = 0; i < 80 && !reached.has('q'); i++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => document.activeElement.name || document.activeElement.className.split(' ')[0]));
  }
  assert.ok(reached.has('cell') && reached.has('q'), [...reached].join());
  await page.locator('.cell[title^="updateCampaign, 422"]').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => / of \d+ cases/.test(document.getElementById('result-count').textContent));
  assert.ok(['findings', 'cases'].includes(await page.evaluate(() => document.activeElement.id)), 'the focus is at what was found');
  await page.locator('.cases summary').first().focus();
  await page.keyboard.press('Enter');
  await page.locator('.cases .detail').first().waitFor();
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, 'none', 'the focus can be seen');
}));

test('a finding: expected and got, clause and source, its cases, the exchange with its place marked', () => visit('broken', {}, async (page) => {
  const id = await page.evaluate(() => findings.find((f) => f.data.pointer.startsWith('/data/') && f.cases.length > 1).data.id);
  await page.evaluate((to) => { location.hash = to; }, id);
  await page.waitForFunction((to) => document.activeElement.id === to, id);
  const finding = page.locator(`[id="${id}"]`);
  assert.equal((await finding.locator('.expected p').innerText()).length > 0, true);
  assert.match(await finding.locator('cite').innerText(), /interface document/);
  await finding.getByText(/^In \d+ cases/).click();
  await finding.locator('a[href^="#case="]').first().waitFor();
  await finding.locator('summary', {hasText: 'Exchange'}).last().click();
  await finding.locator('.exchange').waitFor();
  const pointer = await page.evaluate((to) => findingOf.get(to).data.pointer, id);
  const mark = await finding.locator('pre[aria-label="Response body"] mark').innerText();
  const notes = await finding.locator('.note').allInnerTexts();
  assert.ok(mark.includes(`"${pointer.split('/').at(-1)}"`) || notes.join().includes(`${pointer} is not there`), mark + notes);
  assert.doesNotMatch(await finding.innerText(), /ownerKey/);
}));

test('what was not tested, with the key that would help; findings as counted, the worst first; answers by field', () => visit('broken', {}, async (page) => {
  const text = await page.locator('section[aria-labelledby="not-tested"]').innerText();
  assert.match(text, /foreign\.connectionProfile is not in the target file\s+To test .* give foreign\.connectionProfile in the target file/);
  const figure = await page.locator('.figure', {hasText: 'Findings'}).locator('h2 b').innerText();
  assert.match(await page.locator('h1').innerText(), new RegExp(`: ${figure} finding`), 'the figure is that of the headline');
  const impacts = await page.evaluate(() => failing.map((f) => ['critical', 'major', 'minor'].indexOf(f.data.impact)));
  assert.equal(impacts.length, Number(figure));
  assert.deepEqual(impacts, impacts.toSorted());
  assert.match(await page.locator('#open-points + p + dl').innerText(), /updateCampaign\.name/);
  const follows = (id) => document.getElementById('findings').compareDocumentPosition(document.getElementById(id)) & 4;
  for (const id of ['matrix', 'filters']) assert.equal(await page.evaluate(follows, id), 0, `${id} comes first`);
  await page.setViewportSize(phone);
  for (const id of ['matrix', 'filters']) await page.waitForFunction(follows, id);
}));

test('a link to a case opens it, and lifts a filter that hides it', () => visit('large', {hash: '#operation=deleteCreative'}, async (page) => {
  const id = await page.evaluate(() => cases.findLast((c) => c.data.operation === 'updateCampaign').id);
  assert.equal(await page.locator('.cases .name', {hasText: id}).count(), 0);
  await page.evaluate((to) => { location.hash = new URLSearchParams({case: to}); }, id);
  await page.locator('.cases details[open] .detail').waitFor();
  assert.equal(await page.locator('.cases details[open] .name').innerText(), id);
  await page.evaluate(() => { location.hash = 'clause-ERR-9'; });
  await page.waitForFunction(() => document.activeElement.id === 'clause-ERR-9');
}));

test('dark and light: the system decides until the button does', () => visit('broken', {colorScheme: 'dark'}, async (page) => {
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const becomes = (colour, not) => page.waitForFunction(([colour, not]) => {
    const now = getComputedStyle(document.body).backgroundColor;
    return colour ? now === colour : now !== not;
  }, [colour, not]);
  const dark = await back();
  const button = page.locator('#theme');
  assert.equal(await button.innerText(), 'Light');
  await button.click();
  await becomes(null, dark);
  const light = await back();
  await page.reload();
  await becomes(light); // the choice is kept
  await button.click();
  await becomes(dark);
  await page.evaluate(() => localStorage.clear());
}));

test('on paper: findings open, controls away, black on white', () => visit('broken', {colorScheme: 'dark'}, async (page) => {
  await page.emulateMedia({media: 'print', colorScheme: 'dark'});
  await page.waitForFunction(() => document.querySelectorAll('#finding-list .exchange').length > 15);
  assert.equal(await page.locator('#filters').isVisible(), false);
  assert.equal(await page.locator('.copy').first().isVisible(), false);
  const all = await page.evaluate(() => findings.length);
  assert.equal(await page.locator('#finding-list > .finding').count(), all);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(28, 33, 40)');
  assert.ok((await page.pdf()).length > 10_000);
}));

for (const sample of ['broken', 'large']) {
  test(`${sample}: the figures of the matrix keep to their cells`, () => visit(sample, {}, async (page) => {
    for (const width of [1280, 1000, 360]) {
      await page.setViewportSize({width, height: 900});
      const beyond = await page.evaluate(() => [...document.querySelectorAll('.cell')].filter((cell) => {
        const box = cell.getBoundingClientRect();
        return [...cell.querySelectorAll('.what, .what *')].some((e) => { const b = e.getBoundingClientRect(); return b.left < box.left || b.right > box.right; }) || cell.querySelector('.what').scrollWidth > box.width;
      }).map((cell) => cell.title));
      assert.deepEqual(beyond, [], `at ${width}`);
    }
  }));
}

for (const sample of ['ok', 'broken', 'hostile']) {
  test(`${sample}: fits a phone`, () => visit(sample, {viewport: phone}, async (page) => {
    await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= phone.width, `the page is ${width} wide`);
  }));
  for (const colorScheme of ['light', 'dark']) {
    test(`${sample}, ${colorScheme}: axe finds nothing serious`, () => visit(sample, {colorScheme}, async (page) => {
      await page.evaluate(() => [...document.querySelectorAll('.finding details, .cases details')].slice(0, 4).forEach((d) => { d.open = true; d.fill(); }));
      await page.evaluate(axe);
      const {violations} = await page.evaluate(() => window.axe.run(document, {resultTypes: ['violations']}));
      const told = violations.map((v) => `${v.impact} ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(' ') + ' ' + n.failureSummary.split('\n')[1]).join(' | ')}`);
      assert.deepEqual(told, []);
    }));
  }
}

test('what a target sends stays text', () => visit('hostile', {}, async (page) => {
  const look = () => page.evaluate(() => ({
    title: document.title,
    strange: [...document.querySelectorAll('img, iframe, link, base, object, embed, script:not(#data), meta[http-equiv=refresh], [onerror], [onload], [onmouseover]')].map((e) => e.outerHTML.slice(0, 60)),
    scripts: document.scripts.length,
    links: [...document.querySelectorAll('a')].map((a) => a.getAttribute('href')).filter((h) => !h.startsWith('#')),
    control: /[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText),
  }));
  const clean = {scripts: 2, links: [], control: false};
  for (const step of [() => {}, async () => {
    for (const d of await page.locator('#finding-list details, #case-list details').all()) await d.evaluate((e) => { e.open = true; if (e.fill) e.fill(); });
  }, async () => {
    await page.getByLabel('Search').fill('<img');
    await page.waitForFunction(() => document.getElementById('result-count').textContent.includes(' of '));
  }]) {
    await step();
    const seen = await look();
    assert.equal(seen.strange.length, 1, seen.strange.join('\n')); // the script of the page itself
    assert.deepEqual({scripts: seen.scripts, links: seen.links, control: seen.control}, clean);
    assert.match(seen.title, /^nonconforming \(selection, 1 of 2 cases, depth deep\): <\/script>/);
  }
  assert.ok(await page.getByText('<img src=x onerror=').count() > 0, 'it is shown as text');
}));

test('5,000 cases and 10,000 findings: filtering costs no more than a frame allows', () => visit('large', {}, async (page) => {
  const [, , clauses] = await held(page);
  assert.deepEqual(await numbers(page), [10_000, 5_000, clauses]);
  const times = await page.evaluate(() => {
    const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
    const time = (f) => median(Array.from({length: 9}, (_, i) => { const t = performance.now(); f(i); return performance.now() - t; }));
    const raw = document.getElementById('data').textContent;
    const search = document.querySelector('[name=q]');
    const frame = (work) => new Promise((done) => requestAnimationFrame(() => { const t = performance.now(); work(); document.body.offsetHeight; done(performance.now() - t); }));
    return (async () => {
      const parse = time(() => JSON.parse(raw));
      const all = [];
      for (let i = 0; i < 15; i++) {
        search.value = 'value ' + (i % 10);
        all.push(await frame(applyFilter));
      }
      search.value = '';
      applyFilter();
      return {parse, filter: median(all), nodes: document.querySelectorAll('*').length};
    })();
  });
  const ratio = times.filter / times.parse;
  console.log(`filtering 15,000 items: ${times.filter.toFixed(1)} ms, ${ratio.toFixed(2)} of reading the data once (${times.parse.toFixed(1)} ms); ${times.nodes} elements`);
  assert.ok(ratio < 4, `filtering takes ${ratio.toFixed(2)} times as long as reading the data`);
  assert.ok(times.nodes < 8_000, `${times.nodes} elements`);
  const more = page.locator('#finding-list + .more button');
  await more.click();
  assert.equal(await page.locator('#finding-list > *').count(), 50);
  assert.equal(await page.evaluate(() => document.activeElement.id), await page.evaluate(() => findings[25].data.id), 'the focus is at the first that is new');
}));
