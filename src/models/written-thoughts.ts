import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

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

/** The result: the text before the match, and where to continue. */
interface Reading {
  readonly before: string;
  readonly found: 'tag' | 'line' | 'nothing';
  readonly next: number;
}

/** Searches a streamed text for a tag or the end of the line. The only `<` of the tag must be its first character. */
export function tagSearch(tag: string, endsAtLine = false) {
  let held = '';

  function read(text: string, at: number): Reading {
    const before: string[] = [];
    let next = at;
    while (next < text.length) {
      const character = text.charAt(next);
      if (character === tag.charAt(held.length)) {
        held += character;
        next += 1;
        if (held === tag) return { before: before.join(''), found: 'tag', next };
        continue;
      }
      before.push(held);
      held = '';
      const end = plainEnd(text, next);
      before.push(text.slice(next, end));
      next = end;
      if (next < text.length && text.charAt(next) !== '<') return { before: before.join(''), found: 'line', next };
    }
    return { before: before.join(''), found: 'nothing', next };
  }

  /** The next place where a match could begin. */
  function plainEnd(text: string, begin: number): number {
    for (let at = begin; at < text.length; at += 1) {
      const character = text.charAt(at);
      if (character === '<' || (endsAtLine && (character === '\n' || character === '\r'))) return at;
    }
    return text.length;
  }

  return {
    read,
    /** The end of the text read, if it may be the start of the tag. */
    held: () => held,
  };
}
