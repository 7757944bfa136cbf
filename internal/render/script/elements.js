'use strict';
// Elements, and texts as a page may show them.

// Anything but a letter, mark, number, punctuation, symbol or plain space is shown as an
// escape, so that no text of a target breaks a line or changes the writing direction.
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const shortEscapes = {'\n': '\\n', '\r': '\\r', '\t': '\\t'};
const printable = (text) => String(text).replace(unprintable, (c) => shortEscapes[c] || escapeOf(c.codePointAt(0)));

function escapeOf(code) {
  const [letter, digits] = code < 0x80 ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8];
  return '\\' + letter + code.toString(16).padStart(digits, '0');
}

const clip = (text, length = 400) => (text.length > length ? [...text].slice(0, length - 1).join('') + '…' : text);
const count = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
const inWords = (status) => (status === 'notTested' ? 'not tested' : status);

function duration(seconds) {
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  if (seconds < 1) return `${Number((seconds * 1e3).toPrecision(3))} ms`;
  if (seconds < 100) return `${Number(seconds.toPrecision(3))} s`;
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

// h returns an element: h('a.tag', {href: '#x'}, 'text', …). Strings become text, never markup,
// with escapes; null, false and '' are left out.
const h = (selector, attributes, ...children) => make(document.createElement(selector.split('.')[0]), selector, attributes, children);
const svg = (selector, attributes, ...children) =>
  make(document.createElementNS('http://www.w3.org/2000/svg', selector.split('.')[0]), selector, attributes, children);

function make(element, selector, attributes, children) {
  const classes = selector.split('.').slice(1).join(' ');
  if (classes) element.setAttribute('class', classes);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== false) element.setAttribute(name, printable(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === 0 || child) element.append(child instanceof Node ? child : printable(child));
  }
  return element;
}

// lines returns the text of a preformatted element: lines with escapes, with their breaks kept.
const lines = (texts) => document.createTextNode(texts.map(printable).join('\n'));
const pre = (label, ...children) => h('pre', {tabindex: 0, 'aria-label': label}, h('code', {}, ...children));
const link = (address, ...children) => h('a', {href: address}, ...children);
const addressOf = (values) => '#' + new URLSearchParams(values);
const icon = (state) => svg('svg.icon.' + state, {'aria-hidden': true}, svg('use', {href: '#icon-' + state}));

// bar returns a bar of parts, 100 wide; a part is [state, count].
function bar(parts) {
  const total = parts.reduce((sum, [, n]) => sum + n, 0);
  let x = 0;
  const shares = parts.filter(([, n]) => n).map(([state, n]) => {
    const width = 100 * n / total;
    x += width;
    return svg('rect.' + state, {x: (x - width).toFixed(2), y: 0, width: width.toFixed(2), height: 4});
  });
  return svg('svg.bar', {viewBox: '0 0 100 4', preserveAspectRatio: 'none', 'aria-hidden': true}, shares);
}

// table returns a table whose first column names the rows. Explicit roles remain valid when a
// style sheet changes the display of the table.
function table(selector, caption, columns, rows) {
  const cell = (name, role, scope) => (content) => h(name, {role, scope}, content);
  return h(selector, {role: 'table'}, h('caption.hidden', {}, caption),
    h('thead', {role: 'rowgroup'}, h('tr', {role: 'row'}, columns.map(cell('th', 'columnheader', 'col')))),
    h('tbody', {role: 'rowgroup'}, rows.map(([first, ...others]) =>
      h('tr', {role: 'row'}, cell('th', 'rowheader', 'row')(first), others.map(cell('td', 'cell'))))));
}

function curl(line, label) {
  return h('div.curl', {}, pre(label, line), h('button.copy', {type: 'button'}, 'Copy'));
}

// section returns a part of the page whose heading links and the keyboard can reach.
const section = (selector, id, title, ...children) =>
  h(selector, {'aria-labelledby': id}, h('h2', {id, tabindex: -1}, title), ...children);
const number = (of, n) => h('span.number', {'data-count': of}, n);
