// Elements of findings, exchanges and cases. All texts are set as text: nothing
// here reads markup.
const SVG = 'http://www.w3.org/2000/svg';

function element(name, className, ...children) {
  const e = document.createElement(name);
  if (className) e.className = className;
  e.append(...children);
  return e;
}

function link(address, label) {
  const a = element('a', '', label);
  a.href = address;
  return a;
}

function icon(state) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(SVG, 'use');
  use.setAttribute('href', '#icon-' + state);
  svg.append(use);
  return svg;
}

const caseAddress = (id) => '#' + new URLSearchParams({case: id});

// prototype copies an element that the server side of the page made; slots are
// its places for texts.
function prototype(id) {
  const root = document.getElementById(id).content.firstElementChild.cloneNode(true);
  const slot = (name) => root.querySelector(`[data-slot="${name}"]`);
  return {root, slot, part: (name) => root.querySelector(`[data-part="${name}"]`), set: (name, value) => { slot(name).textContent = value; }};
}

function marked(parent, places) {
  const [before, middle, after] = places.map(text);
  parent.replaceChildren(before, middle ? element('mark', '', middle) : '', after);
}

function words(parent, places) {
  parent.replaceChildren(...places.map((p, i) => (i % 2 ? element('mark', '', text(p)) : text(p))));
}

function renderBody(p, name, block) {
  marked(p.slot(name), block.text);
  p.part(name).hidden = block.text.every((t) => !t);
  const note = p.slot(name + 'Note');
  note.textContent = text(block.note);
  note.hidden = !block.note;
}

// renderExchange shows an exchange; a finding may mark places in its answer.
function renderExchange(at, finding) {
  const ex = data.exchanges[at];
  const p = prototype('exchange-prototype');
  p.set('facts', text(ex.facts));
  marked(p.slot('request'), ex.request);
  renderBody(p, 'requestBody', ex.requestBody);
  marked(p.slot('response'), (finding && finding.response) || ex.response);
  renderBody(p, 'responseBody', (finding && finding.body) || ex.responseBody);
  return p.root;
}

// whenOpened fills a details element when it is needed first.
function whenOpened(details, fill) {
  details.fill = () => {
    details.fill = () => {};
    fill();
  };
  details.addEventListener('toggle', () => { if (details.open) details.fill(); });
}

function renderFinding(item) {
  const f = item.data;
  const clause = data.clauses[f.clause];
  const p = prototype('finding-prototype');
  const id = 'finding-' + item.number;
  p.root.id = id;
  p.root.classList.add(f.severity);
  p.root.querySelector('h3').id = id + '-title';
  p.root.setAttribute('aria-labelledby', id + '-title');
  p.set('number', item.number);
  p.slot('number').href = '#' + id;
  p.set('title', text(f.title));
  p.set('severity', f.severity);
  p.set('clause', text(f.clauseId));
  p.slot('clause').href = '#clause-' + text(f.clauseId);
  p.set('basis', clause ? clause.basis : '');
  p.slot('basis').hidden = !clause;
  p.set('often', text(f.often));
  p.set('case', item.case);
  p.slot('case').href = caseAddress(item.case);
  p.set('clauseText', clause ? text(clause.text) : '');
  p.set('source', clause ? text(clause.source) : '');
  words(p.slot('expected'), f.expected);
  words(p.slot('got'), f.got);
  p.set('curl', text(f.curl));
  p.part('curl').hidden = !f.curl;
  p.set('missing', text(f.missing));
  p.slot('missing').hidden = !f.missing;
  const details = p.part('exchange');
  details.hidden = f.exchange === undefined;
  if (f.exchange !== undefined) {
    p.set('exchange', text(data.exchanges[f.exchange].title));
    whenOpened(details, () => details.querySelector('.slot').append(renderExchange(f.exchange, f)));
  }
  for (const b of p.root.querySelectorAll('.copy')) b.hidden = false;
  return p.root;
}

function renderCase(item) {
  const c = item.data;
  const details = element('details');
  const status = element('span', 'status state ' + c.status, icon(c.status), ' ' + outcomes[c.status]);
  const note = c.findings && c.findings.length ? c.findings.length + (c.findings.length === 1 ? ' finding' : ' findings') : text(c.time);
  details.append(element('summary', '', status, element('span', 'name', item.id), element('span', 'quiet', note)));
  whenOpened(details, () => details.append(caseDetail(item)));
  const li = element('li', '', details);
  li.dataset.id = item.id;
  return li;
}

function caseDetail(item) {
  const c = item.data;
  const box = element('div', 'detail', element('p', '', text(c.title)));
  if (c.reason) box.append(element('p', 'state notTested', text(c.reason)));
  box.append(element('p', 'quiet', `${c.requests || 0} ${c.requests === 1 ? 'request' : 'requests'} in ${text(c.time)} · again: `, element('code', '', 'adconform run --case ' + item.id)));
  if (c.clauses) {
    const list = element('p', 'tags', 'judges');
    for (const at of c.clauses) {
      const a = link('#clause-' + data.clauses[at].id, data.clauses[at].id);
      a.className = 'tag';
      a.title = text(data.clauses[at].text);
      list.append(a);
    }
    box.append(list);
  }
  for (const f of item.found.slice(0, 20)) {
    box.append(element('p', '', link('#finding-' + f.number, 'Finding ' + f.number), ': ' + text(f.data.title)));
  }
  for (const at of c.exchanges || []) {
    const details = element('details', '', element('summary', '', 'Exchange ' + text(data.exchanges[at].title)));
    whenOpened(details, () => details.append(renderExchange(at)));
    box.append(details);
  }
  if (!c.exchanges && c.requests) box.append(element('p', 'quiet', 'No exchange of this case is in this page; traffic.har has them where it was written.'));
  return box;
}
