// What requests were made of: for each operation a matrix of dimensions, whose cells open what was tried together, refused
// alone or failed.

// combined returns an operation's table with what the report says of its rows.
function combined(of) {
  const rows = of.table.flatMap((d) => d.rows.map((r) => ({...r, dimension: d, met: new Set(), failed: []})));
  rows.forEach((r, at) => {
    for (const part of (of.table.flatMap((d) => d.rows)[at].met || '').split(',').filter(Boolean)) {
      const [from, to = from] = part.split('-').map(Number);
      for (let n = from; n <= to; n++) {
        r.met.add(rows[n]);
        rows[n].met.add(r);
      }
    }
  });
  for (const f of failing.filter((f) => f.operations.includes(of.operation))) {
    const parts = new Set((f.data.sent?.what || '').split('; '));
    for (const r of rows) if (parts.has(r.words)) r.failed.push(f);
  }
  return {operation: of.operation, rows, dimensions: of.table.map((d) => ({name: d.name, rows: rows.filter((r) => r.dimension === d)}))};
}

const isTried = (r) => r.met.size > 0 || r.refusedAlone;

// crossing is what is known of two dimensions; of a dimension with itself, it is what is known of its rows alone.
function crossing(a, b) {
  const isAlone = a === b, pairs = [], failed = new Set();
  for (const r of a.rows) {
    const met = isAlone ? [] : b.rows.filter((other) => r.met.has(other));
    if (met.length) pairs.push([r, met]);
    for (const f of r.failed) {
      const hasOther = isAlone ? f.data.sent.what === r.words : b.rows.some((other) => other.failed.includes(f));
      if (hasOther) failed.add(f);
    }
  }
  const refused = (isAlone ? a.rows : a.rows.concat(b.rows)).filter((r) => r.refusedAlone);
  const tried = isAlone ? a.rows.filter(isTried).length : pairs.reduce((n, [, met]) => n + met.length, 0);
  const state = failed.size ? 'failed' : tried ? 'passed' : 'none';
  return {name: isAlone ? a.name : `${a.name} × ${b.name}`, isAlone, pairs, failed: [...failed], refused, tried, state, rows: a.rows};
}

const triedWords = (x) => (x.isAlone ? count(x.tried, 'row') : count(x.tried, 'pair')) + ' tried';

// opened shows a crossing.
function opened(x) {
  const name = (r) => h('abbr', {title: r.words}, r.name);
  const list = (rows) => rows.map((r, i) => [i > 0 && ', ', name(r)]);
  return [h('h3', {}, `${x.name}: ${triedWords(x)}`),
    x.failed.length > 0 && h('p', {}, h('b', {}, 'Failed: '), x.failed.map((f, i) => [i > 0 && '; ', link('#' + f.data.id, clip(f.data.title, 160))])),
    x.refused.length > 0 && h('p', {}, h('b', {}, 'Refused by this target even alone: '), list(x.refused)),
    h('dl.tried', {}, x.isAlone ? x.rows.filter(isTried).map((r) => [h('dt', {}, r.name), h('dd', {}, `${r.words} (${r.claim})`)]) :
      x.pairs.map(([r, met]) => [h('dt', {}, name(r)), h('dd', {}, list(met))]))];
}

function pairMatrix(of) {
  const {dimensions} = combined(of);
  const shown = h('div.opened', {'aria-live': 'polite'});
  const cellOf = (a, b) => {
    const x = crossing(a, b), words = `${x.name}: ${triedWords(x)}${x.failed.length ? ', ' + count(x.failed.length, 'finding') : ''}`;
    if (x.state === 'none') return h('span.none', {role: 'img', 'aria-label': words}, '·');
    const button = h('button.pair.' + x.state, {type: 'button', title: words, 'aria-label': words}, x.state === 'failed' && icon('failed'), x.tried);
    button.addEventListener('click', () => {
      for (const other of shown.parentElement.querySelectorAll('.pair[aria-pressed]')) other.removeAttribute('aria-pressed');
      button.setAttribute('aria-pressed', 'true');
      shown.replaceChildren(h('div', {}, opened(x)));
    });
    return button;
  };
  const rows = dimensions.map((a, i) => [a.name, ...dimensions.map((b, j) => (j > i ? '' : cellOf(a, b)))]);
  return [h('div.wide-table', {tabindex: 0, role: 'region', 'aria-label': 'Dimensions of ' + of.operation},
    table('table.pairs', 'Dimensions of requests. Each cell opens what was tried.', ['', ...dimensions.map((d) => h('span', {}, d.name))], rows)), shown];
}

function pairSection() {
  if (!report.arrays?.length) return null;
  const operation = (of) => {
    const failed = combined(of).rows.some((r) => r.failed.length);
    return whenOpened([failed && [icon('failed'), ' '], h('b', {}, of.operation),
      `: ${count(of.dimensions, 'dimension')}, ${count(of.rows, 'row')}, ${count(of.pairs, 'pair')} tried`], () => h('div', {}, pairMatrix(of)));
  };
  return section('section.card', 'pairs', 'What requests were made of',
    h('p.quiet', {}, 'A row is one way in which a request differs from an ordinary one. A cell counts the pairs of rows of two dimensions that were sent together, ' +
      'and on the diagonal the rows of one. It opens what was tried, what this target refuses even alone, and what failed.'),
    report.arrays.map(operation));
}
