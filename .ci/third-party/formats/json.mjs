// Formats with a JSON Schema, read by ajv.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {Ajv} from 'ajv';
import {Ajv2020} from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const require = createRequire(import.meta.url);

// strict is about the schema: of others' it is as it is, ours has to be free of
// keywords that mean nothing.
function validator(Dialect, schema, {strict = false, others = []} = {}) {
  const ajv = new Dialect({allErrors: true, strict, strictTypes: false, strictRequired: false});
  formats.default(ajv);
  if (Dialect === Ajv) ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json')); // of har-schema
  for (const other of others) ajv.addSchema(other);
  return ajv.compile(schema);
}

function problems(validate, value) {
  validate(value);
  return (validate.errors ?? []).map(e => `${e.instancePath || '/'} ${e.message}${detail(e.params)}`);
}

function detail(params) {
  const value = params.additionalProperty ?? params.allowedValues ?? params.allowedValue;
  return value === undefined ? '' : ` (${value})`;
}

export function readReport(text) {
  const schema = JSON.parse(readFileSync(process.env.REPORT_SCHEMA, 'utf8'));
  return problems(validator(Ajv2020, schema, {strict: true}), JSON.parse(text));
}

const har = Object.values(require('har-schema'));

export function readHAR(text) {
  const whole = har.find(schema => schema.$id === 'har.json#');
  return problems(validator(Ajv, whole, {others: har.filter(schema => schema !== whole)}), JSON.parse(text));
}

// The schema comes with the SARIF multitool.
const multitool = '@microsoft/sarif-multitool-linux';

export function sarifSchema(text) {
  const file = require.resolve(`${multitool}/package.json`).replace(/package\.json$/, 'sarif-2.1.0.json');
  const schema = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  return problems(validator(Ajv2020, schema), JSON.parse(text));
}
