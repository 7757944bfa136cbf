// The data of the page: report.json, in which a finding names its cases and not the reverse; texts that
// the terminal shows, too; and exchanges in the form of traffic.har, as far as there was room.
const data = JSON.parse(document.getElementById('data').textContent);
const report = data.report;
const exchanges = new Map(data.exchanges.map((e) => [e._seq, e]));
const exchangesOf = Map.groupBy(data.exchanges, (e) => e._case);

// The status of a clause on all operations together, and beside that its status on those where it is another.
const rowsOf = Map.groupBy(report.clauses, (c) => c.id);
const totals = data.totals.map((total) => (
  {...total, others: rowsOf.get(total.id).filter((c) => c.status !== total.status || c.reason !== total.reason)}));
const clauseOf = new Map(totals.map((c) => [c.id, c]));
const basesOf = (ids) => ids.map((id) => clauseOf.get(id)?.basis);

// Items are what is filtered: each holds the words by which it can be found.
const lower = (...texts) => texts.filter(Boolean).join('\n').toLowerCase();
const unique = (values) => [...new Set(values)];
const cases = report.results.map((c) => ({
  data: c, id: c.id, operations: [c.operation], classes: [c.class], outcome: c.status, found: [],
  words: lower(c.id, c.title, c.reason, ...c.clauses),
}));
const caseOf = new Map(cases.map((c) => [c.id, c]));
const findings = report.findings.map((f, i) => {
  const seen = (f.cases || []).map((id) => caseOf.get(id)).filter(Boolean);
  return {
    data: f, number: i + 1, cases: seen, operations: f.operations || [f.operation], classes: unique(seen.map((c) => c.data.class)),
    clauses: f.clauses || [f.clause], bases: basesOf(f.clauses || [f.clause]).concat(f.basis), outcome: 'failed',
    words: lower(f.case, f.title, f.clause, f.check, f.impact, f.said.expected, f.said.got, f.severity, clauseOf.get(f.clause)?.text),
  };
});
const findingOf = new Map(findings.map((f) => [f.data.id, f]));
for (const f of findings) for (const c of f.cases) c.found.push(f);
for (const c of cases) {
  c.clauses = unique(c.data.clauses.concat(c.found.flatMap((f) => f.clauses)));
  c.bases = basesOf(c.clauses);
}
// The headline counts only findings that fail the run, not notices, accepted findings or violations of a basis that does not count.
const failing = findings.filter((f) => f.data.fails);
const known = findings.filter((f) => f.data.known);
const ignored = findings.filter((f) => f.data.ignored && !f.data.known);
const notices = findings.filter((f) => !f.data.fails && !f.data.known && !f.data.ignored);
const outcomes = {held: 'passed', broken: 'failed', notTested: 'notTested'};
const clauses = totals.map((c) => ({
  data: c, outcome: outcomes[c.status], clauses: [c.id], bases: [c.basis],
  words: lower(c.id, c.basis, c.text, c.source, c.reason, inWords(c.status)),
}));

// filterNames are the names of the controls, and of the parts of a link to a filter.
const filterNames = ['q', 'operation', 'class', 'basis', 'clause', 'outcome'];

// matcher returns a predicate for the items that a filter selects: they must contain every word of
// the search and match every selection. Clauses have neither operations nor classes.
function matcher(filter) {
  const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean);
  return (item) =>
    (!filter.operation || !item.operations || item.operations.includes(filter.operation)) &&
    (!filter.class || !item.classes || item.classes.includes(filter.class)) &&
    (!filter.basis || item.bases.includes(filter.basis)) &&
    (!filter.clause || item.clauses.includes(filter.clause)) &&
    (!filter.outcome || item.outcome === filter.outcome) &&
    words.every((w) => item.words.includes(w));
}
