// How an answer is judged, without the others. What has the basis chosen is not
// among the clauses, and not judged.

const told = {}; // what was told already, by case and clause, in this VU

// tell makes a check of each clause that was judged, and tells a breach once.
function tell(id, verdicts, tags) {
  for (const clause of Object.keys(verdicts)) {
    check(null, { [`${clause} ${contract.clauses[clause]}`]: () => verdicts[clause] === '' }, { ...tags, clause });
    if (verdicts[clause] !== '' && !told[id + clause]) {
      told[id + clause] = true;
      console.warn(`${id}: ${clause}: ${verdicts[clause]}; for more: adconform run --case ${id}`);
    }
  }
}

// judge returns what is wrong by clause: '' for a clause that holds.
function judge(step, response) {
  const operation = contract.operations[step.operation];
  const expect = step.expect;
  const status = response.status;
  const ok = status >= 200 && status < 300;
  const verdicts = {};
  const note = (clause, holds, otherwise) => {
    if (!contract.clauses[clause]) return;
    verdicts[clause] = verdicts[clause] || (holds ? '' : otherwise);
  };

  note('HTTP-1', status < 500, `status ${status}`);
  if (status >= 500 || expect.onlyCrash) return verdicts;

  // The status may be another where a case says so, and which of these is open.
  if (![400, 405, 406, 413, 414, 415, 431].includes(status)) {
    note('ERR-12', operation.statuses.includes(status) || (ok && operation.success !== undefined), `status ${status}`);
  }
  const value = body(note, operation, response, ok);
  const data = operation.updates && value && value[operation.updates.data];
  const success = operation.success ? ok && (operation.lists !== undefined || isObject(data)) : status === 204;
  const expected = (expect.success && success) || (expect.statuses || []).includes(status) ||
    (expect.emptyList && ok && operation.lists && value && isEmpty(value[operation.lists.data]));
  if (expect.clause) {
    let clause = expect.clause;
    if (expect.success && step.as === 'owner' && !expected) {
      clause = { 401: 'AUTH-4', 403: 'AUTH-4', 404: 'EFFECT-3' }[status] || clause;
    }
    const wanted = [...(expect.success ? ['a success with its body'] : []), ...(expect.emptyList ? ['an empty list'] : []), ...(expect.statuses || [])];
    note(clause, expected, `status ${status}, expected ${wanted.join(' or ')}`);
  }
  if (expected && expect.field && status === 422) note('ERR-10', names(value, expect.field), `no issue names ${expect.field}`);
  if (ok && isObject(data)) shown(note, step, operation.updates, data, expected);
  if (ok && value && operation.lists) listed(note, step, operation.lists, value);
  return verdicts;
}

