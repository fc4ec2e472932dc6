import { hexDumpSpans } from './hex-dump.ts';
import { KnownTexts, type Span } from './known-texts.ts';
import { shapedSpans } from './shapes.ts';
import { hexOf, spellingsOf } from './spellings.ts';

/** Takes secrets out of a text. */
export type Redactor = (text: string) => string;

export interface RedactorOptions {
  /** What is known to be secret. */
  readonly secrets: readonly string[];
  /** A known secret of fewer characters is not looked for: it stands in too many texts by chance. Default 6, at least 4. */
  readonly shortest?: number;
}

/**
 * Replaces what is known to be secret, in every usual spelling, by `[secret]`, and what has the shape of one by
 * `[secret: kind]`. Secrets that overlap or hold each other go as a whole. Takes time in proportion to the text, whatever
 * the text is. It is a net and no wall: who wants to hide a secret from it, by writing it backwards, can.
 */
export function redactor({ secrets, shortest = 6 }: RedactorOptions): Redactor {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= Math.max(4, shortest));
  const spelled = new KnownTexts(known.flatMap(spellingsOf));
  let dumped: KnownTexts | undefined;
  const inDumps = (): KnownTexts => {
    dumped ??= new KnownTexts(known.map(hexOf));
    return dumped;
  };
  return (text) => {
    const spans = [...spelled.find(text), ...hexDumpSpans(text, inDumps), ...shapedSpans(text)];
    return spans.length === 0 ? text : replace(text, spans);
  };
}

/** Leaves the text as it is. */
export const noRedaction: Redactor = (text) => text;

function replace(text: string, spans: readonly Span[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, kind } of merged(spans)) {
    parts.push(text.slice(done, start), kind === undefined ? '[secret]' : `[secret: ${kind}]`);
    done = end;
  }
  return [...parts, text.slice(done)].join('');
}

/** What overlaps is one; it has a kind if both have the same. */
function merged(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last === undefined || span.start >= last.end) all.push(span);
    else all[all.length - 1] = union(last, span);
  }
  return all;
}

function union(a: Span, b: Span): Span {
  const kind = a.kind === b.kind ? a.kind : undefined;
  return { start: a.start, end: Math.max(a.end, b.end), ...(kind === undefined ? {} : { kind }) };
}
