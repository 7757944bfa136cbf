// The data of the page: report.json, in which a case names its findings by their place in the
// list; words that the terminal has, too; curl lines and exchanges as far as there was room.
const data = JSON.parse(document.getElementById('data').textContent);
const report = data.report;
const exchanges = new Map(data.exchanges.map((e) => [e.seq, e]));
const exchangesOf = Map.groupBy(data.exchanges, (e) => e.case);

// A clause is there once for each operation: together it is broken where one broke it, else
// held where one held it, and what it is for the others is said beside that.
const worth = (c) => ({broken: 3, held: 2}[c.status] || (c.cause === 'operator' ? 1 : 0));
const totals = [...Map.groupBy(report.clauses, (c) => c.id).values()].map((rows) => {
  const worst = rows.reduce((a, b) => (worth(b) > worth(a) ? b : a));
  const others = rows.filter((c) => c.status !== worst.status || c.reason !== worst.reason);
  return {...worst, cases: rows.reduce((sum, c) => sum + c.cases, 0), others};
});
const clauseOf = new Map(totals.map((c) => [c.id, c]));
const basesOf = (ids) => ids.map((id) => clauseOf.get(id)?.basis);

// Items are what is filtered: each knows by what it can be found.
const lower = (...texts) => texts.join('\n').toLowerCase();
const findings = report.findings.map((f, i) => ({
  data: f, number: i + 1, case: f.case, operation: f.operation, class: f.case.split('/')[1],
  clauses: [f.clause], bases: [f.basis], outcome: 'failed',
  words: lower(f.case, f.title, f.clause, f.check, f.expected, f.got, f.severity, clauseOf.get(f.clause)?.text || ''),
}));
// A cause has several findings, or a hint; they stand together, that of the worst first.
for (const cause of report.causes) {
  for (const at of cause.findings) if (findings[at]) findings[at].cause ||= cause;
}
const placeOf = new Map(findings.map((f) => [f, f.cause ? Math.min(...f.cause.findings) : f.number - 1]));
const byCause = findings.toSorted((a, b) => placeOf.get(a) - placeOf.get(b) || a.number - b.number);
// What fails the run is counted in the headline; notices and what a baseline accepts are not.
const isCounted = (f) => f.data.severity !== 'notice' && !f.data.known;
const notices = findings.filter((f) => f.data.severity === 'notice');
const known = findings.filter((f) => f.data.known);
const cases = report.results.map((c) => {
  const found = (c.findings || []).map((at) => findings[at]).filter(Boolean);
  const ids = c.clauses.concat(found.flatMap((f) => f.clauses));
  return {
    data: c, id: c.id, operation: c.operation, class: c.class, outcome: c.status, found,
    clauses: ids, bases: basesOf(ids), words: lower(c.id, c.title, c.reason || '', ...c.clauses),
  };
});
const outcomes = {held: 'passed', broken: 'failed', notTested: 'notTested'};
const clauses = totals.map((c) => ({
  data: c, outcome: outcomes[c.status], clauses: [c.id], bases: [c.basis],
  words: lower(c.id, c.basis, c.text, c.source || '', c.reason || '', inWords(c.status)),
}));

// filterNames are the names of the controls, and of the parts of a link to a filter.
const filterNames = ['q', 'operation', 'class', 'basis', 'clause', 'outcome'];

// matcher says which items a filter lets through: every word of the search has to be there,
// and whatever is selected. Clauses have no operation and no class.
function matcher(filter) {
  const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean);
  return (item) =>
    (!filter.operation || item.operation === undefined || item.operation === filter.operation) &&
    (!filter.class || item.class === undefined || item.class === filter.class) &&
    (!filter.basis || item.bases.includes(filter.basis)) &&
    (!filter.clause || item.clauses.includes(filter.clause)) &&
    (!filter.outcome || item.outcome === filter.outcome) &&
    words.every((w) => item.words.includes(w));
}
