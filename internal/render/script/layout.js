// Where in a body a pointer leads.
const maxIndents = 12;

// layOut indents a JSON text, which may be cut off, and finds the lines of the value at a
// pointer, or else of its nearest parent. It changes nothing else: numbers, escapes and repeated
// names stay as they were sent. It returns null for anything but an object or array.
function layOut(text, pointer) {
  if (!/^\s*[[{]/.test(text)) return null;
  const path = pointer.startsWith('/') ? pointer.slice(1).split('/').map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~')) : [];
  const out = [''], open = []; // open: the containers around the place, innermost last
  const mark = {from: -1, to: -1, depth: -1};
  const append = (t) => { out[out.length - 1] += t; };
  const begin = (depth) => out.push('  '.repeat(Math.min(depth, maxIndents)));
  // isOnPath reports whether a name or a value leads to the place, and records the first line.
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
