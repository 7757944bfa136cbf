// A list shows the beginning of what matches; the rest comes on demand, so that
// thousands of items cost no more than the first.
class List {
  constructor(parent, render, step) {
    Object.assign(this, {parent, render, step, items: [], shown: 0});
    this.button = element('button');
    this.button.type = 'button';
    this.button.addEventListener('click', () => {
      const from = this.shown;
      this.extend(from + this.step);
      const first = this.parent.children[from];
      const target = first && (first.hasAttribute('tabindex') ? first : first.querySelector('summary'));
      if (target) target.focus({preventScroll: true});
    });
    this.bar = element('p', 'more', this.button);
    parent.after(this.bar);
  }

  show(items) {
    this.items = items;
    this.shown = 0;
    this.parent.replaceChildren();
    this.extend(this.step);
  }

  extend(to) {
    const end = Math.min(to, this.items.length);
    const parts = document.createDocumentFragment();
    for (; this.shown < end; this.shown++) parts.append(this.render(this.items[this.shown]));
    this.parent.append(parts);
    const rest = this.items.length - this.shown;
    this.bar.hidden = rest === 0;
    this.button.textContent = `Show ${Math.min(rest, this.step)} more of ${rest}`;
  }

  // reveal makes sure that an item is shown, and returns its element.
  reveal(item) {
    const at = this.items.indexOf(item);
    if (at < 0) return null;
    if (at >= this.shown) this.extend(at + 1);
    return this.parent.children[at];
  }
}

const findingList = new List(document.getElementById('finding-list'), renderFinding, 25);
const caseList = new List(document.getElementById('case-list'), renderCase, 100);
const form = document.getElementById('filters');
const control = (name) => form.elements.namedItem(name);

function currentFilter() {
  return Object.fromEntries(filterNames.map((name) => [name, control(name).value.trim()]));
}

// setFilter sets the controls; a value that a control does not have is left out.
function setFilter(values) {
  for (const name of filterNames) {
    control(name).value = values[name] || '';
    if (control(name).value === '' && control(name).tagName === 'SELECT') control(name).selectedIndex = 0;
  }
}

const tell = (n, all, word) => (n === all ? `${all} ${word}` : `${n} of ${all} ${word}`);

function applyFilter() {
  const filter = currentFilter();
  const matches = matcher(filter);
  findingList.show(findings.filter(matches));
  caseList.show(cases.filter(matches));
  let clauseCount = 0;
  for (const c of clauses) {
    c.row.hidden = !matches(c);
    if (!c.row.hidden) clauseCount++;
  }
  document.getElementById('result-count').textContent =
    [tell(findingList.items.length, findings.length, 'findings'), tell(caseList.items.length, cases.length, 'cases'), tell(clauseCount, clauses.length, 'clauses')].join(', ');
  const counts = {findings: tell(findingList.items.length, findings.length, ''), cases: tell(caseList.items.length, cases.length, ''), clauses: tell(clauseCount, clauses.length, '')};
  for (const e of document.querySelectorAll('[data-count]')) e.textContent = counts[e.dataset.count];
  for (const cell of document.querySelectorAll('a.cell')) {
    const to = new URLSearchParams(cell.hash.slice(1));
    if (to.get('operation') === filter.operation && to.get('class') === filter.class) cell.setAttribute('aria-current', 'true');
    else cell.removeAttribute('aria-current');
  }
}
