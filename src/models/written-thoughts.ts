/*
 * Thoughts that a model writes into its answer, where its server leaves them: in tags of many spellings, several times, or with
 * the end tag alone, because the server's template has written the first one. People would read them as the answer. Tags in
 * code, and tags that a text only mentions, stay. What may become a tag is held back; all else is passed on at once.
 */

import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
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

/**
 * Reads one text. `holds`: the model has begun to think before, without a tag: nothing is passed on before the end tag. Linear
 * in the length of the text, in whatever pieces it comes.
 */
export function createThoughtReader(holds = false): ThoughtReader {
  let held = '';
  /** Read already, and no part of a tag. */
  let pieces: ThoughtPiece[] = [];
  let block: Block | undefined;
  let isHolding = holds;
  /** The length of `held` at which a long block is read again. */
  let readAgainAt = 0;
  /** The text before, as far as the rules look back. */
  let before = '';
  /** The text so far; its beginning is enough unless it is held. */
  let said = '';
  /** Blanks before any text: people do not see them before thoughts. */
  let blanks = '';
  let isShown = false;
  let isBehindThoughts = false;
  let code = codePosition();

  function pass(type: 'text' | 'thoughts', delta: string): void {
    const last = pieces.at(-1);
    if (delta === '') return;
    if (last !== undefined && last.type === type) pieces[pieces.length - 1] = { type, delta: last.delta + delta };
    else pieces.push({ type, delta });
  }

  function passText(text: string): void {
    code.take(text);
    before = (before + text).slice(-lookBehind);
    const clear = isBehindThoughts ? text.trimStart() : text;
    if (clear !== '') isBehindThoughts = false;
    if (isHolding) {
      said += clear;
      return;
    }
    blanks += clear;
    if (blanks.trim() === '' && said === '') return;
    pass('text', blanks);
    said ||= blanks.trimStart().slice(0, 8);
    blanks = '';
  }

  /** What has been read so far turns out to be thoughts. */
  function withdraw(): void {
    if (isHolding) pass('thoughts', said);
    const thoughts = pieces.map((piece) => (piece.type === 'text' ? ({ ...piece, type: 'thoughts' } as const) : piece));
    pieces = isShown ? [{ type: 'withdrawn' }, ...thoughts] : thoughts;
    isHolding = false;
    isShown = false;
    said = '';
    isBehindThoughts = true;
    code = codePosition();
  }

  function read(isEnd: boolean): void {
    while (held !== '') {
      const hasRead = block === undefined ? readText(isEnd) : readBlock(block, isEnd);
      if (!hasRead && !isEnd) return;
      if (!hasRead && block !== undefined) endBlock(block);
    }
  }

  /** Whether something was read. */
  function readText(isEnd: boolean): boolean {
    const at = held.search(mayBeTag);
    if (at !== 0) {
      passText(take(at === -1 ? held.length : at));
      return true;
    }
    const isCode = code.isInside();
    const found = isCode ? 'none' : tagAt(held, isEnd);
    if (found === 'unclear') return false;
    if (found === 'none') {
      const length = backticks.exec(held)?.[0].length ?? 1;
      if (!isEnd && length === held.length && held.startsWith('`')) return false;
      passText(take(length));
      return true;
    }
    return readTag(found, isEnd);
  }

  function readTag({ tag, kind, end, isStrong }: FoundTag, isEnd: boolean): boolean {
    if (kind === 'end') {
      const behind = held.slice(tag.length);
      if (!isEnd && behind.trimStart().length < lookAhead && behind.length < mostBlanks) return false;
      if (isMention(before, behind)) passText(take(tag.length));
      else {
        take(tag.length);
        withdraw();
      }
      return true;
    }
    if (kind === 'call') {
      passText(take(tag.length));
      return true;
    }
    take(tag.length);
    const lineBegins = /(?:^|\n)[ \t]*$/.test(before);
    const place = said.trim() === '' ? 'answer' : lineBegins ? 'line' : 'middle';
    if (place === 'answer') blanks = '';
    if (kind === 'begin') block = { tag, end, place, isStrong, isPassedOn: false };
    return true;
  }

  /** Whether something was read. */
  function readBlock(open: Block, isEnd: boolean): boolean {
    const found = open.end.exec(held);
    if (found === null) {
      const isClear = open.place === 'answer' || (open.place === 'line' && open.isStrong);
      if (!open.isPassedOn && (!isClear || held.length < longestMention)) {
        if (held.length > longBlock) readAgainAt = held.length * 1.25;
        return false;
      }
      open.isPassedOn = true;
      const length = isEnd ? held.length : held.length - halfTagAtEnd(held);
      pass('thoughts', take(length));
      return length > 0;
    }
    const [tag] = found;
    const isQuoted = held[found.index - 1] === '`' && found.index + tag.length === held.length;
    if (isQuoted && !isEnd) return false;
    const content = take(found.index);
    if (!open.isPassedOn && isJoined(content)) {
      block = undefined;
      passText(open.tag + content);
      passText(take(tag.length));
      return true;
    }
    pass('thoughts', content);
    // What begins the next channel is read once more.
    if (!/^<\|(?:start|channel)\|>$/.test(tag)) take(tag.length);
    block = undefined;
    isBehindThoughts = open.place !== 'middle';
    return true;
  }

  /** The text has ended within it. */
  function endBlock(open: Block): void {
    block = undefined;
    const isThought = open.isPassedOn || open.place === 'answer' || (open.place === 'line' && open.isStrong);
    if (isThought) pass('thoughts', held);
    else passText(open.tag + held);
    held = '';
  }

  function take(length: number): string {
    const taken = held.slice(0, length);
    held = held.slice(length);
    return taken;
  }

  function flush(isEnd: boolean): readonly ThoughtPiece[] {
    read(isEnd);
    if (isEnd && block !== undefined) endBlock(block);
    if (isEnd && isHolding) {
      isHolding = false;
      pass('text', said);
    }
    if (isEnd) pass('text', blanks);
    const clear = pieces;
    pieces = [];
    isShown ||= clear.some(({ type }) => type === 'text');
    return clear;
  }

  return {
    take(delta) {
      held += delta;
      if (held.length < readAgainAt) return [];
      readAgainAt = 0;
      return flush(false);
    },
    end: () => flush(true),
  };
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
function codePosition() {
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

    function* toParts(pieces: readonly ThoughtPiece[]): Generator<LanguageModelV4StreamPart | Withdrawal> {
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
    return function* (piece: LanguageModelV4StreamPart): Generator<LanguageModelV4StreamPart | Withdrawal> {
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
