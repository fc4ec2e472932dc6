/** The result: the text before the match, and where to continue. */
export interface Reading {
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
