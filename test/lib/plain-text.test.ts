import { describe, expect, test } from 'vitest';
import { fenced, inlineCode, reveal, shortened } from '../../src/lib/plain-text.ts';

describe('code', () => {
  test('is fenced by more backticks than stand in it', () => {
    expect(fenced('a', 'ts')).toBe('```ts\na\n```');
    expect(fenced('a `b` ```` c')).toBe('`````\na `b` ```` c\n`````');
    expect(inlineCode('a')).toBe('`a`');
    expect(inlineCode('`a`` b')).toBe('``` `a`` b ```');
  });

  test('may hold any number of runs of backticks', () => {
    const text = '`` ` '.repeat(150_000);
    expect(fenced(text)).toBe(`\`\`\`\n${text}\n\`\`\``);
    expect(inlineCode(text)).toBe(`\`\`\` ${text} \`\`\``);
  });
});

test('a text that is too long is cut between characters', () => {
  expect(shortened('x'.repeat(200), 200)).toBe('x'.repeat(200));
  expect(shortened('x'.repeat(300), 200)).toHaveLength(200);
  expect(shortened('😀'.repeat(150), 200)).toBe(`${'😀'.repeat(99)}…`);
  expect(shortened(`x${'😀'.repeat(150)}`, 200).isWellFormed()).toBe(true);
});

test.each([
  ['👩\u200d👩\u200d👧 Lin', '👩\u200d👩\u200d👧 Lin'],
  ['🏳️\u200d🌈👩🏽\u200d💻', '🏳️\u200d🌈👩🏽\u200d💻'],
  ['a\u200db', 'a\\u200db'],
  ['👩\u200dx', '👩\\u200dx'],
  ['x\u200d👩', 'x\\u200d👩'],
  ['👩\u200d\u200d👧', '👩\\u200d\\u200d👧'],
  ['🍕\u200d🍕', '🍕\\u200d🍕'],
  ['👩\u200d👩\u200d👧\u202e', '👩\u200d👩\u200d👧\\u202e'],
])('what is hidden is revealed, and emoji stay whole: %j', (text, shown) => {
  expect(reveal(text)).toBe(shown);
});
