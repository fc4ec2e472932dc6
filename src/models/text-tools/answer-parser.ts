import { MarkdownPosition } from './markdown-position.ts';
import { TagSearch } from './tag-search.ts';

/** What stands around a call in the text of an answer. */
export const callTag = { begin: '<tool_call>', end: '</tool_call>' } as const;

/** How a call ended: as it should · with what cannot be JSON · its tag was not closed, though more was written · the answer ended in it. */
export type CallEnd = 'closed' | 'broken' | 'unclosed' | 'unfinished';

/** A piece of an answer. The text of a call is its JSON, as far as there is any. */
export type AnswerPiece =
  | { readonly type: 'text' | 'call'; readonly delta: string }
  | { readonly type: 'call-begin' }
  | { readonly type: 'call-end'; readonly end: CallEnd };

type State = 'text' | 'tag' | 'json' | 'closing' | 'rest';

/**
 * Takes the text of an answer apart, as it comes. A call is what stands in its tag on a line of its own, and begins as a
 * JSON object; in code and quotations there is none. Holds back no more than what may be a tag. Looks at each character
 * once, or twice where it was held back.
 */
export class AnswerParser {
  readonly #takesCalls: boolean;
  readonly #position = new MarkdownPosition();
  #state: State = 'text';
  /** What may become a tag, or not. */
  #held = '';
  #json = new JsonEnd();
  #search = new TagSearch('');
  #pieces: AnswerPiece[] = [];

  /** `takesCalls`: whether there are tools to call. */
  constructor(takesCalls: boolean) {
    this.#takesCalls = takesCalls;
  }

  /** The next of the answer. Returns what it tells. */
  push(delta: string): readonly AnswerPiece[] {
    this.#run(delta);
    return this.#taken();
  }

  /** Nothing follows. Returns what was held back, and the end of a call that stands open. */
  end(): readonly AnswerPiece[] {
    switch (this.#state) {
      case 'json':
      case 'rest':
        this.#endCall('unfinished');
        break;
      case 'closing': {
        this.#endCall('closed');
        if (!callTag.end.startsWith(this.#held.trimStart())) this.#say('text', this.#held);
        break;
      }
      case 'tag':
        this.#say('text', this.#held);
        break;
      case 'text':
        break;
    }
    this.#enter('text');
    return this.#taken();
  }

  #taken(): readonly AnswerPiece[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #run(text: string): void {
    let at = 0;
    while (at < text.length) at = this.#step(text, at);
  }

  /** Takes some of the text from there on. Returns the place behind it. */
  #step(text: string, at: number): number {
    switch (this.#state) {
      case 'text':
        return this.#read(text, at);
      case 'tag':
        return this.#readTag(text.charAt(at), at);
      case 'json':
        return this.#readJson(text, at);
      case 'closing':
        return this.#close(text.charAt(at), at);
      case 'rest':
        return this.#skip(text, at);
    }
  }

  #read(text: string, at: number): number {
    let end = at;
    for (; end < text.length; end += 1) {
      const character = text.charAt(end);
      if (character === '<' && this.#takesCalls && this.#position.mayBegin) break;
      this.#position.take(character);
    }
    this.#say('text', text.slice(at, end));
    if (end < text.length) this.#enter('tag');
    return end;
  }

  #readTag(character: string, at: number): number {
    const begun = this.#held + character;
    if (callTag.begin.startsWith(begun) || opening.test(begun)) {
      this.#held = begun;
      return at + 1;
    }
    if ((character === '"' || character === '}') && /\{\s*$/.test(this.#held)) this.#beginCall();
    else this.#sayHeld(this.#held);
    return at;
  }

  #beginCall(): void {
    const begun = this.#held.slice(callTag.begin.length).trimStart();
    this.#json = new JsonEnd();
    for (const character of begun) this.#json.take(character);
    this.#pieces.push({ type: 'call-begin' });
    this.#say('call', begun);
    this.#enter('json');
  }

  /** It was no tag. */
  #sayHeld(held: string): void {
    this.#position.take(held);
    this.#say('text', held);
    this.#enter('text');
  }

  #readJson(text: string, at: number): number {
    for (let end = at; end < text.length; end += 1) {
      const progress = this.#json.take(text.charAt(end));
      if (progress === 'more') continue;
      const next = progress === 'end' ? end + 1 : end;
      this.#say('call', text.slice(at, next));
      if (progress === 'end') this.#enter('closing');
      else this.#enterRest(false);
      return next;
    }
    this.#say('call', text.slice(at));
    return text.length;
  }

  #close(character: string, at: number): number {
    const begun = (this.#held + character).trimStart();
    if (begun === callTag.end || begun === callTag.begin) {
      const blanks = this.#held.slice(0, this.#held.length + 1 - begun.length);
      this.#endCall('closed');
      this.#enter('text');
      if (begun === callTag.begin) {
        this.#run(blanks);
        this.#run(begun);
      }
      return at + 1;
    }
    const mayBe = callTag.end.startsWith(begun) || callTag.begin.startsWith(begun);
    if (mayBe && this.#held.length < mostBlanks) {
      this.#held += character;
      return at + 1;
    }
    if (/[\n\r]/.test(this.#held)) {
      this.#endCall('unclosed');
      this.#sayHeld(this.#held);
    } else {
      this.#say('call', this.#held);
      this.#enterRest(true);
    }
    return at;
  }

  /** What is no JSON belongs to the call up to its end tag; behind whole JSON, no further than the line. */
  #enterRest(endsAtLine: boolean): void {
    this.#search = new TagSearch(callTag.end, endsAtLine);
    this.#enter('rest');
  }

  #skip(text: string, at: number): number {
    const { before, found, next } = this.#search.read(text, at);
    this.#say('call', before);
    if (found !== 'nothing') {
      this.#endCall(found === 'tag' ? 'broken' : 'unclosed');
      this.#enter('text');
    }
    return next;
  }

  #enter(state: State): void {
    this.#state = state;
    this.#held = '';
  }

  #endCall(end: CallEnd): void {
    this.#pieces.push({ type: 'call-end', end });
    this.#position.takeCall();
  }

  #say(type: 'text' | 'call', delta: string): void {
    if (delta === '') return;
    const last = this.#pieces.at(-1);
    if (last?.type === type) this.#pieces[this.#pieces.length - 1] = { type, delta: last.delta + delta };
    else this.#pieces.push({ type, delta });
  }
}

/** What may become a call, or not: its tag, and behind that the brace of its JSON. */
const opening = /^<tool_call>\s{0,64}(?:\{\s{0,64})?$/;

/** How much space may stand in front of an end tag, in characters. */
const mostBlanks = 64;

/** What a character means for a JSON object: it goes on · it has ended with this one · this cannot be JSON. */
type JsonProgress = 'more' | 'end' | 'broken';

/** Finds the end of a JSON object that comes character by character. Knows strings, so that anything may stand in them. */
class JsonEnd {
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  take(character: string): JsonProgress {
    if (this.#isString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === '\\') this.#isEscaped = true;
      else if (character === '"') this.#isString = false;
      return 'more';
    }
    switch (character) {
      case '"':
        this.#isString = true;
        return 'more';
      case '{':
      case '[':
        this.#depth += 1;
        return 'more';
      case '}':
      case ']':
        this.#depth -= 1;
        return this.#depth === 0 ? 'end' : 'more';
      default:
        return plain.test(character) ? 'more' : 'broken';
    }
  }
}

/** What may stand between strings and brackets: space, marks, numbers, and the letters of true, false and null. */
const plain = /[\s\d:,.+\-Eaeflnrstu]/;
