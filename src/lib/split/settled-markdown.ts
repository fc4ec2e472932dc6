import { openDetailsAt } from '../html-details.ts';
import { toCommonMark } from '../model-markdown.ts';
import { readLines } from './markdown-lines.ts';

/** The length of a growing markdown up to where its formatting can no longer change, whatever is added: nothing shown of it is taken back. */
export function settledLength(text: string): number {
  // Whether it is folded shows at its end.
  const open = openDetailsAt(text);
  return open === undefined ? settledEnd(text) : settledEnd(text.slice(0, open));
}

function settledEnd(text: string): number {
  const lineStart = text.lastIndexOf('\n') + 1;
  // The last one is empty, and tells whether a fence is open.
  const lines = readLines(`${text.slice(0, lineStart)}\n`);
  const isRow = ({ start, end, fence }: (typeof lines)[number]): boolean =>
    fence === undefined && isTableRow(text.slice(start, end));
  const rows = lines.slice(lines.findLastIndex((line, index) => index < lines.length - 1 && !isRow(line)) + 1, -1);
  // Whether two lines are the head of a table shows only with the third.
  if (rows.length === 1 || rows.length === 2) return rows[0]?.start ?? 0;
  const line = text.slice(lineStart);
  if (lines.at(-1)?.fence !== undefined || isTableRow(line) || /^ {0,3}(?:`|~|$|> \[!)/.test(line)) return lineStart;
  let cut = line.lastIndexOf(' ') + 1;
  for (let tries = 0; cut > 0 && tries < mostCuts; tries += 1) {
    if (isClosed(line.slice(0, cut))) return lineStart + cut;
    cut = cut === 1 ? 0 : line.lastIndexOf(' ', cut - 2) + 1;
  }
  return lineStart;
}

/** How many of the last spaces of a line are tried as the cut. */
const mostCuts = 20;

function isTableRow(line: string): boolean {
  return /^[ \t]*\|/.test(line);
}

/** Whether all inline formatting opened in this part of a line is closed, judging by the marks. */
function isClosed(line: string): boolean {
  const withoutCode = line.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '').replace(/\\./g, '');
  if (withoutCode.includes('`')) return false;
  const text = withoutCode.replace(/^[ \t]*[*+-][ \t]/, '').replace(/(?<=\w)_(?=\w)/g, '');
  if (/\[[^[\]]*$|\]\([^)]*$|<[^<>]*$/.test(text)) return false;
  // A tag means something with its partner only.
  if (/<[/!]?[a-z-]/i.test(toCommonMark(text))) return false;
  return ['**', '__', '~~', '*', '_'].every((mark) => text.split(mark).length % 2 === 1);
}
