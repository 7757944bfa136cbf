// What differs between two texts, and where in a body a pointer leads.

// compareWords gives both texts in parts that are by turns the same and different. Texts that
// have little in common are not marked: all would be.
function compareWords(a, b) {
  const split = (text) => text.match(/[\p{L}\p{N}_]+|\s+|./gsu) || [];
  const x = split(a), y = split(b);
  // common[i][j] is the length of what x from i and y from j have in common.
  const common = Array.from({length: x.length + 1}, () => new Array(y.length + 1).fill(0));
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--) {
      common[i][j] = x[i] === y[j] ? common[i + 1][j + 1] + x[i].length : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  if (3 * common[0][0] < Math.max(a.length, b.length)) return [[a], [b]];
  const left = [], right = [];
  const add = (parts, text, differs) => {
    if (parts.length === 0) parts.push('');
    if ((parts.length % 2 === 0) !== differs) parts.push('');
    parts[parts.length - 1] += text;
  };
  for (let i = 0, j = 0; i < x.length || j < y.length;) {
    if (i < x.length && j < y.length && x[i] === y[j]) {
      add(left, x[i++], false);
      add(right, y[j++], false);
    } else if (j === y.length || (i < x.length && common[i + 1][j] >= common[i][j + 1])) {
      add(left, x[i++], true);
    } else {
      add(right, y[j++], true);
    }
  }
  return [left, right];
}

const maxIndents = 12;

// layOut indents a JSON text, which may be cut off, and finds the lines of the value at a
// pointer, or else of its nearest parent. It changes nothing else: numbers, escapes and names
// that come twice stay as they were sent. It is null for what is no object and no array.
function layOut(text, pointer) {
  if (!/^\s*[[{]/.test(text)) return null;
  const path = pointer.startsWith('/') ? pointer.slice(1).split('/').map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~')) : [];
  const out = [''], open = []; // open: the containers around the place, innermost last
  const mark = {from: -1, to: -1, depth: -1};
  const append = (t) => { out[out.length - 1] += t; };
  const begin = (depth) => out.push('  '.repeat(Math.min(depth, maxIndents)));
  // isOnPath says whether a name or a value leads to the place, and notes the line of the first.
  const isOnPath = () => {
    const top = open.at(-1);
    const onPath = !top || (top.onPath && path[open.length - 1] === String(top.isArray ? top.items : top.name));
    if (onPath && open.length > mark.depth) Object.assign(mark, {from: out.length - 1, to: out.length - 1, depth: open.length});
    return onPath;
  };
  const token = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/suy;
  let at = 0;
  for (let m; (m = token.exec(text)); at = token.lastIndex) {
    const t = m[1], top = open.at(-1);
    if (t === '}' || t === ']') {
      if (!top) break;
      open.pop();
      if (top.filled) begin(open.length);
      append(t);
      if (top.marks) mark.to = out.length - 1;
    } else if (t === ',') {
      if (!top) break;
      append(t);
      begin(open.length);
      Object.assign(top, {items: top.items + 1, name: undefined});
    } else if (t === ':') {
      append(': ');
    } else {
      if (!top && at > 0) break; // behind the end
      if (top && !top.filled) begin(open.length);
      if (top) top.filled = true;
      if (top && !top.isArray && top.name === undefined) {
        top.name = nameOf(t);
        append(t);
        isOnPath();
        continue;
      }
      const onPath = isOnPath();
      append(t);
      if (t === '{' || t === '[') {
        const marks = onPath && open.length === path.length && mark.from === out.length - 1;
        open.push({isArray: t === '[', items: 0, filled: false, name: undefined, onPath, marks});
      }
    }
  }
  const rest = text.slice(at).trim().replace(/\s+/g, ' ');
  if (rest) append(rest);
  if (!pointer.startsWith('/')) return {lines: out, from: -1, to: -1, exact: true};
  return {lines: out, from: mark.from, to: mark.to, exact: mark.depth === path.length};
}

function nameOf(token) {
  try {
    return JSON.parse(token);
  } catch {
    return token;
  }
}
