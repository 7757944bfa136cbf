// The sections of the page. Each function returns the element of one section.
const {verdict: verdictWords, scope, notes, warnings, untested} = data;
const unrestored = data.left.filter((c) => !c.restored).length;

// clauseCounts is what the terminal says of clauses: ['114 held', '1 broken', '1 not shown'].
const clauseCounts = notes.find((text) => /^\d+ clauses?:/.test(text)).split(': ')[1].split(', ');

// verdictState gives the colour and shape of the verdict: green only for a complete run.
const ifConforming = report.level === 'complete' ? 'passed' : 'partly';
const ifNonconforming = failing.length ? 'failed' : 'partly'; // accepted by a baseline
const verdictState = report.exitCode === 1 ? 'failed' : {conforming: ifConforming, nonconforming: ifNonconforming}[report.verdict] || 'notTested';

function topBar() {
  const places = [
    ['Findings', failing.length], ['Not tested', report.cases.notTested], ['Cases', report.cases.planned], ['Clauses', totals.length],
    ['Open points', report.openPoints.length], ['Changes', report.changes.length],
  ];
  const idOf = (place) => place.toLowerCase().replace(' ', '-');
  return h('header.top', {}, h('p.product', {}, 'adconform report'),
    h('nav', {'aria-label': 'Sections'}, places.map(([place, n]) => [link('#' + idOf(place), `${place} ${n}`), ' '])),
    h('button', {type: 'button', id: 'theme'}, 'Dark'));
}

// withCommand marks the command that sends cases again in a text, and says where to run it.
function withCommand(text) {
  const [before, after] = text.split(data.replay);
  return after === undefined ? before : [before, h('code', {}, data.replay), ' in the folder of this page', after];
}

function verdict() {
  const started = new Date(report.started).toUTCString().slice('Sun, '.length).replace('GMT', 'UTC');
  const sign = icon(verdictState);
  sign.classList.add('big');
  const said = notes.filter((text) => !/^(\d+ (case|clause)s?|tested):/.test(text)); // the figures and the line above say these
  return h('section.verdict.' + verdictState, {'aria-labelledby': 'verdict'}, sign, h('div', {},
    h('h1', {id: 'verdict'}, h('span.word', {}, verdictWords), h('span.scope', {}, scope), ': ', h('span.reason', {}, report.reason)),
    h('p', {}, h('strong', {}, report.target.name), ' ', h('span.url', {}, report.target.baseURL)),
    h('p.quiet', {}, [started, ...said, `exit code ${report.exitCode}`, `${report.suite.name} ${report.suite.version}`].join(' · ')),
    warnings.map((text) => h('p.warning', {}, text)),
    failing.length > 0 && h('p.worst', {}, h('b', {}, 'Worst'), ' ', h('span.tag.severity', {}, failing[0].data.impact), ' ',
      link('#' + failing[0].data.id, clip(failing[0].data.title))),
    data.next && h('p', {}, h('b', {}, 'Next'), ' ', withCommand(data.next.replaceAll('DIR', '.'))),
    unrestored > 0 && h('p.warning', {}, link('#changes', `${count(unrestored, 'object')} could not be restored.`))));
}

function figure(name, total, parts) {
  return h('div.figure', {}, h('h2', {}, name, ' ', h('b', {}, total)), bar(parts),
    h('ul.legend', {}, parts.map(([state, n, label]) => h('li.' + state, {}, h('b', {}, n), ' ', label))));
}

function figures() {
  const status = (of, word) => [of, report.cases[of], word];
  // The note says it as the terminal does: notices fail no clause, and the target's choices hide some.
  const states = {held: 'passed', broken: 'failed', 'with notices only': 'notice', 'not tested': 'notTested', 'not shown': 'known'};
  const clause = (text) => [states[text.replace(/^\d+ /, '')], parseInt(text, 10), text.replace(/^\d+ /, '')];
  const impact = (of, state) => [state, failing.filter((f) => f.data.impact === of).length, of];
  return h('section.figures', {'aria-label': 'Figures'},
    figure('Cases', report.cases.planned, [status('passed', 'passed'), status('failed', 'failed'), status('notTested', 'not tested')]),
    figure('Clauses', totals.length, clauseCounts.map(clause)),
    figure('Findings', failing.length, [
      impact('critical', 'failed'), impact('major', 'failed'), impact('minor', 'transport'),
      notices.length > 0 && ['notice', notices.length, notices.length === 1 ? 'notice' : 'notices'],
      known.length > 0 && ['known', known.length, 'known'],
      ignored.length > 0 && ['notTested', ignored.length, 'not counted'],
    ].filter(Boolean)));
}

