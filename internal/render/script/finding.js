// Exchanges, findings and cases.
const maxLines = 60;
const maxLine = 240;

// withMark returns the text of a preformatted element with a range of lines marked.
function withMark(texts, from, to) {
  if (from < 0) return [lines(texts)];
  const part = (some, last) => (some.length ? [lines(last ? some : some.concat(''))] : []);
  return [...part(texts.slice(0, from)), h('mark', {}, ...part(texts.slice(from, to + 1))), ...part(texts.slice(to + 1), true)];
}

// body shows a body, with JSON indented and the value at the pointer marked; of a long body it
// shows the lines around the mark.
function body(label, b, pointer) {
  if (!b || !b.text) return [];
  const base64 = b.encoding || b._encoding;
  const laid = (!base64 && layOut(b.text, pointer)) || {lines: b.text.split('\n'), from: -1, to: -1, exact: true};
  const notes = [];
  if (base64) notes.push('not UTF-8, shown in base64');
  if (b.comment) notes.push(b.comment);
  if (!laid.exact) notes.push(`${pointer} is missing; its nearest parent is marked`);
  let first = 0, all = laid.lines;
  if (all.length > maxLines) {
    first = Math.max(0, Math.min(laid.from - maxLines / 4, all.length - maxLines));
    notes.push(`lines ${first + 1} to ${first + maxLines} of ${all.length}; traffic.har has the whole body`);
  }
  const shown = all.slice(first, first + maxLines);
  if (shown.some((l) => l.length > maxLine)) notes.push('long lines are truncated');
  const from = laid.from < 0 ? -1 : laid.from - first, to = Math.min(laid.to - first, maxLines - 1);
  const text = withMark(shown.map((l) => clip(printable(l), maxLine)), from, to);
  return [pre(label, ...text), notes.length > 0 && h('p.quiet.note', {}, notes.join('; '))];
}

const statusOf = ({response: r}) => (r.status ? `${r.status} ${r.statusText}`.trim() : 'no response');
const titleOf = (e) => clip(`${e._seq}: ${e.request.method} ${e.request.url} → ${statusOf(e)}`);

function head(first, header) {
  const shown = [first, ...header.slice(0, maxLines).map((l) => `${l.name}: ${l.value}`)].map((l) => clip(l));
  if (header.length > maxLines) shown.push(`… and ${header.length - maxLines} more; traffic.har has them`);
  return shown;
}

// exchange shows a request and its answer; a finding marks places in the answer.
function exchange(e, finding) {
  const pointer = finding ? finding.pointer : '', {request, response} = e;
  const facts = ['key: ' + (e._credential || 'none'), duration(e.time / 1000)];
  if (e._attempts > 1) facts.push(`sent ${count(e._attempts, 'time')}`);
  if (e._rateLimited) facts.push(`waited ${count(e._rateLimited, 'time')} for the rate limit`);
  if (request.comment) facts.push(clip(request.comment));
  const answer = response.status ? head(`${response.httpVersion} ${statusOf(e)}`, response.headers) : [clip('no response: ' + e._error)];
  let mark = -1;
  if (response.status && pointer.startsWith('header:')) {
    const name = pointer.slice('header:'.length).toLowerCase();
    const at = response.headers.findIndex((l) => l.name.toLowerCase() === name);
    mark = at < maxLines ? at + 1 || -1 : -1;
  } else if (finding && !pointer && finding.said.got?.startsWith('status ')) {
    mark = 0;
  }
  return h('div.exchange', {},
    h('p.quiet', {}, facts.join(' · ')),
    h('div.sides', {},
      h('div', {}, h('h4', {}, 'Request'),
        pre('Request header', lines(head(`${request.method} ${request.url}`, request.headers))),
        body('Request body', request.postData, '')),
      h('div', {}, h('h4', {}, 'Response'),
        pre('Response header', ...withMark(answer, mark, mark)), body('Response body', response.content, pointer))));
}

// evidence returns the exchanges that show a finding, with the place marked in the last, or why there are none.
function evidence(f) {
  const found = (f.requests || [f]).map((r) => exchanges.get(r.exchange)).filter(Boolean);
  if (found.length) return found.map((e, i) => whenOpened(['Exchange ', titleOf(e)], () => exchange(e, i === found.length - 1 && f)));
  const why = !f.exchange ? 'The finding is about several requests together.' :
    data.exchanges.length ? 'This page has no room for the exchange; traffic.har has it.' : 'The exchanges of this run were not kept.';
  return h('p.quiet', {}, why);
}

