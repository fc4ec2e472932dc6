/** The candidate that was probably meant; undefined if none is near enough. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 60) return undefined;
  const meant = elsewhere.get(plain(word));
  if (meant !== undefined && candidates.includes(meant)) return meant;
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: distanceBetween(plain(word), plain(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best === undefined) return undefined;
  const most = Math.max(1, Math.floor(best.candidate.length / 3));
  // Of one letter, nothing would be left.
  return best.distance <= most && best.distance < best.candidate.length ? best.candidate : undefined;
}

/** ` Did you mean "shell"?`, to follow a sentence; empty if no candidate is near enough. */
export function guessWords(word: string, candidates: readonly string[]): string {
  const guess = nearest(word, candidates);
  return guess === undefined ? '' : ` Did you mean "${guess}"?`;
}

/** The name that a model probably meant, or all that there are. */
export function namesWords(word: string, names: readonly string[]): string {
  const meant = nearest(word, names);
  return meant === undefined ? `There are: ${names.join(', ')}.` : `Do you mean ${meant}?`;
}

/** Names in other products. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['ollama', 'openai_compatible'],
  ['lmstudio', 'openai_compatible'],
  ['openrouter', 'openai_compatible'],
  ['vllm', 'openai_compatible'],
  ['gemini', 'google'],
  ['claude', 'anthropic'],
  ['bash', 'shell'],
  ['exec', 'shell'],
  ['reset', 'new'],
  ['clear', 'new'],
  ['cancel', 'stop'],
  ['abort', 'stop'],
  ['cost', 'usage'],
  ['allow', 'approve'],
  ['reject', 'deny'],
  ['permissions', 'grants'],
  ['commands', 'help'],
]);

/** `maxTurns`, `max-turns` and `max_turns` are equal. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[_\-\s]/g, '');
}

/** The Damerau-Levenshtein distance: insertions, deletions, changes and swaps of neighbours. */
function distanceBetween(a: string, b: string): number {
  let before: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 0; row < a.length; row += 1) {
    const current = [row + 1];
    for (let column = 0; column < b.length; column += 1) {
      const change = at(previous, column) + (a[row] === b[column] ? 0 : 1);
      const swapped = row > 0 && column > 0 && a[row] === b[column - 1] && a[row - 1] === b[column];
      const swap = swapped ? at(before, column - 1) + 1 : change;
      current.push(Math.min(change, swap, at(previous, column + 1) + 1, at(current, column) + 1));
    }
    before = previous;
    previous = current;
  }
  return at(previous, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? 0;
}
