// Each reader takes a valid file and sees each defect of it.
import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, test} from 'node:test';
import {check} from './check.mjs';
import {readers} from './readers.mjs';
import {samples} from './samples.mjs';

const directory = mkdtempSync(path.join(os.tmpdir(), 'samples-'));
after(() => rmSync(directory, {recursive: true}));

test('each reader has a sample', () => assert.deepEqual(Object.keys(samples).sort(), Object.keys(readers).sort()));

for (const [name, {valid, defects}] of Object.entries(samples)) {
  const text = valid ?? readFileSync(path.join(process.env.FRESH_REPORT, name), 'utf8');
  const problems = content => {
    writeFileSync(path.join(directory, name), content);
    return check(directory, name);
  };
  test(`${name}: valid`, async () => assert.deepEqual(await problems(text), []));
  test(`${name}: empty`, async () => assert.match((await problems('')).join('\n'), /empty/));
  test(`${name}: not UTF-8`, async () => assert.notDeepEqual(await problems(Buffer.from([0x61, 0xff])), []));
  for (const [defect, [said, damage]] of Object.entries(defects)) {
    test(`${name}: ${defect}`, async () => {
      const found = await problems(damage(text));
      assert.ok(found.length > 0, 'nothing is found');
      assert.match(found.join('\n'), said);
    });
  }
}

test('a file that is missing', async () => assert.deepEqual(await check(path.join(directory, 'nowhere'), 'summary.md'), ['is missing']));
test('a file that no reader knows', async () => assert.match((await check(directory, 'x'))[0], /no reader/));
