import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

/**
 * Takes thoughts out of a text that begins with `<think>` tags: many servers leave them there, and people would read
 * them as the answer. Takes the pieces of one answer, in order.
 */
export function writtenThoughts() {
  let state: 'beginning' | 'thoughts' | 'behind-thoughts' | 'text' = 'beginning';
  /** What may become a tag. */
  let held = '';
  let endTag = '';

  function takeText(delta: string): readonly LanguageModelV4StreamPart[] {
    held += delta;
    switch (state) {
      case 'beginning': {
        const begun = held.trimStart();
        const tag = thoughtTags.find(({ begin }) => begun.startsWith(begin));
        if (tag !== undefined) {
          state = 'thoughts';
          endTag = tag.end;
          held = '';
          return takeText(begun.slice(tag.begin.length));
        }
        const mayBe = held.length < mostBlanks && thoughtTags.some(({ begin }) => begin.startsWith(begun));
        return mayBe ? [] : end();
      }
      case 'thoughts': {
        const at = held.indexOf(endTag);
        if (at === -1) return thoughts(released(held.length - halfTagAtEnd(held, endTag)));
        state = 'behind-thoughts';
        const thought = released(at);
        const rest = released().slice(endTag.length);
        return [...thoughts(thought), ...takeText(rest)];
      }
      case 'behind-thoughts':
        held = held.trimStart();
        return held === '' ? [] : end();
      case 'text':
        return text(released());
    }
  }

  /** Takes out so much of what is held back. */
  function released(length = held.length): string {
    const all = held;
    held = all.slice(length);
    return all.slice(0, length);
  }

  /** Releases the text held back. */
  function end(): readonly LanguageModelV4StreamPart[] {
    const rest = state === 'thoughts' ? thoughts(released()) : text(released());
    state = 'text';
    return rest;
  }

  /** Returns the pieces that replace the piece. */
  return (piece: LanguageModelV4StreamPart): readonly LanguageModelV4StreamPart[] => {
    switch (piece.type) {
      case 'text-start':
        // Thoughts may come before it, and the first delta also starts a text.
        return [];
      case 'text-delta':
        return takeText(piece.delta);
      case 'text-end':
      case 'finish':
        return [...end(), piece];
      default:
        return [piece];
    }
  };
}

const thoughtTags = [
  { begin: '<think>', end: '</think>' },
  { begin: '<thinking>', end: '</thinking>' },
] as const;

/** The space allowed before thoughts, in characters. */
const mostBlanks = 64;

function thoughts(delta: string): readonly LanguageModelV4StreamPart[] {
  return delta === '' ? [] : [{ type: 'reasoning-delta', id: 'written', delta }];
}

function text(delta: string): readonly LanguageModelV4StreamPart[] {
  return delta === '' ? [] : [{ type: 'text-delta', id: 'written', delta }];
}

/** The length of the beginning of the tag with which the text ends. */
function halfTagAtEnd(text: string, tag: string): number {
  let length = tag.length - 1;
  while (!text.endsWith(tag.slice(0, length))) length -= 1;
  return length;
}
