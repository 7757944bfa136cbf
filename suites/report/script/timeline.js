// The timeline shows when requests were sent, how they were answered, and how long that took.
// It has as many elements for thousands of requests as for a hundred.
const chart = {left: 56, width: 740, height: 110, bins: 74};
const answerKinds = [['ok', 'success (2xx, 3xx)'], ['refused', 'refused (4xx)'], ['error', 'error (5xx)'], ['lost', 'no answer']];
const kindOf = (status) => (status === 0 ? 3 : status >= 500 ? 2 : status >= 400 ? 1 : 0);
const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
const ascending = (values) => values.sort((a, b) => a - b);

// requests are those of the run: when they were sent, in seconds from the first, how long the
// answer took, its status, the operation, and whether a finding is about it.
const requests = data.timings.map(([at, seconds, status, operation, found]) =>
  ({at, seconds: Math.max(seconds, 1e-6), kind: kindOf(status), operation: data.operations[operation], found}));

function binsOf(span) {
  const bins = Array.from({length: chart.bins}, () => ({kinds: [0, 0, 0, 0], seconds: [], found: 0}));
  for (const r of requests) {
    const bin = bins[Math.min(chart.bins - 1, Math.floor(chart.bins * r.at / span))];
    bin.kinds[r.kind]++;
    bin.seconds.push(r.seconds);
    if (r.found) bin.found++;
  }
  const step = chart.width / chart.bins;
  return bins.map((bin, i) => ({...bin, x: chart.left + i * step, width: step - 1.5, seconds: ascending(bin.seconds)}));
}

function box(kind, bin, y, height, title) {
  const place = {x: bin.x.toFixed(1), y: y.toFixed(1), width: bin.width.toFixed(1), height: height.toFixed(1)};
  return svg('rect.' + kind, place, title && svg('title', {}, title));
}
const gridLine = (y, text) => [svg('line.grid', {x1: chart.left, x2: chart.left + chart.width, y1: y.toFixed(1), y2: y.toFixed(1)}),
  svg('text.tick', {x: chart.left - 6, y: y.toFixed(1), dy: 4}, text)];

function countChart(bins) {
  const most = Math.max(...bins.map((b) => b.seconds.length));
  const bars = bins.flatMap((bin) => {
    const words = answerKinds.map(([, label], k) => bin.kinds[k] && `${bin.kinds[k]} ${label}`).filter(Boolean).join(', ');
    let y = chart.height;
    return bin.kinds.map((n, k) => {
      const height = chart.height * n / most;
      y -= height;
      return n > 0 && box(answerKinds[k][0], bin, y, height, words);
    });
  });
  const marks = bins.filter((b) => b.found).map((b) => {
    const transform = `translate(${(b.x + b.width / 2).toFixed(1)} ${chart.height + 8})`;
    return svg('path.found', {transform, d: 'M-3.5 6L0 0L3.5 6z'}, svg('title', {}, count(b.found, 'finding')));
  });
  return [gridLine(chart.height, '0'), gridLine(0, most), bars, marks];
}

function latencyChart(bins, span) {
  const used = bins.filter((b) => b.seconds.length);
  const from = Math.floor(Math.log10(Math.min(...used.map((b) => b.seconds[0]))));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...used.map((b) => b.seconds.at(-1))))));
  const y = (seconds) => chart.height * (to - Math.log10(seconds)) / (to - from);
  const decades = Array.from({length: to - from + 1}, (_, i) => gridLine(y(10 ** (from + i)), duration(10 ** (from + i))));
  const boxes = used.flatMap((b) => {
    const fast = b.seconds[0], slow = b.seconds.at(-1), median = quantile(b.seconds, 0.5);
    const words = `median ${duration(median)}, ${duration(fast)} to ${duration(slow)}`;
    return [box('range', b, y(slow), Math.max(1.5, y(fast) - y(slow)), words), box('median', b, y(median) - 1, 2)];
  });
  const times = [0, 1, 2, 3, 4].map((i) => svg(i === 4 ? 'text.time.last' : 'text.time',
    {x: chart.left + i * chart.width / 4, y: chart.height + 20}, i === 0 ? '0' : duration(span * i / 4)));
  return [decades, boxes, times];
}

function latencyRow(name, some) {
  const seconds = ascending(some.map((r) => r.seconds));
  return [name, String(seconds.length), duration(quantile(seconds, 0.5)), duration(quantile(seconds, 0.95)), duration(seconds.at(-1))];
}

function timelineSection() {
  if (requests.length === 0) return section('section.card', 'timeline', 'Timeline', h('p', {}, 'The exchanges of this run were not kept.'));
  const span = requests.reduce((last, r) => Math.max(last, r.at), 1e-3);
  const bins = binsOf(span);
  const kinds = answerKinds.map((_, k) => requests.filter((r) => r.kind === k).length);
  const rows = [...Map.groupBy(requests, (r) => r.operation)].map(([name, some]) => latencyRow(name, some));
  const all = latencyRow('all', requests);
  const words = `${count(requests.length, 'exchange')} within ${duration(span)}: ${kinds[0]} answered with success, ` +
    `${kinds[1]} refused, ${count(kinds[2], 'server error')}, ${kinds[3]} without answer. ` +
    `Median latency ${all[2]}, 95th percentile ${all[3]}, slowest ${all[4]}.`;
  const swatch = (shape) => svg('svg.swatch', {viewBox: '0 0 10 10', 'aria-hidden': true}, shape);
  const key = answerKinds.filter((_, k) => kinds[k]).map(([kind, label]) =>
    h('li.' + kind, {}, swatch(svg('rect.' + kind, {width: 10, height: 10})), ' ' + label));
  if (requests.some((r) => r.found)) key.push(h('li', {}, swatch(svg('path.found', {d: 'M0 10L5 0L10 10z'})), ' request of a finding'));
  return section('section.card', 'timeline', 'Timeline', h('p', {}, words),
    h('div.scroll', {tabindex: 0, role: 'region', 'aria-label': 'Timeline, wide picture'},
      svg('svg.chart', {viewBox: '0 0 810 322', role: 'img', 'aria-label': words},
        svg('text.title', {x: 0, y: 12}, `Requests per ${duration(span / chart.bins)}`),
        svg('g', {transform: 'translate(0 26)'}, countChart(bins)),
        svg('text.title', {x: 0, y: 172}, 'Latency: fastest to slowest, and median'),
        svg('g', {transform: 'translate(0 184)'}, latencyChart(bins, span)))),
    h('ul.legend.chart-key', {}, key),
    table('table.plain', 'Latency by operation', ['Latency', 'requests', 'median', '95 %', 'slowest'], [...rows, all]));
}
