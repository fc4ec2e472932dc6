import { describe, expect, test } from 'vitest';
import { fenced, inlineCode } from '../../src/lib/plain-text.ts';

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
