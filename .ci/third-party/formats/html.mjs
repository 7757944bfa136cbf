// HTML by html-validate, for what the standard allows, and by parse5, the
// standard's parser, for what a browser would make of it: nothing fetched or run.
import {HtmlValidate} from 'html-validate';
import {parse} from 'parse5';

const standard = new HtmlValidate({extends: ['html-validate:standard']});

const fetched = {link: ['href'], script: ['src'], img: ['src', 'srcset'], iframe: ['src'], object: ['data'], source: ['src', 'srcset'], form: ['action'], base: ['href'], use: ['href'], image: ['href']};

export async function readHTML(text) {
  const {results} = await standard.validateString(text);
  const problems = results.flatMap(r => r.messages.map(m => `line ${m.line}: ${m.message} (${m.ruleId})`));
  const document = parse(text, {
    sourceCodeLocationInfo: true,
    onParseError: e => problems.push(`line ${e.startLine}: ${e.code}`),
  });
  let policy = false;
  let title = false;
  (function visit(node) {
    const attributes = Object.fromEntries((node.attrs ?? []).map(a => [a.name, a.value]));
    const line = node.sourceCodeLocation ? `line ${node.sourceCodeLocation.startLine}: ` : '';
    for (const name of fetched[node.nodeName] ?? []) {
      const value = attributes[name];
      if (value !== undefined && !/^(data:|#)/.test(value)) problems.push(`${line}<${node.nodeName}> fetches ${value.slice(0, 80)}`);
    }
    for (const name of Object.keys(attributes)) {
      if (name.startsWith('on')) problems.push(`${line}<${node.nodeName}> has the handler ${name}`);
    }
    if (/^\s*javascript:/i.test(attributes.href ?? '')) problems.push(`${line}a link runs a script`);
    if (node.nodeName === 'meta' && attributes['http-equiv']?.toLowerCase() === 'content-security-policy') {
      policy ||= /default-src 'none'/.test(attributes.content ?? '');
    }
    title ||= node.nodeName === 'title' && node.childNodes.some(child => child.value?.trim());
    for (const child of node.childNodes ?? []) visit(child);
    if (node.content) visit(node.content);
  })(document);
  if (!policy) problems.push("has no Content-Security-Policy with default-src 'none'");
  if (!title) problems.push('has no title');
  return problems;
}
