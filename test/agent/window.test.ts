import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fit as windowOf } from '../../src/agent/window.ts';
import type { TranscriptEntry } from '../../src/transcript.ts';
import { anyTranscript } from './any-transcript.ts';

/** What stands for an entry: shortening it changes its results only. */
function nameOf(entry: TranscriptEntry): string {
  return `${entry.type}${'seq' in entry ? entry.seq : entry.id}`;
}

/** What the model has still to answer: the newest run, if it is open, and what nobody has answered. */
function unanswered(entries: readonly TranscriptEntry[]): readonly string[] {
  const last = entries.findLastIndex(({ type }) => type === 'turn' || type === 'closing');
  const newest = entries[last];
  const runId = newest?.type === 'turn' && newest.calls.length > 0 ? newest.runId : undefined;
  return entries.filter((entry, index) => index > last || (entry.type === 'turn' && entry.runId === runId)).map(nameOf);
}

function userSaid(seq: number, size: number): TranscriptEntry {
  return { type: 'user', seq, principal: 'test:ada', name: 'Ada', text: 'x'.repeat(size) };
}

function answered(id: number, size: number, result?: string): TranscriptEntry {
  const calls =
    result === undefined
      ? []
      : [
          {
            id: `c${id}`,
            name: 'look',
            arguments: {},
            state: 'done' as const,
            deferred: false,
            result: { outcome: 'success' as const, text: result },
          },
        ];
  const parts = [
    { type: 'text' as const, text: 'y'.repeat(size) },
    ...calls.map((one) => ({
      type: 'call' as const,
      callId: one.id,
      modelCallId: one.id,
      name: 'look',
      arguments: {},
    })),
  ];
  return { type: 'turn', id, runId: `run${id}`, principal: 'test:ada', seenSeq: id, parts, calls };
}

describe('the part of a transcript that a request holds', () => {
  test('is all of it, if it fits', () => {
    const entries = [userSaid(1, 10), answered(1, 10), userSaid(2, 10)];
    expect(windowOf({ entries }, 30)).toEqual(entries);
  });

  test('never cuts an old result within a character', () => {
    const entries = [1, 2, 3, 4, 5].flatMap((id) => [
      userSaid(id, 10),
      answered(id, 10, '🙂'.repeat(400 + id).slice(id % 2)),
    ]);
    expect(JSON.stringify(windowOf({ entries }, 4000))).not.toMatch(/\\ud83d\n|\\ud83d\\n/);
  });

  test('leaves out the oldest, up to a message', () => {
    const entries = [1, 2, 3, 4].flatMap((id) => [userSaid(id, 10), answered(id, 10)]);
    expect(windowOf({ entries }, 45).map(nameOf)).toEqual(['user3', 'turn3', 'user4', 'turn4']);
  });

  test('shortens old results before anything is left out, and no new ones', () => {
    const long = 'r'.repeat(5000);
    const entries = [
      userSaid(1, 10),
      answered(1, 10, long),
      ...[2, 3, 4].flatMap((id) => [userSaid(id, 10), answered(id, 10, long)]),
    ];
    const shown = windowOf({ entries }, 16_000);
    const results = shown.flatMap((entry) => (entry.type === 'turn' ? entry.calls.map((one) => one.result?.text) : []));
    expect(shown).toHaveLength(8);
    expect(results).toEqual([`${'r'.repeat(500)}\n[shortened: this result is old]`, long, long, long]);
  });

  test('keeps what is not answered yet, however long it is', () => {
    const entries = [userSaid(1, 10), answered(1, 10), userSaid(2, 10_000), userSaid(3, 10_000)];
    expect(windowOf({ entries }, 100).map(nameOf)).toEqual(['user2', 'user3']);
  });

  test('shortens even the newest results where they alone are too much', () => {
    const entries = [userSaid(1, 10), answered(1, 10, 'r'.repeat(5000))];
    const [, shown] = windowOf({ entries }, 1000);
    expect(shown?.type === 'turn' && shown.calls[0]?.result?.text).toHaveLength(
      500 + '\n[shortened: this result is old]'.length,
    );
  });

  test('is always an end of it that begins with what somebody said and holds all that is not answered', () => {
    fc.assert(
      fc.property(anyTranscript, fc.integer({ min: 1, max: 60_000 }), (rest, size) => {
        const entries = [userSaid(0, 5), ...rest];
        const shown = windowOf({ entries }, size).map(nameOf);
        expect(shown).toEqual(entries.map(nameOf).slice(entries.length - shown.length));
        expect(shown[0]).toMatch(/^(user|event)/);
        expect(shown).toEqual(expect.arrayContaining([...unanswered(entries)]));
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});
