/** What is nested deeper would be more spaces than words, and so would long lists within it. */
const deepestIndented = 64;
const longestIndented = 50_000;
/** A longer text ends here. */
const longestText = 200_000;

/** JSON for people, a member a line: on one line if it is so deep or so long that its spaces would be most of it. */
export function indentedJson(value: unknown): string {
  const line = JSON.stringify(value) ?? '';
  const isLine = line.length > longestIndented || isDeep(value);
  const text = isLine ? line : (JSON.stringify(value, undefined, 2) ?? '');
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

/** Level by level: what is deep would be too deep for a function that calls itself. */
function isDeep(value: unknown): boolean {
  let layer = [value];
  for (let depth = 0; depth <= deepestIndented && layer.length > 0; depth += 1)
    layer = layer.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
  return layer.length > 0;
}
