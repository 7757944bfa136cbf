// Opens sample pages in a headless Chromium, and notes whatever they should not do.
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const samples = process.env.REPORT_SAMPLES;
if (!samples) throw new Error('REPORT_SAMPLES is not set: .ci/browser writes the samples and sets it');

// address is that of the report of a sample.
export const address = (sample) => pathToFileURL(resolve(samples, sample + '/report.html')).href;

const timeout = 120_000; // a ceiling, for machines that do much else

export async function launch() {
  const context = await chromium.launchPersistentContext('', { // a fresh profile, removed at the end
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium', timeout,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  context.setDefaultTimeout(timeout);
  return context;
}

// open shows a sample. page.bad collects dialogs, errors, warnings, breaches of
// the page's own policy, and every request but that for the page itself.
export async function open(context, sample, {hash = '', ...options} = {}) {
  const page = await context.newPage();
  page.bad = [];
  const url = address(sample);
  page.on('dialog', (d) => { page.bad.push('dialog: ' + d.message()); d.dismiss(); });
  page.on('pageerror', (e) => page.bad.push('error: ' + e.message));
  page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') page.bad.push(`console: ${m.text()}`); });
  page.on('request', (r) => { if (r.url().split('#')[0] !== url) page.bad.push('request: ' + r.url()); });
  page.on('framenavigated', (f) => { if (f !== page.mainFrame()) page.bad.push('frame: ' + f.url()); });
  await page.addInitScript(() => {
    window.breaches = [];
    document.addEventListener('securitypolicyviolation', (e) => window.breaches.push(e.violatedDirective + ' ' + e.blockedURI));
  });
  await page.setViewportSize(options.viewport || {width: 1280, height: 900});
  await page.emulateMedia({colorScheme: options.colorScheme || 'light', media: options.media || 'screen'});
  await page.goto(url + hash);
  page.breaches = async () => page.bad.concat(await page.evaluate(() => window.breaches));
  return page;
}
