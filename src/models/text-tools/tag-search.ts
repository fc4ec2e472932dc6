/** What was read: the text in front of what was looked for, and where to go on. */
export interface Reading {
  readonly before: string;
  readonly found: 'tag' | 'line' | 'nothing';
  readonly next: number;
}

/** Looks for a tag, or the end of the line, in a text that comes piece by piece. The tag has its only `<` in front. */
export function tagSearch(tag: string, endsAtLine = false) {
  let held = '';

  /** Reads on from there. */
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

  /** Up to where nothing can be what is looked for. */
  function plainEnd(text: string, begin: number): number {
    for (let at = begin; at < text.length; at += 1) {
      const character = text.charAt(at);
      if (character === '<' || (endsAtLine && (character === '\n' || character === '\r'))) return at;
    }
    return text.length;
  }

  return {
    read,
    /** The end of what was read, which may be the beginning of the tag. */
    held: () => held,
  };
}
