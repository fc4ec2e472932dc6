const longestCompared = 64;

/** The known name that was most likely meant: the same in another spelling (`filePath`, `file_path`), or a slip away. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestCompared) return undefined;
  const tolerated = Math.max(1, Math.floor(name.length / 3));
  const ranked = known
    .filter((candidate) => candidate.length <= longestCompared)
    .map((candidate) => ({ candidate, distance: distance(plain(name), plain(candidate)) }))
    .filter((one) => one.distance <= tolerated)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, '');
}

/** How many letters must be put in, taken out or exchanged. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [above, letter] of [...a].entries()) {
    const next = [above + 1];
    for (let column = 1; column <= b.length; column++) {
      const exchanged = (row[column - 1] ?? 0) + (letter === b[column - 1] ? 0 : 1);
      next.push(Math.min(exchanged, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
