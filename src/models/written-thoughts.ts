import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { TagSearch } from './text-tools/tag-search.ts';

/**
 * Takes thoughts out of a text that begins with them in `<think>` tags: many a server leaves them there, and people
 * would read them as the answer. Takes the pieces of one answer, in their order.
 */
export class WrittenThoughts {
  #state: 'beginning' | 'thoughts' | 'behind-thoughts' | 'text' = 'beginning';
  /** What may become a tag, or not. */
  #held = '';
  #search = new TagSearch('');

  /** The pieces that the piece stands for. */
  take(piece: LanguageModelV4StreamPart): readonly LanguageModelV4StreamPart[] {
    switch (piece.type) {
      case 'text-start':
        // Thoughts may come before it. A text begins with its first piece, too.
        return [];
      case 'text-delta':
        return this.#take(piece.delta);
      case 'text-end':
      case 'finish':
        return [...this.#end(), piece];
      default:
        return [piece];
    }
  }

  #take(delta: string): readonly LanguageModelV4StreamPart[] {
    switch (this.#state) {
      case 'beginning':
        return this.#begin(delta);
      case 'thoughts': {
        const { before, found, next } = this.#search.read(delta, 0);
        if (found !== 'tag') return thoughts(before);
        this.#state = 'behind-thoughts';
        return [...thoughts(before), ...this.#take(delta.slice(next))];
      }
      case 'behind-thoughts': {
        const rest = delta.trimStart();
        if (rest !== '') this.#state = 'text';
        return text(rest);
      }
      case 'text':
        return text(delta);
    }
  }

  #begin(delta: string): readonly LanguageModelV4StreamPart[] {
    this.#held += delta;
    const begun = this.#held.trimStart();
    const tag = thoughtTags.find(({ begin }) => begun.startsWith(begin));
    if (tag !== undefined) {
      this.#state = 'thoughts';
      this.#held = '';
      this.#search = new TagSearch(tag.end);
      return this.#take(begun.slice(tag.begin.length));
    }
    const mayBe = this.#held.length < mostBlanks && thoughtTags.some(({ begin }) => begin.startsWith(begun));
    return mayBe ? [] : this.#end();
  }

  /** What was held back is what it looks like. */
  #end(): readonly LanguageModelV4StreamPart[] {
    const rest = this.#state === 'thoughts' ? thoughts(this.#search.held) : text(this.#held);
    this.#state = 'text';
    this.#held = '';
    return rest;
  }
}

const thoughtTags = [
  { begin: '<think>', end: '</think>' },
  { begin: '<thinking>', end: '</thinking>' },
] as const;

/** How much space may stand in front of thoughts, in characters. */
const mostBlanks = 64;

function thoughts(delta: string): readonly LanguageModelV4StreamPart[] {
  return delta === '' ? [] : [{ type: 'reasoning-delta', id: 'written', delta }];
}

function text(delta: string): readonly LanguageModelV4StreamPart[] {
  return delta === '' ? [] : [{ type: 'text-delta', id: 'written', delta }];
}
