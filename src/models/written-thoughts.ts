/*
 * Thoughts that a model writes into its answer, where its server leaves them: in tags of many spellings, several times, or with
 * the end tag alone, because the server's template has written the first one. People would read them as the answer. Tags in
 * code, and tags that a text only mentions, stay. What may become a tag is held back; all else is passed on at once.
 */

import type { AnswerPiece } from './answer-source.ts';
import { type FoundTag, tagAt } from './thought-tags.ts';

/** `withdrawn`: all text of the answer so far was thoughts. */
export type ThoughtPiece =
  | { readonly type: 'text' | 'thoughts'; readonly delta: string }
  | { readonly type: 'withdrawn' };

export interface ThoughtReader {
  /** What is clear with the next piece of the text. */
  take(delta: string): readonly ThoughtPiece[];
  /** The rest, at the end of the text. */
  end(): readonly ThoughtPiece[];
}

interface Block {
  /** Of the tag that began it. */
  readonly tag: string;
  readonly end: RegExp;
  /** Where it stands: only at the beginning of the answer is it clear at once. */
  readonly place: 'answer' | 'line' | 'middle';
  readonly isStrong: boolean;
  /** Whether some of it is passed on as thoughts. */
  isPassedOn: boolean;
}

interface ReaderState {
  held: string;
  /** Read already, and no part of a tag. */
  pieces: ThoughtPiece[];
  block: Block | undefined;
  isHolding: boolean;
  /** The length of `held` at which a long block is read again. */
  readAgainAt: number;
  /** The text before, as far as the rules look back. */
  before: string;
  /** The text so far; its beginning is enough unless it is held. */
  said: string;
  /** Blanks before any text: people do not see them before thoughts. */
  blanks: string;
  isShown: boolean;
  isBehindThoughts: boolean;
  code: CodePosition;
}

/**
 * Reads one text. `holds`: the model has begun to think before, without a tag: nothing is passed on before the end tag. Linear
 * in the length of the text, in whatever pieces it comes.
 */
export function createThoughtReader(holds = false): ThoughtReader {
  const state: ReaderState = {
    held: '',
    pieces: [],
    block: undefined,
    isHolding: holds,
    readAgainAt: 0,
    before: '',
    said: '',
    blanks: '',
    isShown: false,
    isBehindThoughts: false,
    code: codePosition(),
  };
  return {
    take(delta) {
      state.held += delta;
      if (state.held.length < state.readAgainAt) return [];
      state.readAgainAt = 0;
      return flush(false, state);
    },
    end: () => flush(true, state),
  };
}

function pass(type: 'text' | 'thoughts', delta: string, state: ReaderState): void {
  const last = state.pieces.at(-1);
  if (delta === '') return;
  if (last !== undefined && last.type === type)
    state.pieces[state.pieces.length - 1] = { type, delta: last.delta + delta };
  else state.pieces.push({ type, delta });
}

function passText(text: string, state: ReaderState): void {
  state.code.take(text);
  state.before = (state.before + text).slice(-lookBehind);
  const clear = state.isBehindThoughts ? text.trimStart() : text;
  if (clear !== '') state.isBehindThoughts = false;
  if (state.isHolding) {
    state.said += clear;
    return;
  }
  state.blanks += clear;
  if (state.blanks.trim() === '' && state.said === '') return;
  pass('text', state.blanks, state);
  state.said ||= state.blanks.trimStart().slice(0, 8);
  state.blanks = '';
}

/** What has been read so far turns out to be thoughts. */
function withdraw(state: ReaderState): void {
  if (state.isHolding) pass('thoughts', state.said, state);
  const thoughts = state.pieces.map((piece) =>
    piece.type === 'text' ? ({ ...piece, type: 'thoughts' } as const) : piece,
  );
  state.pieces = state.isShown ? [{ type: 'withdrawn' }, ...thoughts] : thoughts;
  state.isHolding = false;
  state.isShown = false;
  state.said = '';
  state.isBehindThoughts = true;
  state.code = codePosition();
}

function read(isEnd: boolean, state: ReaderState): void {
  while (state.held !== '') {
    const hasRead = state.block === undefined ? readText(isEnd, state) : readBlock(state.block, isEnd, state);
    if (!hasRead && !isEnd) return;
    if (!hasRead && state.block !== undefined) endBlock(state.block, state);
  }
}

