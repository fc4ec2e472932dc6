/** A piece of an HTML source. Comments, declarations and what is no content (scripts, styles) are not among them. */
export type HtmlToken =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'open'; readonly name: string; readonly attributes: string; readonly isVoid: boolean }
  | { readonly type: 'close'; readonly name: string };

const voidElements: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);
/** Their content is no markup, and nothing to read either. */
const rawElements: ReadonlySet<string> = new Set(
  'script style noscript template iframe textarea noembed xmp'.split(' '),
);

/** The pieces of the source in their order. Takes time in proportion to its length, whatever it holds. */
export function* htmlTokens(html: string): Generator<HtmlToken, void> {
  for (let at = 0; at < html.length; ) {
    const start = html.indexOf('<', at);
    if (start === -1) return yield { type: 'text', text: html.slice(at) };
    if (start > at) yield { type: 'text', text: html.slice(at, start) };
    const next = html.charAt(start + 1);
    if (next === '!' || next === '?') {
      at = endOfDeclaration(html, start);
      continue;
    }
    if (!/[a-z/]/i.test(next)) {
      yield { type: 'text', text: '<' };
      at = start + 1;
      continue;
    }
    const end = endOfTag(html, start + 1);
    const token = tagToken(html.slice(start + 1, end - 1));
    yield token;
    at = token.type === 'open' && rawElements.has(token.name) ? endOfRaw(html, end, token.name) : end;
  }
}

/** An end of the source before the end of a comment or tag: all that follows belongs to it. */
function endOfDeclaration(html: string, start: number): number {
  const mark = html.startsWith('<!--', start) ? '-->' : '>';
  // `<!-->` is a whole comment.
  const found = html.indexOf(mark, start + 2);
  return found === -1 ? html.length : found + mark.length;
}

/** Behind the `>`; one within a quoted value does not count. */
function endOfTag(html: string, start: number): number {
  const marks = /[>=]/g;
  for (let at = start; ; ) {
    marks.lastIndex = at;
    const found = marks.exec(html);
    if (found === null) return html.length + 1;
    if (found[0] === '>') return found.index + 1;
    at = found.index + 1;
    while (/\s/.test(html.charAt(at))) at += 1;
    const quote = html.charAt(at);
    if (quote !== '"' && quote !== "'") continue;
    const closing = html.indexOf(quote, at + 1);
    if (closing === -1) return html.length + 1;
    at = closing + 1;
  }
}

function tagToken(tag: string): HtmlToken {
  const name = (/^\/?([^\s/>]*)/.exec(tag)?.[1] ?? '').toLowerCase();
  if (tag.startsWith('/')) return { type: 'close', name };
  return { type: 'open', name, attributes: tag.slice(name.length), isVoid: voidElements.has(name) };
}

function endOfRaw(html: string, start: number, name: string): number {
  const close = new RegExp(`</${name}`, 'gi');
  close.lastIndex = start;
  return close.exec(html)?.index ?? html.length;
}
