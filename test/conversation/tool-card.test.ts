import { describe, expect, test } from 'vitest';
import type { ToolStatus } from '../../src/contract.ts';
import { hasEnded, renderToolCard, type ToolLine, withStatus } from '../../src/conversation/live/tool-cards.ts';

type Change = Omit<ToolStatus, 'callId' | 'toolName'>;

function lineAfter(...changes: readonly Change[]): ToolLine {
  const [line] = changes.reduce<readonly ToolLine[]>(
    ([before], change) => [withStatus(before, { callId: 'c', toolName: 'read_file', ...change })],
    [],
  );
  if (line === undefined) throw new Error('no change was given');
  return line;
}

function shown(...changes: readonly Change[]): string {
  return renderToolCard([lineAfter(...changes)], { maxLength: 4000, measure: (markdown) => markdown.length });
}

const wait: Change = { state: 'wait', tip: '{"path":"no' };
const doing: Change = { state: 'doing', tip: 'read `notes.md`' };

describe('the line of a call', () => {
  test.each<[string, readonly Change[], string]>([
    ['is written', [wait], '⏳ `read_file` · {"path":"no'],
    ['runs', [wait, doing], '⚙️ `read_file` · read `notes.md`'],
    ['says how far it is', [wait, doing, { state: 'doing', tip: '40 %' }], '⚙️ `read_file` · read `notes.md` · 40 %'],
    [
      'has succeeded',
      [wait, doing, { state: 'success', tip: '40 %', duration: 1240 }],
      '✅ `read_file` · read `notes.md` · 1.2 s',
    ],
    ['has failed', [doing, { state: 'error', duration: 185_000 }], '❌ `read_file` · read `notes.md` · 3 min 5 s'],
    ['did not begin', [wait, { state: 'error', tip: 'not executed' }], '❌ `read_file` · {"path":"no · not executed'],
  ])('says that it %s', (_what, changes, expected) => {
    expect(shown(...changes)).toBe(expected);
  });

  test('never goes back, and nothing follows its end', () => {
    expect(lineAfter(doing, wait).state).toBe('doing');
    const ended = lineAfter(doing, { state: 'success', duration: 1 }, { state: 'error', duration: 2 }, doing);
    expect(ended).toMatchObject({ state: 'success', duration: 1 });
    expect(hasEnded(ended)).toBe(true);
  });

  test('shows a name that no tool has as code, on one line, cut', () => {
    const name = `no\n\n# [tool](http://evil)\n${'y'.repeat(300)}`;
    const line: ToolLine = { callId: 'c', toolName: name, state: 'error', what: 'not executed' };
    const markdown = renderToolCard([line], { maxLength: 4000, measure: (text) => text.length });
    expect(markdown).toMatch(/^❌ `no ⏎ {2}⏎ # \[tool\]\(http:[^`\n]{0,40}` · not executed$/);
  });

  test('is no markdown of a stranger, and one line', () => {
    expect(shown({ state: 'doing', tip: '[free](http://evil)\n**now** `as is` <b>' })).toBe(
      '⚙️ `read_file` · \\[free\\](http://evil) ⏎ \\*\\*now\\*\\* `as is` \\<b\\>',
    );
  });
});

describe('a card that is too long', () => {
  const lines = Array.from({ length: 12 }, (_, index) =>
    withStatus(undefined, { callId: `c${index}`, toolName: `tool${index}`, state: 'doing', tip: 'x'.repeat(500) }),
  );

  test.each([4000, 1500, 400, 100, 20, 1])('says less, so that it fits into %i characters', (maxLength) => {
    const markdown = renderToolCard(lines, { maxLength, measure: (text) => text.length });
    expect(markdown.length).toBeLessThanOrEqual(maxLength);
    if (maxLength >= 400) expect(markdown.split('  \n')).toHaveLength(12);
    if (maxLength === 100) expect(markdown).toMatch(/^… \d+ more {2}\n.*tool11`$/s);
  });
});
