// A reader for each file of a report, by its name: it takes the text and the
// path and gives the list of problems. None of them is adconform's own code.
import {execFile} from 'node:child_process';
import path from 'node:path';
import {promisify} from 'node:util';
import {readHTML} from './html.mjs';
import {readHAR, readReport, sarifSchema} from './json.mjs';
import {readMarkdown} from './markdown.mjs';
import {readSARIF} from './sarif.mjs';
import {readJUnit} from './xml.mjs';

export const readers = {
  'report.json': readReport,
  'junit.xml': async (text, file) => {
    const problems = await readJUnit(text);
    return problems.length > 0 ? problems : junitCounts(file);
  },
  'findings.sarif': async (text, file) => {
    const problems = sarifSchema(text);
    return problems.length > 0 ? problems : readSARIF(file); // the multitool says nothing of what it cannot read
  },
  'traffic.har': readHAR,
  'summary.md': readMarkdown,
  'report.html': readHTML,
};

// readers.py prints a line for each problem.
async function junitCounts(file) {
  const {stdout} = await promisify(execFile)('python3', [path.join(import.meta.dirname, 'readers.py'), file]);
  return stdout.split('\n').filter(line => line !== '');
}
