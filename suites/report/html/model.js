'use strict';
// The data of the page: texts are numbers, their place in data.texts.
const data = JSON.parse(document.getElementById('data').textContent);
const text = (place) => data.texts[place || 0];
const join = (places) => places.map(text).join('');
const outcomes = {passed: 'passed', failed: 'failed', notTested: 'not tested'};

// Items are what is filtered: each knows what it can be found by.
const findings = data.findings.map((f, i) => {
  const clause = data.clauses[f.clause];
  return {
    data: f, number: i + 1, case: text(f.case), operation: text(f.operation), class: text(f.class),
    clauses: [text(f.clauseId)], bases: clause ? [clause.basis] : [], outcome: 'failed',
    words: [text(f.case), text(f.title), text(f.clauseId), join(f.expected), join(f.got), f.severity, clause ? text(clause.text) : ''].join('\n').toLowerCase(),
  };
});
const cases = data.cases.map((c) => {
  const own = (c.clauses || []).map((at) => data.clauses[at]);
  const found = (c.findings || []).map((at) => findings[at]);
  return {
    data: c, id: text(c.id), operation: text(c.operation), class: text(c.class), outcome: c.status, found,
    clauses: own.map((k) => k.id).concat(found.flatMap((f) => f.clauses)),
    bases: own.map((k) => k.basis).concat(found.flatMap((f) => f.bases)),
    words: [text(c.id), text(c.title), text(c.reason), ...own.map((k) => k.id)].join('\n').toLowerCase(),
  };
});
const clauses = Array.from(document.querySelectorAll('.clause'), (row) => {
  const clause = data.clauses[row.dataset.index];
  return {
    row, outcome: row.dataset.state, clauses: [clause.id], bases: [clause.basis],
    words: row.textContent.toLowerCase(),
  };
});

// filterNames are the names of the controls, and of the parts of a link to a filter.
const filterNames = ['q', 'operation', 'class', 'basis', 'clause', 'outcome'];

// matcher says which items a filter lets through: every word of the search has
// to be there, and whatever is selected. Clauses have no operation and no class.
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