// again says how to send a case again: with the command of the banner, for this case alone.
const again = (id) => h('p.quiet', {}, 'To send it again, in the folder of this page: ', h('code', {}, `${data.replay} ${id}`));

function renderFinding(item) {
  const f = item.data, clause = clauseOf.get(f.clause);
  const caseLink = (id) => link(addressOf({case: id}), id);
  const all = () => h('p.tags', {}, item.cases.map((c) => h('span', {}, caseLink(c.id))));
  return h(`article.finding.card.${f.severity}`, {id: f.id, tabindex: -1, 'aria-labelledby': f.id + '-title'},
    h('h3', {id: f.id + '-title'}, h('a.anchor', {href: '#' + f.id}, item.number), ' ',
      f.known && [h('span.tag.known', {}, 'known'), ' '], !f.known && f.ignored && [h('span.tag.known', {}, 'not counted'), ' '], h('span.title', {}, clip(f.title))),
    h('p.tags', {},
      h('span.tag.severity', {}, f.severity === 'violation' ? f.impact : f.severity), ' ',
      item.clauses.map((id) => [h('a.tag.of-clause', {href: '#clause-' + id}, id), ' ']), h('span.tag.basis', {}, f.basis), ' ',
      h('span.quiet', {}, 'check ' + f.said.check)),
    f.known && h('p.hint', {}, 'The baseline accepts it: ' + clip(f.known)),
    f.newCases && h('p.hint', {}, `The baseline does not list ${clip(f.newCases.join(', '))}.`),
    f.ignored && h('p.hint', {}, 'Does not count: ' + clip(f.ignored)),
    clause && h('p.sentence', {}, clause.text, ' ', h('cite.quiet', {}, clause.source)),
    f.said.sent && h('p.sent', {}, h('b', {}, 'Sent'), ' ', clip(f.said.sent)),
    f.shows?.length > 1 && h('p.sent', {}, h('b', {}, 'With'), ' ', f.shows.join(', ')),
    h('div.sides', {},
      h('div.expected', {}, h('h4', {}, 'Expected'), h('p', {}, clip(f.said.expected || ''))), h('div.got', {}, h('h4', {}, 'Got'), h('p', {}, clip(f.said.got || '')))),
    f.said.server && h('p.says', {}, h('b', {}, 'The server says'), ' ', clip(f.said.server)),
    f.hint && h('p.hint', {}, 'Hint: ' + f.hint),
    f.requests ? f.requests.map((q, i) => [h('p.quiet', {}, clip(`${i + 1}. answered ${q.then}:`)), q.curl && curl(q.curl, `curl line ${i + 1}`)]) :
      f.curl && curl(f.curl, 'curl line'),
    item.cases.length > 1 ? whenOpened([`In ${item.cases.length} cases, the first: ${item.cases[0].id}`], all) :
      h('p.quiet', {}, 'In case ', caseLink(f.case)),
    again(f.case),
    f.location && h('p.quiet', {}, 'Spec ', h('code', {}, f.location)),
    evidence(f));
}

function renderCase(item) {
  const c = item.data;
  const note = item.found.length ? count(item.found.length, 'finding') : duration(c.seconds);
  const status = h('span.status.state.' + c.status, {}, icon(c.status), ' ' + inWords(c.status));
  return h('li', {'data-id': c.id}, whenOpened([status, h('span.name', {}, c.id), h('span.quiet', {}, note)], () => caseDetail(item)));
}

const maxFindings = 20;

function caseDetail(item) {
  const c = item.data, own = exchangesOf.get(c.id) || [];
  return h('div.detail', {},
    h('p', {}, clip(c.title)),
    c.reason && h('p.state.notTested', {}, clip(c.reason)),
    h('p.quiet', {}, `${count(c.requests, 'request')} in ${duration(c.seconds)}`),
    again(c.id),
    c.clauses.length > 0 && h('p.tags', {}, 'judges', c.clauses.map((id) =>
      h('a.tag', {href: '#clause-' + id, title: clauseOf.get(id)?.text}, id))),
    item.found.slice(0, maxFindings).map((f) => h('p', {}, link('#' + f.data.id, 'Finding ' + f.number), ': ' + clip(f.data.title))),
    own.map((e) => whenOpened(['Exchange ', titleOf(e)], () => exchange(e))),
    own.length === 0 && c.requests > 0 &&
      h('p.quiet', {}, 'This page has no room for the exchanges of this case; traffic.har has them.'));
}
