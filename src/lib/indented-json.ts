import { isDeeperThan, type JsonValue } from './json.ts';

/** What is nested deeper would be more spaces than words, and so would long lists within it. */
const deepestIndented = 64;
const longestIndented = 50_000;
/** A longer text ends here. */
const longestText = 200_000;

/** JSON for people, a member a line: on one line if it is so deep or so long that its spaces would be most of it. */
export function indentedJson(value: JsonValue): string {
  const line = JSON.stringify(value);
  const isLine = line.length > longestIndented || isDeeperThan(value, deepestIndented);
  const text = isLine ? line : JSON.stringify(value, undefined, 2);
  return text.length > longestText ? `${text.slice(0, longestText).toWellFormed()}…` : text;
}