/** Whether something was read. */
function readText(isEnd: boolean, state: ReaderState): boolean {
  const at = state.held.search(mayBeTag);
  if (at !== 0) {
    passText(take(at === -1 ? state.held.length : at, state), state);
    return true;
  }
  const isCode = state.code.isInside();
  const found = isCode ? 'none' : tagAt(state.held, isEnd);
  if (found === 'unclear') return false;
  if (found === 'none') {
    const length = backticks.exec(state.held)?.[0].length ?? 1;
    if (!isEnd && length === state.held.length && state.held.startsWith('`')) return false;
    passText(take(length, state), state);
    return true;
  }
  return readTag(found, isEnd, state);
}

function readTag({ tag, kind, end, isStrong }: FoundTag, isEnd: boolean, state: ReaderState): boolean {
  if (kind === 'end') {
    const behind = state.held.slice(tag.length);
    if (!isEnd && behind.trimStart().length < lookAhead && behind.length < mostBlanks) return false;
    if (isMention(state.before, behind)) passText(take(tag.length, state), state);
    else {
      take(tag.length, state);
      withdraw(state);
    }
    return true;
  }
  if (kind === 'call') {
    passText(take(tag.length, state), state);
    return true;
  }
  take(tag.length, state);
  const lineBegins = /(?:^|\n)[ \t]*$/.test(state.before);
  const place = state.said.trim() === '' ? 'answer' : lineBegins ? 'line' : 'middle';
  if (place === 'answer') state.blanks = '';
  if (kind === 'begin') state.block = { tag, end, place, isStrong, isPassedOn: false };
  return true;
}

/** Whether something was read. */
function readBlock(open: Block, isEnd: boolean, state: ReaderState): boolean {
  const found = open.end.exec(state.held);
  if (found === null) {
    const isClear = open.place === 'answer' || (open.place === 'line' && open.isStrong);
    if (!open.isPassedOn && (!isClear || state.held.length < longestMention)) {
      if (state.held.length > longBlock) state.readAgainAt = state.held.length * 1.25;
      return false;
    }
    open.isPassedOn = true;
    const length = isEnd ? state.held.length : state.held.length - halfTagAtEnd(state.held);
    pass('thoughts', take(length, state), state);
    return length > 0;
  }
  const [tag] = found;
  const isQuoted = state.held[found.index - 1] === '`' && found.index + tag.length === state.held.length;
  if (isQuoted && !isEnd) return false;
  const content = take(found.index, state);
  if (!open.isPassedOn && isJoined(content)) {
    state.block = undefined;
    passText(open.tag + content, state);
    passText(take(tag.length, state), state);
    return true;
  }
  pass('thoughts', content, state);
  // What begins the next channel is read once more.
  if (!/^<\|(?:start|channel)\|>$/.test(tag)) take(tag.length, state);
  state.block = undefined;
  state.isBehindThoughts = open.place !== 'middle';
  return true;
}

/** The text has ended within it. */
function endBlock(open: Block, state: ReaderState): void {
  state.block = undefined;
  const isThought = open.isPassedOn || open.place === 'answer' || (open.place === 'line' && open.isStrong);
  if (isThought) pass('thoughts', state.held, state);
  else passText(open.tag + state.held, state);
  state.held = '';
}

function take(length: number, state: ReaderState): string {
  const taken = state.held.slice(0, length);
  state.held = state.held.slice(length);
  return taken;
}

function flush(isEnd: boolean, state: ReaderState): readonly ThoughtPiece[] {
  read(isEnd, state);
  if (isEnd && state.block !== undefined) endBlock(state.block, state);
  if (isEnd && state.isHolding) {
    state.isHolding = false;
    pass('text', state.said, state);
  }
  if (isEnd) pass('text', state.blanks, state);
  const clear = state.pieces;
  state.pieces = [];
  state.isShown ||= clear.some(({ type }) => type === 'text');
  return clear;
}

const lookBehind = 24;
/** How much behind an end tag tells whether it is only mentioned. */
const lookAhead = 8;
const mostBlanks = 64;
/** A block of more characters is not read again with each piece. */
const longBlock = 4096;
/** The longest text between two tags that are only mentioned. */
const longestMention = 16;

