import { describe, expect, test } from 'vitest';
import { createDraftText } from '../../../channels/telegram/drafts.ts';
import { renderMarkdown } from '../../../channels/telegram/markdown.ts';
import { lazyParser } from '../../../src/lib/markdown-parser.ts';

const parse = lazyParser();

function textOf(markdown: string) {
  const text = createDraftText((part) => renderMarkdown(part, parse));
  text.add(markdown);
  return text;
}

describe('a text that grows', () => {
  test('is shown whole as long as it fits', () => {
    const text = textOf('**one** ');
    expect(text.frame().text).toBe('one');
    text.add('x'.repeat(4_092));
    expect(text.frame().text).toHaveLength(4_096);
  });

  test('goes on with its last part when it does not, and loses no word there', () => {
    const text = textOf(`${'a line\n'.repeat(600)}1. one\n`);
    const { text: shown } = text.frame();
    expect(shown).toMatch(/^a line\n(?:a line\n)*\n?1\. one$/);
    for (const delta of ['   more ', 'words\n', '1. two']) text.add(delta);
    expect(text.frame().text).toBe(`${shown}\n   more words\n2. two`);
  });

  test('stays code where it begins within code', () => {
    const code = `Look:\n\n\`\`\`\`python\n\`\`\`\n${'print("a # line")\n'.repeat(300)}`;
    const text = textOf(code);
    expect(text.frame()).toMatchObject({
      text: expect.stringMatching(/^print.*print\("a # line"\)$/s),
      entities: [{ type: 'pre', language: 'python', offset: 0 }],
    });
    text.add('````\n\n**done**');
    expect(text.frame().entities.map(({ type }) => type)).toEqual(['pre', 'bold']);
  });

  test('is no code where all code before it has ended', () => {
    const fences = '```\na\n````\n~~~\n```\n~~~~\n``` no `fence`\n';
    const { entities } = textOf(`${fences}\n${'a line\n'.repeat(700)}`).frame();
    expect(entities).toEqual([]);
  });

  test('is shown whatever it is, and however it comes out', () => {
    const grown = createDraftText((part) => ({ text: part.repeat(10), entities: [] }));
    grown.add(`\`\`\`${'x'.repeat(5_000)}\n`.repeat(3));
    expect(grown.frame().text.length).toBeLessThanOrEqual(4_096);
    expect(textOf('👉'.repeat(2_049)).frame().text.isWellFormed()).toBe(true);
  });
});
