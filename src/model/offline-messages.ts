import { blankParagraphQuotes } from './phrase-text.ts';

/** A piece of what the model is given in the user's name. */
export type UserPiece =
  /** What a call that nobody waited for came to, or what else Keyturn reports. */
  | { readonly type: 'news'; readonly text: string }
  /** A run ended without an answer: what was asked before it waits for none. */
  | { readonly type: 'run-ended'; readonly text: string }
  /** What a person has sent: where it stands, and what it is. */
  | { readonly type: 'file'; readonly text: string }
  /** A paragraph of a person's message. Messages that waited together are paragraphs of one text. */
  | { readonly type: 'said'; readonly text: string };

/** Takes a user text apart: the events of Keyturn, and what people say before, between and after them. */
export function readUserText(text: string): readonly UserPiece[] {
  const pieces: UserPiece[] = [];
  let from = 0;
  for (let begin = text.indexOf(opening); begin >= 0; begin = text.indexOf(opening, from)) {
    pieces.push(...paragraphs(text.slice(from, begin)));
    const found = text.indexOf(closing, begin);
    const end = found < 0 ? text.length : found;
    pieces.push(readEvent(text.slice(begin, end)));
    from = Math.min(text.length, end + closing.length);
  }
  const last = paragraphs(text.slice(from));
  // A message without words is one too, and gets an answer.
  return pieces.length === 0 && last.length === 0 ? [{ type: 'said', text: '' }] : [...pieces, ...last];
}

/** Nobody but Keyturn can write these: they are taken out of all other text. */
const opening = '<keyturn_event';
const closing = '</keyturn_event>';

function readEvent(event: string): UserPiece {
  const headEnd = event.indexOf('>') + 1;
  const text = event.slice(headEnd).trim();
  return { type: event.slice(0, headEnd).includes('kind="run_ended"') ? 'run-ended' : 'news', text };
}

/** In a group, the first line of a message begins with its sender, and the others are indented. */
const fileLine = /^(?:\[[^\]\n]{0,64}\] | {2})?\[file: ([^\]\n]*)\]$/gm;
/** Whose message it is in a group, and that it was spoken. */
const marks = /^(?:\[[^\]\n]{0,64}\] ){1,2}(?=\S)/;
/** What a message answers stands before it, as a quotation. */
const quotation = /^\[in reply to [^\]\n]{0,64}:\]\n(?:>.*\n)*/;

/** A blank line ends a sentence, but in quotes. Spaces do not make a line blank: in a group, such a line goes on. */
function paragraphs(whole: string): readonly UserPiece[] {
  const pieces: UserPiece[] = [];
  const text = whole.replaceAll(fileLine, (_line, file: string) => {
    pieces.push({ type: 'file', text: file });
    return '';
  });
  let from = 0;
  for (const gap of [...blankParagraphQuotes(text).matchAll(/(?:\r?\n){2,}/g), undefined]) {
    const paragraph = text.slice(from, gap?.index).trim().replace(quotation, '').replace(marks, '');
    if (paragraph !== '') pieces.push({ type: 'said', text: paragraph });
    if (gap !== undefined) from = gap.index + gap[0].length;
  }
  return pieces;
}