/** Where a tag, code or a line may begin. */
const mayBeTag = /[<[◁`]/;
const backticks = /^`+/;

/** The length of what may become a tag at the end of the text, with the quotation mark before it. */
function halfTagAtEnd(text: string): number {
  const at = Math.max(...['<', '[', '◁', '`'].map((begin) => text.lastIndexOf(begin)));
  if (at === -1 || text.length - at > mostBlanks) return 0;
  return text.length - (text[at - 1] === '`' ? at - 1 : at);
}

/** Whether a text speaks of an end tag, and does not end thoughts with it. */
function isMention(before: string, behind: string): boolean {
  if (/^\s{0,1}[.,;:!?'"”’)\]）」』。，、；：！？]/.test(behind)) return true;
  if (/^\s{0,2}(?:tags?|tokens?|elements?|markers?|标签|标记|标志|タグ|태그)/i.test(behind)) return true;
  return /[ \t"'“‘(（「『]$/.test(before) && /^(?:[ \t]|$)/.test(behind);
}

/** Whether the text between two tags only joins them: "<think> and </think>". */
function isJoined(content: string): boolean {
  return /^\s*(?:and|or|to|und|oder|et|ou|y|e|и|和|与|或|到|と|및|\.{2,3}|…|[,/、-])\s*$/iu.test(content);
}

/** Whether a place in Markdown is code: in a fence, or between backticks of a line. */
interface CodePosition {
  /** The text goes on. */
  take(text: string): void;
  isInside(): boolean;
}

function codePosition(): CodePosition {
  let fence: string | undefined;
  let inline = 0;
  let lineBegin = '';

  function takeRun(run: string): void {
    const isFence = run.length >= 3 && /^[ \t>]*$/.test(lineBegin);
    if (fence !== undefined) {
      if (isFence && run.length >= fence.length) fence = undefined;
    } else if (isFence) fence = run;
    else if (inline === 0) inline = run.length;
    else if (inline === run.length) inline = 0;
    lineBegin += run;
  }

  return {
    isInside: (): boolean => fence !== undefined || inline > 0,
    take(text: string): void {
      for (const part of text.split(/(`+|\n)/)) {
        if (part.startsWith('`')) takeRun(part);
        else if (part === '\n') {
          lineBegin = '';
          inline = 0;
        } else lineBegin = (lineBegin + part).slice(0, mostBlanks);
      }
    },
  };
}

type Withdrawal = { readonly type: 'text-withdrawn' };

/**
 * Takes thoughts out of the text of one answer, piece by piece. Once the text of an answer was withdrawn, the next ones are held
 * until their thoughts end.
 */
export function createWrittenThoughts() {
  let holds = false;

  return () => {
    let reader = createThoughtReader(holds);
    let hasEnded = !holds;

    function* toParts(pieces: readonly ThoughtPiece[]): Generator<AnswerPiece | Withdrawal> {
      for (const piece of pieces) {
        switch (piece.type) {
          case 'withdrawn':
            holds = true;
            yield { type: 'text-withdrawn' };
            break;
          case 'thoughts':
            hasEnded = true;
            yield { type: 'reasoning-delta', id: 'written', delta: piece.delta };
            break;
          case 'text':
            // It has written no thoughts this time.
            if (!hasEnded) holds = false;
            yield { type: 'text-delta', id: 'written', delta: piece.delta };
        }
      }
    }

    /** Gives the pieces that replace the piece. */
    return function* (piece: AnswerPiece): Generator<AnswerPiece | Withdrawal> {
      const isSigned =
        (piece.type === 'text-start' || piece.type === 'text-delta') && piece.providerMetadata !== undefined;
      if (isSigned) {
        yield* toParts(reader.end());
        return yield piece;
      }
      switch (piece.type) {
        case 'text-start':
          // Thoughts may come before it, and the first delta also starts a text.
          return;
        case 'text-delta':
          return yield* toParts(reader.take(piece.delta));
        case 'text-end':
        case 'finish':
          yield* toParts(reader.end());
          reader = createThoughtReader();
      }
      yield piece;
    };
  };
}
