'use strict';
// Filters targets, clauses and questions. The page is whole without it.
const form = document.getElementById('filters');
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const control = (name) => form.elements.namedItem(name);
const words = (name) => control(name).value.toLowerCase().split(/\s+/).filter(Boolean);
const has = (text, wanted) => wanted.every((word) => text.includes(word));

const targets = all('.target').map((details) => ({
  text: all(`tr[data-target="${details.dataset.target}"]`).concat(details.querySelector('h3'), details.querySelector('.about'))
    .map((e) => e.textContent).join(' ').toLowerCase(),
  parts: all(`[data-target="${details.dataset.target}"]`),
}));
const rows = all('tr[data-row]').map((row) => ({
  row, text: row.firstElementChild.textContent.toLowerCase(), differs: 'differs' in row.dataset,
  group: row.parentElement, cells: [...row.children].slice(1),
}));
const groups = all('tr.group');

function apply() {
  const shown = targets.map((t) => has(t.text, words('targets')));
  targets.forEach((t, i) => t.parts.forEach((e) => { e.hidden = !shown[i]; }));
  const wanted = words('rows'), only = control('differs').checked;
  for (const r of rows) {
    r.row.hidden = !has(r.text + ' ' + (r.group.querySelector('.group')?.textContent || '').toLowerCase(), wanted) || (only && !r.differs);
    if (!r.row.hidden) r.cells.forEach((cell, i) => { if (cell.hidden === shown[i]) cell.hidden = !shown[i]; });
  }
  for (const g of groups) g.hidden = all('tr[data-row]', g.parentElement).every((row) => row.hidden);
  const count = (list, visible, name) => `${visible} of ${list.length} ${name}`;
  document.getElementById('result-count').textContent =
    `${count(targets, shown.filter(Boolean).length, 'targets')}, ${count(rows, rows.filter((r) => !r.row.hidden).length, 'clauses and questions')}`;
}

let waiting = false;
form.addEventListener('input', () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; apply(); });
});
form.addEventListener('reset', () => setTimeout(apply));
form.addEventListener('submit', (event) => event.preventDefault());
form.hidden = false;
apply();
