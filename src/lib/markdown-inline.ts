import { addressEnd } from './address-end.ts';

/** A part of a paragraph. `prose` may be changed; `kept` is code, an address or an escape; `tag` is HTML. */
export interface InlinePart {
  readonly type: 'prose' | 'kept' | 'tag';
  readonly text: string;
}

const special =
  /<!--|<\/?[a-z][a-z0-9]{0,9}(?:\s[^<>]*)?\/?>|\\[!-/:-@[-`{-~]|`+|<[a-z][\w+.-]*:[^\s<>]*>|(?<![a-z])https?:\/\/[^\s<>]{1,4000}|\]\([^\s()]*\)/gi;

/** Takes a paragraph apart: code spans, tags, addresses, and the prose between. */
export function inlineParts(text: string): readonly InlinePart[] {
  const parts: InlinePart[] = [];
  const closing = closingTicks(text);
  const commentEnd = text.lastIndexOf('-->');
  let done = 0;
  const push = (type: InlinePart['type'], from: number, to: number): void => {
    if (from > done) parts.push({ type: 'prose', text: text.slice(done, from) });
    parts.push({ type, text: text.slice(from, to) });
    done = to;
  };
  const marks = new RegExp(special);
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const { 0: found, index } = match;
    if (index < done) continue;
    const end = index + found.length;
    if (found === '<!--') {
      if (commentEnd > index) push('tag', index, text.indexOf('-->', index) + 3);
    } else if (found.startsWith('`')) push('kept', index, closing(index, found.length) ?? end);
    else if (found.startsWith('\\')) {
      // Whether a backslash escapes a star or belongs to a path shows in the words around it.
      if (found === '\\`' || found === '\\<') push('kept', index, end);
    } else if (/^https?:/i.test(found)) {
      push('kept', index, index + addressEnd(found));
      marks.lastIndex = done;
    } else push(isTag(found) ? 'tag' : 'kept', index, end);
  }
  if (done < text.length) parts.push({ type: 'prose', text: text.slice(done) });
  return parts;
}

function isTag(found: string): boolean {
  return /^<\/?[a-z][a-z0-9]*(?:[\s/>])/i.test(found);
}

/** Where the code ends that begins with so many backticks there. */
function closingTicks(text: string): (from: number, length: number) => number | undefined {
  const places = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const same = places.get(run.length) ?? [];
    same.push(index);
    places.set(run.length, same);
  }
  return (from, length) => {
    const same = places.get(length) ?? [];
    while (same.length > 0 && (same[0] ?? 0) <= from) same.shift();
    const [end] = same;
    return end === undefined ? undefined : end + length;
  };
}
