// Markdown by markdown-it: CommonMark with tables, as GitHub shows summaries.
import markdownit from 'markdown-it';

export function readMarkdown(text) {
  const problems = [];
  const tokens = markdownit({html: true}).parse(text, {});
  for (const token of tokens) {
    const line = token.map ? `line ${token.map[0] + 1}: ` : '';
    for (const part of [token, ...(token.children ?? [])]) {
      if (part.type === 'html_block' || part.type === 'html_inline') problems.push(`${line}raw HTML: ${part.content.trim().slice(0, 80)}`);
      if (part.type === 'image') problems.push(`${line}an image, which whoever reads the summary would fetch`);
    }
  }
  // A row that is no row: the table ended early, or never began.
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'inline' && tokens[i - 1]?.type === 'paragraph_open' && /^\|/m.test(token.content)) {
      problems.push(`line ${token.map[0] + 1}: a row outside of a table: ${token.content.slice(0, 80)}`);
    }
  }
  if (!tokens.some(token => token.type === 'heading_open')) problems.push('has no heading');
  return problems;
}
