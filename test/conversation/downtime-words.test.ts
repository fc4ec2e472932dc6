import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../src/contract.ts';
import { downtimeWords, type LateMessages } from '../../src/conversation/health/downtime.ts';

const noon = new Date(2026, 2, 9, 12, 0).getTime();
const span = { from: noon, until: noon + 2 * 3_600_000 };

function from(name: string, count: number, more: Partial<Conversation> = {}): LateMessages {
  return { conversation: { channel: 'test', chatId: name, kind: 'direct', ...more }, name, count };
}

function linesOf(late: readonly LateMessages[]): readonly string[] {
  return downtimeWords(span, late).split('\n').slice(2);
}

describe('what owners read after a time away', () => {
  test('is the local time, with the day where it is not the same', () => {
    expect(downtimeWords(span, [])).toBe('I was away for 2 h, from 12:00 to 14:00.');
    expect(downtimeWords({ from: noon, until: noon + 14 * 3_600_000 }, [])).toBe(
      'I was away for 14 h, from 9 Mar 2026, 12:00 to 10 Mar 2026, 02:00.',
    );
  });

  test('is how many messages of whom, and in which group, the most first', () => {
    const late = [
      from('Bob', 1),
      from('Ada', 2),
      from('Ada', 1, { threadId: '7' }),
      from('Cy', 5, { kind: 'group', title: 'Team' }),
      from('Cy', 1, { kind: 'group' }),
    ];
    expect(linesOf(late)).toEqual([
      '- 5 messages in the group `Team`',
      '- 3 messages from `Ada`',
      '- 1 message from `Bob`',
      '- 1 message in a group',
    ]);
  });

  test('is at most ten lines', () => {
    const ten = Array.from({ length: 10 }, (_, index) => from(`Person ${index}`, 3));
    expect(linesOf(ten)).toHaveLength(10);
    const lines = linesOf([...ten, from('One more', 2), from('Another', 1)]);
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toBe('- 6 messages in 3 other chats');
  });

  test('shows a name as it is, whatever it holds', () => {
    expect(linesOf([from('*Ada*\n[x](http://y)', 1)])).toEqual(['- 1 message from `*Ada* ⏎ [x](http://y)`']);
  });
});
