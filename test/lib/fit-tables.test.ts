import { expect, test } from 'vitest';
import { fitTables } from '../../src/lib/fit-tables.ts';

const most = { rows: 3, columns: 3, characters: 100 };
const table = (...rows: readonly string[]): string => ['| a | b |', '|---|---|', ...rows].join('\n');

test('empty cells get a space, and rows that are too short are filled', () => {
  expect(fitTables(table('| 1 || |', '| 2 |'), most)).toBe(table('| 1 | | |', '| 2 | |'));
});

test.each([
  ['rows', table('| 1 | 2 |', '| 3 | 4 |', '| 5 | 6 |')],
  ['columns', '| a | b | c | d |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |'],
  ['characters', table(`| ${'x'.repeat(100)} | 2 |`)],
])('a table with too many %s becomes code', (_what, markdown) => {
  expect(fitTables(`before\n\n${markdown}\n\nafter`, most)).toBe(`before\n\n\`\`\`\n${markdown}\n\`\`\`\n\nafter`);
});

test.each([
  ['as large as it may be', table('| 1 | 2 |', '| 3 | 4 |')],
  ['inside of a fence', `\`\`\`\n${table('| 1 |')}\n\`\`\``],
  ['whose head has other cells than its line of dashes', '| a | b | c |\n|---|---|\n| 1 |'],
])('a table %s stays as it is', (_what, markdown) => {
  expect(fitTables(markdown, most)).toBe(markdown);
});
