import { tagSearch } from '../written-thoughts.ts';
import { markdownPosition } from './markdown-position.ts';

/** The tags around a call in the text of an answer. */
export const callTag = { begin: '<tool_call>', end: '</tool_call>' } as const;

/** How a call ended: normally · not as JSON · without its closing tag, before more text · with the answer. */
export type CallEnd = 'closed' | 'broken' | 'unclosed' | 'unfinished';

/** Receives the pieces of an answer. */
export interface AnswerSink {
  text(delta: string): void;
  beginCall(): void;
  /** More of its JSON, or of what is not JSON. */
  call(delta: string): void;
  endCall(end: CallEnd): void;
}

type State = 'text' | 'tag' | 'json' | 'closing' | 'rest';

/**
 * Splits the streamed text of an answer into text and calls. A call is a JSON object in its tags, on a line of its own,
 * not in code or a quote. Holds back only what may become a tag. Reads each character once, or twice if it was held
 * back. `takesCalls`: whether there are tools.
 */
export function answerParser(takesCalls: boolean, sink: AnswerSink) {
  const position = markdownPosition();
  let state: State = 'text';
  /** What may become a tag. */
  let held = '';
  let json = jsonEnd();
  let search = tagSearch('');

  /** Ends the answer: releases the text held back, and ends an open call. */
  function end(): void {
    switch (state) {
      case 'json':
      case 'rest':
        endCall('unfinished');
        break;
      case 'closing': {
        endCall('closed');
        if (!callTag.end.startsWith(held.trimStart())) say('text', held);
        break;
      }
      case 'tag':
        say('text', held);
        break;
      case 'text':
        break;
    }
    enter('text');
  }

  function push(text: string): void {
    let at = 0;
    while (at < text.length) at = step(text, at);
  }

  /** Consumes some of the text from `at`. Returns the offset after it. */
  function step(text: string, at: number): number {
    switch (state) {
      case 'text':
        return read(text, at);
      case 'tag':
        return readTag(text.charAt(at), at);
      case 'json':
        return readJson(text, at);
      case 'closing':
        return close(text.charAt(at), at);
      case 'rest':
        return skip(text, at);
    }
  }

  function read(text: string, at: number): number {
    if (text.charAt(at) === '<' && takesCalls && position.mayBegin()) {
      enter('tag');
      return at;
    }
    const next = text.indexOf('<', at + 1);
    const end = next === -1 ? text.length : next;
    const words = text.slice(at, end);
    position.take(words);
    say('text', words);
    return end;
  }

  function readTag(character: string, at: number): number {
    const begun = held + character;
    if (callTag.begin.startsWith(begun) || opening.test(begun)) {
      held = begun;
      return at + 1;
    }
    if ((character === '"' || character === '}') && /\{\s*$/.test(held)) beginCall();
    else sayHeld(held);
    return at;
  }

  function beginCall(): void {
    const begun = held.slice(callTag.begin.length).trimStart();
    json = jsonEnd();
    for (const character of begun) json(character);
    sink.beginCall();
    say('call', begun);
    enter('json');
  }

  /** It was not a tag. */
  function sayHeld(held: string): void {
    position.take(held);
    say('text', held);
    enter('text');
  }

  function readJson(text: string, at: number): number {
    for (let end = at; end < text.length; end += 1) {
      const progress = json(text.charAt(end));
      if (progress === 'more') continue;
      const next = progress === 'end' ? end + 1 : end;
      say('call', text.slice(at, next));
      if (progress === 'end') enter('closing');
      else enterRest(false);
      return next;
    }
    say('call', text.slice(at));
    return text.length;
  }

  function close(character: string, at: number): number {
    const begun = (held + character).trimStart();
    if (begun === callTag.end || begun === callTag.begin) {
      const blanks = held.slice(0, held.length + 1 - begun.length);
      endCall('closed');
      enter('text');
      if (begun === callTag.begin) {
        push(blanks);
        push(begun);
      }
      return at + 1;
    }
    const mayBe = callTag.end.startsWith(begun) || callTag.begin.startsWith(begun);
    if (mayBe && held.length < mostBlanks) {
      held += character;
      return at + 1;
    }
    if (/[\n\r]/.test(held)) {
      endCall('unclosed');
      sayHeld(held);
    } else {
      say('call', held);
      enterRest(true);
    }
    return at;
  }

  /**
   * After broken JSON, everything up to the end tag belongs to the call; after whole JSON, at most the rest of the
   * line.
   */
  function enterRest(endsAtLine: boolean): void {
    search = tagSearch(callTag.end, endsAtLine);
    enter('rest');
  }

  function skip(text: string, at: number): number {
    const { before, found, next } = search.read(text, at);
    say('call', before);
    if (found !== 'nothing') {
      endCall(found === 'tag' ? 'broken' : 'unclosed');
      enter('text');
    }
    return next;
  }

  function enter(next: State): void {
    state = next;
    held = '';
  }

  function endCall(end: CallEnd): void {
    sink.endCall(end);
    position.takeCall();
  }

  function say(type: 'text' | 'call', delta: string): void {
    if (delta !== '') sink[type](delta);
  }

  return { push, end };
}

/** What may become a call: its tag, then the brace of its JSON. */
const opening = /^<tool_call>\s{0,64}(?:\{\s{0,64})?$/;

/** The space allowed before an end tag, in characters. */
const mostBlanks = 64;

/** The effect of a character on a JSON object: it continues · it ends with this one · this cannot be JSON. */
type JsonProgress = 'more' | 'end' | 'broken';

/** Finds the end of a JSON object, character by character. Skips strings. */
function jsonEnd() {
  let depth = 0;
  let isString = false;
  let isEscaped = false;

  return (character: string): JsonProgress => {
    if (isString) {
      if (isEscaped) isEscaped = false;
      else if (character === '\\') isEscaped = true;
      else if (character === '"') isString = false;
      return 'more';
    }
    switch (character) {
      case '"':
        isString = true;
        return 'more';
      case '{':
      case '[':
        depth += 1;
        return 'more';
      case '}':
      case ']':
        depth -= 1;
        return depth === 0 ? 'end' : 'more';
      default:
        return plain.test(character) ? 'more' : 'broken';
    }
  };
}

/**
 * The characters between strings and brackets: space, punctuation, numbers, and the letters of true, false and null.
 */
const plain = /[\s\d:,.+\-Eaeflnrstu]/;