// The known classes of cases, in the order in which they are shown, with their subjects.
const knownClasses = [
  ['success', 'valid requests'], ['401', 'no valid key'], ['403', 'not allowed'], ['404', 'not found'],
  ['422', 'wrong fields'], ['text', 'unusual texts'], ['open', 'open points'], ['effects', 'effects of requests'],
  ['state', 'state between requests'], ['arrays', 'rows sent together'], ['random', 'random sequences'],
];
const hints = new Map(knownClasses);
const operations = unique(cases.map((c) => c.data.operation));
const seenClasses = new Set(cases.map((c) => c.data.class));
const classes = [...hints.keys()].filter((c) => seenClasses.has(c)).concat([...seenClasses].filter((c) => !hints.has(c)));

function cell(operation, name, all) {
  if (!all) return h('span.none', {'aria-label': 'no cases', role: 'img'}, '·');
  const of = (status) => all.filter((c) => c.outcome === status).length;
  const [passed, failed, notTested] = ['passed', 'failed', 'notTested'].map(of);
  const state = failed ? 'failed' : !passed ? 'notTested' : notTested ? 'partly' : 'passed';
  const words = `${operation}, ${name}: ${passed} passed, ${failed} failed, ${notTested} not tested`;
  return h('a.cell.' + state, {href: addressOf({operation, class: name}), title: words}, h('span.hidden', {}, words),
    h('span.class', {'aria-hidden': true}, clip(name, 40)), h('span.what', {'aria-hidden': true}, icon(state), `${passed}/${all.length}`),
    bar([['passed', passed], ['failed', failed], ['notTested', notTested]]));
}

function matrix() {
  const groups = Map.groupBy(cases, (c) => JSON.stringify([c.data.operation, c.data.class]));
  const rows = operations.map((o) => [clip(o, 40), ...classes.map((c) => cell(o, c, groups.get(JSON.stringify([o, c]))))]);
  const columns = classes.map((c) => [clip(c, 40), h('small', {}, hints.get(c))]);
  const signs = [
    ['passed', 'all passed'], ['failed', 'some failed'], ['partly', 'some not tested'], ['notTested', 'none tested'],
  ];
  return section('section.card', 'matrix', 'Operations × classes',
    rows.length === 0 ? h('p', {}, 'No case was planned.') :
      table('table.matrix', 'Cases by operation and class. Each cell links to its cases.', ['operation', ...columns], rows),
    h('p.quiet.key', {}, signs.map(([state, words]) => h('span', {}, icon(state), ' ' + words)), h('span', {}, '3/4: 3 of 4 cases passed')));
}

function filters() {
  const select = (label, name, options) => h('label', {}, label + ' ',
    h('select', {name}, h('option', {value: ''}, 'all'), options.map(([value, words]) => h('option', {value}, words || value))));
  const plain = (values) => values.map((v) => [v]);
  return h('form', {id: 'filters', role: 'search', 'aria-label': 'Findings, cases and clauses'},
    h('label.wide', {}, 'Search ', h('input', {type: 'search', name: 'q', autocomplete: 'off', spellcheck: 'false'})),
    select('Operation', 'operation', plain(operations)), select('Class', 'class', plain(classes)),
    select('Basis', 'basis', plain(Object.keys(bases))), select('Clause', 'clause', plain(totals.map((c) => c.id))),
    select('Outcome', 'outcome', [['failed'], ['passed'], ['notTested', 'not tested']]),
    h('button', {type: 'reset'}, 'Clear'), h('output', {id: 'result-count', 'aria-live': 'polite'}));
}

function findingSection() {
  const none = 'No finding' + (verdictWords === 'conforming' ? ': every clause that could be judged held.' : '.');
  return section('section', 'findings', ['Findings ', number('findings', '')],
    findings.length === 0 && h('p', {}, none),
    findings.length > 0 && report.target.variables && h('details.card', {}, h('summary', {}, 'Before you paste a curl line'),
      curl(lines(report.target.variables.map((v) => v.define)), 'variables of curl lines')),
    h('div', {id: 'finding-list'}));
}

// notTestedSection shows for each reason the cases and clauses that were not tested because of it, and the key of
// the target file that would help; what the target itself hides is listed separately.
function notTestedSection() {
  const row = (u) => h('li', {}, h('p', {}, h('b', {}, clip(u.reason || 'no known reason'))),
    u.need && h('p.quiet', {}, 'To test ', u.shows, ', give ', h('code', {}, u.need), ' in the target file.'),
    u.cases > 0 && h('p', {}, link(addressOf({q: u.reason, outcome: 'notTested'}), count(u.cases, 'case')), ' not tested'),
    u.clauses.length > 0 && h('p.tags', {}, 'clauses not judged: ',
      u.clauses.map((id) => [h('a.tag', {href: '#clause-' + id, title: clauseOf.get(id)?.text}, id), ' '])));
  const part = (title, rows) => rows.length > 0 && [h('h3', {}, title), h('ul.reasons', {}, rows.map(row))];
  const hidden = (u) => u.cause === 'target';
  return section('section.card', 'not-tested', ['Not tested ', h('span.number', {},
    [count(report.cases.notTested, 'case'), ...clauseCounts.filter((text) => text.includes(' not ')).map((text) => text.replace(' ', ' clauses '))].join(', '))],
    untested.length === 0 && h('p', {}, 'Every case was run, and every clause was judged.'),
    part('Missing, wrong or cut short', untested.filter((u) => !hidden(u))),
    part('Hidden by the target, or nothing to judge', untested.filter(hidden)));
}

