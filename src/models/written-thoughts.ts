import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { tagSearch } from './text-tools/tag-search.ts';

/**
 * Takes thoughts out of a text that begins with `<think>` tags: many servers leave them there, and people would read
 * them as the answer. Takes the pieces of one answer, in order.
 */
export function writtenThoughts() {
  let state: 'beginning' | 'thoughts' | 'behind-thoughts' | 'text' = 'beginning';
  /** What may become a tag. */
  let held = '';
  let search = tagSearch('');

  function takeText(delta: string): readonly LanguageModelV4StreamPart[] {
    switch (state) {
      case 'beginning':
        return begin(delta);
      case 'thoughts': {
        const { before, found, next } = search.read(delta, 0);
        if (found !== 'tag') return thoughts(before);
        state = 'behind-thoughts';
        return [...thoughts(before), ...takeText(delta.slice(next))];
      }
      case 'behind-thoughts': {
        const rest = delta.trimStart();
        if (rest !== '') state = 'text';
        return text(rest);
      }
      case 'text':
        return text(delta);
    }
  }

  function begin(delta: string): readonly LanguageModelV4StreamPart[] {
    held += delta;
    const begun = held.trimStart();
    const tag = thoughtTags.find(({ begin }) => begun.startsWith(begin));
    if (tag !== undefined) {
      state = 'thoughts';
      held = '';
      search = tagSearch(tag.end);
      return takeText(begun.slice(tag.begin.length));
    }
    const mayBe = held.length < mostBlanks && thoughtTags.some(({ begin }) => begin.startsWith(begun));
    return mayBe ? [] : end();
  }

  /** Releases the text held back. */
  function end(): readonly LanguageModelV4StreamPart[] {
    const rest = state === 'thoughts' ? thoughts(search.held()) : text(held);
    state = 'text';
    held = '';
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
