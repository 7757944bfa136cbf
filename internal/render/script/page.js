// This assembles the page; the rest handles what the reader does.
document.getElementById('without-script').remove();
document.body.prepend(h('a.skip', {href: '#findings'}, 'Skip to the findings'), topBar(),
  h('main', {}, verdict(), figures(), matrix(),
    h('div.filtered', {}, filters(), findingSection(), notTestedSection(), caseSection(), clauseSection()),
    pairSection() || '', openPointSection(), changeSection()),
  footer());

// On a phone the findings come first, then the matrix and the filters.
const onPhone = matchMedia('(max-width: 52rem)');
const matrixCard = document.getElementById('matrix').parentElement;
const form = document.getElementById('filters');
function place() {
  const sectionOf = (id) => document.getElementById(id).parentElement;
  if (onPhone.matches) sectionOf('not-tested').before(matrixCard, form);
  else {
    document.querySelector('.filtered').before(matrixCard);
    document.querySelector('.filtered').prepend(form);
  }
}
onPhone.addEventListener('change', place);
place();

const findingList = new List(document.getElementById('finding-list'), renderFinding, 25);
const caseList = new List(document.getElementById('case-list'), renderCase, 100);
const control = (name) => form.elements.namedItem(name);
const currentFilter = () => Object.fromEntries(filterNames.map((name) => [name, control(name).value.trim()]));

// setFilter sets the controls, ignoring values that a control does not have.
function setFilter(values) {
  for (const name of filterNames) {
    control(name).value = values[name] || '';
    if (control(name).value === '' && control(name).tagName === 'SELECT') control(name).selectedIndex = 0;
  }
}

function applyFilter() {
  const filter = currentFilter();
  const matches = matcher(filter);
  findingList.show(findings.filter(matches));
  caseList.show(cases.filter(matches));
  for (const c of clauses) c.row.hidden = !matches(c);
  const shown = {findings: findingList.items, cases: caseList.items, clauses: clauses.filter((c) => !c.row.hidden)};
  const all = {findings, cases, clauses};
  const tell = (name, words) => (shown[name].length === all[name].length ? words : `${shown[name].length} of ${words}`);
  const beside = [[ignored, 'ignored violation'], [notices, 'notice'], [known, 'known finding']].filter(([some]) => some.length).map(([some, word]) => count(some.length, word));
  const words = (name) => name === 'findings' ? [count(failing.length, 'finding'), ...beside].join(' and ') :
    count(all[name].length, name.slice(0, -1));
  document.getElementById('result-count').textContent =
    Object.keys(all).map((name) => tell(name, words(name))).join(', ');
  for (const e of document.querySelectorAll('[data-count]')) {
    e.textContent = tell(e.dataset.count, words(e.dataset.count).replace(/ \w+/, ''));
  }
  for (const cell of document.querySelectorAll('a.cell')) {
    const to = new URLSearchParams(cell.hash.slice(1));
    if (to.get('operation') === filter.operation && to.get('class') === filter.class) cell.setAttribute('aria-current', 'true');
    else cell.removeAttribute('aria-current');
  }
}

// The address of the page: #ID of a finding, #clause-ERR-1, #case=ID, or a filter such
// as #operation=updateCampaign&class=422.
function go() {
  const hash = location.hash.slice(1);
  if (findingOf.has(hash)) return goFinding(findingOf.get(hash));
  if (hash.startsWith('clause-')) return goClause(hash);
  const asked = new URLSearchParams(hash);
  if (asked.has('case')) return goCase(asked.get('case'));
  if (!filterNames.some((name) => asked.has(name))) return;
  setFilter(Object.fromEntries(asked));
  applyFilter();
  const shown = findingList.items.length ? 'findings' : caseList.items.length ? 'cases' : 'clauses';
  arrive(document.getElementById(shown), onPhone.matches ? null : form);
}

function clearUnless(shown) {
  if (shown()) return;
  setFilter({});
  applyFilter();
}

function arrive(target, scrollTo) {
  if (!target) return;
  target.focus({preventScroll: true});
  (scrollTo || target).scrollIntoView({block: 'start'});
}

function goFinding(item) {
  clearUnless(() => findingList.items.includes(item));
  arrive(findingList.reveal(item));
}

function goClause(id) {
  const row = document.getElementById(id);
  if (!row) return;
  clearUnless(() => !row.hidden);
  arrive(row);
}

function goCase(id) {
  const item = cases.find((c) => c.id === id);
  if (!item) return;
  clearUnless(() => caseList.items.includes(item));
  const li = caseList.reveal(item);
  const details = li.querySelector('details');
  details.open = true;
  details.fill();
  arrive(details.querySelector('summary'));
}

// Typed text shows in the address, without a history entry for each key.
function remember() {
  const set = Object.entries(currentFilter()).filter(([, value]) => value);
  history.replaceState(null, '', '#' + new URLSearchParams(set));
}

let waiting = false;
form.addEventListener('input', () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    applyFilter();
    remember();
  });
});
form.addEventListener('reset', () => setTimeout(() => { applyFilter(); remember(); }));
form.addEventListener('submit', (event) => event.preventDefault());
window.addEventListener('hashchange', go);
// A link to the current address still jumps there.
document.addEventListener('click', (event) => {
  const a = event.target.closest('a[href^="#"]');
  if (a && a.hash === location.hash) go();
});

document.addEventListener('click', async (event) => {
  const button = event.target.closest('.copy');
  if (!button) return;
  const code = button.parentElement.querySelector('code');
  try {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(code); // not allowed: select it, so that it can be copied by hand
    button.textContent = 'Selected';
  }
});

// Dark or light follows the system until the button is pressed.
const theme = document.getElementById('theme');
const systemDark = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => (document.documentElement.dataset.theme || (systemDark.matches ? 'dark' : 'light')) === 'dark';
const stored = 'adconform-theme';
function showTheme() {
  theme.textContent = isDark() ? 'Light' : 'Dark';
  theme.title = `Switch to ${theme.textContent.toLowerCase()} colours`;
}
try { // a browser may refuse storage to files
  const kept = localStorage.getItem(stored);
  if (kept === 'dark' || kept === 'light') document.documentElement.dataset.theme = kept;
} catch { /* the choice lasts only as long as the page */ }
theme.addEventListener('click', () => {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
  try { localStorage.setItem(stored, document.documentElement.dataset.theme); } catch { /* same */ }
  showTheme();
});
systemDark.addEventListener('change', showTheme);

// On paper every matching finding is printed with its exchange, up to a limit.
const printed = 500;
function expand() {
  findingList.extend(Math.min(printed, findingList.items.length));
  for (const details of document.querySelectorAll('.finding details, .left details')) {
    details.open = true;
    details.fill();
  }
}
window.addEventListener('beforeprint', expand);
matchMedia('print').addEventListener('change', (event) => { if (event.matches) expand(); });

showTheme();
applyFilter();
go();
