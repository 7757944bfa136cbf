// node check.mjs DIRECTORY FILE…: each file has to be there and to be taken by
// a reader of its format. Exit 1 with one line for each problem.
import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {readers} from './readers.mjs';

export async function check(directory, name) {
  const read = readers[name];
  if (!read) return [`no reader for a file of this name; there are ${Object.keys(readers).join(', ')}`];
  const file = path.join(directory, name);
  let text;
  try {
    text = new TextDecoder('utf-8', {fatal: true}).decode(await readFile(file));
  } catch (error) {
    return [error.code === 'ENOENT' ? 'is missing' : error.message];
  }
  if (text.trim() === '') return ['is empty'];
  try {
    return await read(text, file);
  } catch (error) {
    return [error.message];
  }
}

if (process.argv[1] === import.meta.filename) {
  const [directory, ...names] = process.argv.slice(2);
  if (names.length === 0) {
    console.error('usage: formats DIRECTORY FILE…');
    process.exit(2);
  }
  for (const name of names) {
    const problems = await check(directory, name);
    if (problems.length === 0) console.log(`${name}: valid`);
    for (const problem of problems.slice(0, 20)) console.log(`${name}: ${problem}`);
    if (problems.length > 20) console.log(`${name}: ${problems.length - 20} more`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