function caseSection() {
  return section('section', 'cases', ['Cases ', number('cases', cases.length)],
    h('ol.cases', {id: 'case-list'}));
}

const bases = {
  stated: 'The interface document says it. A breach is a violation.',
  published: 'The document is silent, but the publicly documented API says it. A breach is a violation.',
  standard: 'An RFC says it. A breach is a violation.',
  chosen: 'No source requires it. A breach is a notice, and fails a run only with --basis …,chosen.',
};

function clauseSection() {
  const cells = (selector, role, contents) => contents.map((content) => h(selector, {role}, content));
  const columns = h('div.head', {role: 'row'}, cells('span', 'columnheader', ['Outcome', 'Clause', 'Requirement', 'Judged in']));
  for (const item of clauses) {
    const c = item.data;
    const elsewhere = [...Map.groupBy(c.others, (o) => JSON.stringify([o.status, o.reason])).values()].map((same) => {
      const where = `${inWords(same[0].status)} for ${same.map((o) => o.operation).join(', ')}`;
      return [' ', h('em', {}, where + (same[0].reason ? `: ${same[0].reason}.` : '.'))];
    });
    const [state, ...others] = cells('span', 'cell', [
      [icon(item.outcome), ' ' + inWords(c.status)],
      [link('#clause-' + c.id, c.id), ' ', h('span.tag.basis', {}, c.basis)],
      [c.text, ' ', h('cite.quiet', {}, c.source), c.reason && [' ', h('em', {}, c.reason)], elsewhere],
      c.cases ? count(c.cases, 'case') : 'none',
    ]);
    state.className = 'state ' + item.outcome;
    item.row = h('div.clause', {role: 'row', id: 'clause-' + c.id, tabindex: -1}, state, others);
  }
  return section('section', 'clauses', ['Clauses ', number('clauses', clauses.length)],
    h('details.card', {}, h('summary', {}, 'What the bases mean'),
      h('dl.bases', {}, Object.entries(bases).map(([basis, meaning]) => [h('dt', {}, basis), h('dd', {}, meaning)]))),
    h('div.card.rows', {role: 'table', 'aria-labelledby': 'clauses'}, columns, clauses.map((c) => c.row)));
}

function openPointSection() {
  const places = (at) => at.map((place, i) => [i > 0 && ', ', place.split('.').map((part, j) => (j ? ['.', h('wbr'), part] : part))]);
  const answer = (a) => h('p', {}, h('b', {}, a.answer), ': ', places(a.at),
    !a.observed.includes(a.answer) && h('span.quiet', {}, ` (${a.observed.join('; ')})`));
  const points = report.openPoints.map((p) => h('div', {}, h('dt', {}, p.question + ' ', h('code', {}, p.id)), h('dd', {},
    p.answers ? p.answers.map(answer) :
      p.observed.length ? p.observed.map((o) => [h('span.tag', {}, o), ' ']) : h('span.quiet', {}, 'not seen'),
    p.pinned !== undefined && h('span.quiet', {}, ' pinned: ' + p.pinned))));
  return section('section.card', 'open-points', 'Open points',
    h('p.quiet', {}, 'The choices of the target where the contract is silent. They are observed, and judged only if the target file pins them.'),
    points.length ? h('dl.points', {}, points) : h('p', {}, 'None was observed.'),
    data.pins && [h('p.quiet', {}, 'To have these choices judged from now on, paste them under ', h('code', {}, 'open:'), ' in the target file:'),
      curl(lines(data.pins.trim().split('\n')), 'lines for the target file')]);
}

function changeSection() {
  const deleted = report.changes.filter((c) => c.change === 'deleted' && !c.restored).length;
  const putBack = report.changes.length - deleted - unrestored;
  const left = data.left.map((c) => h('div.left', {},
    h('p', {}, h('b', {}, c.object + (c.id ? ' ' + c.id : '')), ` (${c.change}): ${c.reason}`),
    c.undo && curl(c.undo, 'curl line that restores it')));
  return section('section.card', 'changes', 'Changes on the target',
    h('p', {}, `${count(putBack, 'object')} changed and restored, ${count(deleted, 'disposable object')} deleted`,
      unrestored ? [`, ${unrestored} `, h('strong', {}, 'not restored'), ':'] : '. Nothing is left to restore.'),
    left);
}

function footer() {
  const {name, version} = report.suite;
  return h('footer', {}, h('p', {}, `${name} ${version} ${data.selfTest}. This page loads nothing and sends nothing. ` +
    'Whatever the target sent is shown as text: unprintable characters as escapes, long texts truncated. ' +
    'report.json and traffic.har next to this page have the rest.'));
}
