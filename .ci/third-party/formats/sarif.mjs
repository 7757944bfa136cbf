// SARIF by Microsoft's multitool, the validator behind code scanning uploads.
import {execFile} from 'node:child_process';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {promisify} from 'node:util';

const require = createRequire(import.meta.url);

export async function readSARIF(file) {
  const tool = path.join(path.dirname(require.resolve('@microsoft/sarif-multitool-linux/package.json')), 'Sarif.Multitool');
  const directory = await mkdtemp(path.join(os.tmpdir(), 'sarif-'));
  try {
    const output = path.join(directory, 'output.sarif');
    const {stdout} = await promisify(execFile)(
      tool,
      ['validate', file, '--output', output, '--config', path.join(import.meta.dirname, 'sarif.xml'), '--level', 'Error;Warning', '--kind', 'Fail', '--max-file-size-in-kb', '1000000'],
      {env: {...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1'}},
    );
    const {runs} = JSON.parse((await readFile(output, 'utf8')).replace(/^\uFEFF/, ''));
    if (runs[0].results.length === 0) return [];
    const lines = stdout.split('\n').filter(line => /: (error|warning) SARIF\d+:/.test(line));
    return lines.length > 0 ? lines.map(line => line.replace(/^.*?(\([\d,]+\): )/, '$1')) : runs[0].results.map(result => `breaks ${result.ruleId}`);
  } finally {
    await rm(directory, {recursive: true});
  }
}