// body judges the form of a body and returns its value, undefined when there is
// none to judge.
function body(note, operation, response, ok) {
  const { status } = response;
  const content = response.body || '';
  const schema = ok ? operation.success : operation.declares.includes(status) ? contract.error : undefined;
  if (status === 204) {
    note(operation.success ? operation.clause : 'DELETE-2', content === '' && !operation.success, '204 where a body belongs, or with one');
    return undefined;
  }
  if (!schema) return undefined;
  if (content === '') {
    note(ok ? operation.clause : 'ERR-6', false, `status ${status} without a body`);
    return undefined;
  }
  const type = response.headers['Content-Type'];
  if (type !== undefined) {
    note('HTTP-3', /^\s*(application\/json|[^\s\/;]+\/[^\s;]+\+json)\s*(;|$)/i.test(type) && !/charset=(?!"?utf-8)/i.test(type), `Content-Type ${type}`);
  }
  let value;
  try {
    value = JSON.parse(content);
    note('JSON-1', true);
  } catch (e) {
    note('JSON-1', false, 'the body is not JSON');
    return undefined;
  }
  conforms(note, schema, value, '');
  if (!ok) error(note, value, status);
  return value;
}

// conforms compares a value with a schema of the document.
function conforms(note, schema, value, at) {
  const where = at || 'the body';
  if (value === null) return note(schema.clause, schema.nullable === true, `${where} is null`);
  const type = Array.isArray(value) ? 'array' : typeof value;
  const right = schema.type === undefined || type === schema.type || (schema.type === 'integer' && Number.isInteger(value));
  note(schema.clause, right, `${where} is of type ${type}, expected ${schema.type}`);
  if (!right) return;
  if (schema.enum) note(schema.clause, schema.enum.includes(value), `${where} is none of ${schema.enum.join(', ')}`);
  if (schema.url) note(schema.clause, /^https?:\/\/[^\s\/?#]+\S*$/i.test(value), `${where} is no absolute URL`);
  for (const name of schema.required || []) {
    const member = (schema.properties || {})[name] || schema;
    note(member.clause, name in value, `${at}/${name} is missing`);
  }
  for (const name of Object.keys(schema.properties || {})) {
    if (name in value) conforms(note, schema.properties[name], value[name], `${at}/${name}`);
  }
  if (schema.items) value.forEach((item, i) => conforms(note, schema.items, item, `${at}/${i}`));
}

// error judges what an error body says.
function error(note, value, status) {
  const { names: n } = contract;
  const section = isObject(value) ? value[n.error] : undefined;
  note('ERR-6', isObject(section), 'no error section');
  if (!isObject(section)) return;
  note('ERR-7', section[n.responseCode] === status, `${n.responseCode} is not the status, ${status}`);
  const list = section[n.issues];
  note('ERR-8', Array.isArray(list) && (list.length > 0 || status !== 422), 'no list of issues, or none on a 422');
  for (const issue of Array.isArray(list) ? list.filter(isObject) : []) {
    for (const name of [n.type, n.message]) {
      note('ERR-9', typeof issue[name] === 'string' && issue[name].trim() !== '', `an issue has no ${name}`);
    }
  }
}

// names says whether an issue is about a field; its form is open, so the last
// segment counts.
function names(value, field) {
  const { names: n } = contract;
  const list = ((value || {})[n.error] || {})[n.issues];
  return Array.isArray(list) && list.filter(isObject).some((issue) => String(issue[n.relatedField]).split(/[/.]/).pop() === field);
}

// shown compares a new representation with the path and with what was sent.
function shown(note, step, update, data, expected) {
  const { id, loose } = step.expect;
  if (id !== undefined && update.identity && Number.isInteger(data[update.id])) {
    note(update.identity, data[update.id] === Number(id), `${update.id} is not ${id}, the id in the path`);
    if (data[update.id] !== Number(id)) return;
  }
  let sent;
  try {
    sent = JSON.parse(text(step) || '');
  } catch (e) {
    return; // nothing that could be shown
  }
  if (!expected || loose || !isObject(sent) || id === undefined) return;
  for (const field of update.fields) {
    if (sent[field.sent] === undefined || sent[field.sent] === null) continue;
    note(update.shows, same(field, sent[field.sent], data[field.shown]), `${field.shown} is not as sent`);
  }
}

// same lets pass what is trimmed, folded or normalised only: that is a notice.
function same(field, sent, got) {
  if (typeof sent !== 'string' || typeof got !== 'string') return sent === got;
  const plain = (s) => (field.hostname ? s.toLowerCase().replace(/\.$/, '') : s).normalize('NFKC').replace(/\s+/g, ' ').trim();
  return plain(sent) === plain(got);
}

// listed judges the numbers of a page and its items.
function listed(note, step, list, value) {
  const items = value[list.data];
  const pagination = (value[list.meta] || {})[list.pagination];
  if (!Array.isArray(items) || !isObject(pagination)) return;
  const count = pagination[list.count];
  const total = pagination[list.totalCount];
  if (Number.isInteger(count)) note(list.countClause, count === items.length, `${list.count} is ${count} for ${items.length} items`);
  if (Number.isInteger(total)) note(list.totalClause, Math.min(items.length, count) <= total, `${list.totalCount} is ${total} for ${items.length} items`);
  const ids = items.filter(isObject).map((item) => item[list.id]);
  note(list.uniqueClause, new Set(ids).size === ids.length, 'an item is there twice');
  if (list.members && step.expect.id !== undefined) note(list.members, !ids.includes(Number(step.expect.id)), 'the creative itself is in its list');
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(list) {
  return Array.isArray(list) && list.length === 0;
}
