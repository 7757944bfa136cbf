// A list shows the first items that match and the others on demand, so that thousands of
// items cost no more than the first ones.
class List {
  constructor(parent, render, step) {
    Object.assign(this, {parent, render, step, items: [], shown: 0});
    this.button = h('button', {type: 'button'});
    this.button.addEventListener('click', () => {
      const from = this.shown;
      this.extend(from + this.step);
      const first = this.parent.children[from];
      const target = first && (first.hasAttribute('tabindex') ? first : first.querySelector('summary'));
      if (target) target.focus({preventScroll: true});
    });
    this.bar = h('p.more', {}, this.button);
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

  // reveal shows an item and returns its element.
  reveal(item) {
    const at = this.items.indexOf(item);
    if (at < 0) return null;
    if (at >= this.shown) this.extend(at + 1);
    return this.parent.children[at];
  }
}

// whenOpened returns a details element that is filled when it is first opened.
function whenOpened(summary, content) {
  const details = h('details', {}, h('summary', {}, summary));
  details.fill = () => {
    details.fill = () => {};
    details.append(content());
  };
  details.addEventListener('toggle', () => { if (details.open) details.fill(); });
  return details;
}
