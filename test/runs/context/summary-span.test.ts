import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spanOf } from '../../../src/runs/context/summary.ts';
import type { TranscriptEntry, UserMessage } from '../../../src/transcript.ts';
import { anyTranscript } from '../../engine/any-transcript.ts';

function characters(text: string): number {
  return text.length;
}

const most = fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 30_000 }));
const kept = fc.record({ tokens: fc.integer({ min: 0, max: 30_000 }), turns: fc.integer({ min: 0, max: 20 }) });

/** What is read when a summary stands for all up to there. */
function behind(entries: readonly TranscriptEntry[], upToTurn: number, upToSeq: number): readonly TranscriptEntry[] {
  return entries.filter((entry) => ('id' in entry ? entry.id > upToTurn : entry.seq > upToSeq));
}

test('what a summary stands for is just what is not read any more, and that begins with what somebody said', () => {
  fc.assert(
    fc.property(anyTranscript, kept, most, (rest, wanted, atMost) => {
      const entries = [{ ...said, text: 'the first' }, ...rest];
      const span = spanOf(entries, { ...wanted, most: atMost }, characters);
      if (span === undefined) return;
      const shown = behind(entries, span.upToTurn, span.upToSeq);
      expect(shown).toEqual(entries.filter((entry) => !span.entries.includes(entry)));
      expect(shown[0]?.type).toMatch(/^(user|event)$/);
    }),
    { seed: 5, numRuns: 1000 },
  );
});

test('the newest turn, the task of the run that goes on, and what nobody has answered are not summarised', () => {
  fc.assert(
    fc.property(anyTranscript, kept, most, (rest, wanted, atMost) => {
      const entries = [said, ...rest];
      const left = spanOf(entries, { ...wanted, most: atMost }, characters)?.entries ?? [];
      const last = entries.findLastIndex((entry) => 'id' in entry);
      expect(left).not.toContain(entries[last]);
      expect(entries.slice(last + 1).filter((entry) => left.includes(entry))).toEqual([]);
      const newest = entries[last];
      if (newest?.type !== 'turn' || newest.calls.length === 0) return;
      const first = entries.findIndex((entry) => entry.type === 'turn' && entry.runId === newest.runId);
      const task = entries.slice(0, first).findLast((entry) => !('id' in entry));
      expect(task === undefined || entries[first - 1] !== task || !left.includes(task)).toBe(true);
    }),
    { seed: 6, numRuns: 1000 },
  );
});

test('all but the newest turns are summarised where more than so many are read', () => {
  const entries = Array.from({ length: 40 }, (_, index): readonly TranscriptEntry[] => [
    { ...said, seq: index * 2 + 1 },
    { type: 'turn', id: index * 2 + 2, runId: `run${index}`, principal: 'test:ada', seenSeq: 0, parts: [], calls: [] },
  ]).flat();
  const span = spanOf(entries, { tokens: 1_000_000, turns: 10 }, characters);
  expect(span?.entries).toHaveLength(60);
  expect(span).toMatchObject({ upToTurn: 60, upToSeq: 59 });
});

test('a long part is parted where somebody speaks, or in the run that goes on, between its turns', () => {
  const turn = (id: number, runId: string): TranscriptEntry => ({
    ...{ type: 'turn', id, runId, principal: 'test:ada', seenSeq: 0, calls: [] },
    parts: [{ type: 'text', text: 'x'.repeat(100) }],
  });
  const talk = Array.from({ length: 10 }, (_, at) => [
    { ...said, seq: at * 2 + 1 },
    turn(at * 2 + 2, `run${at}`),
  ]).flat();
  expect(spanOf(talk, { tokens: 0, turns: 0, most: 400 }, characters)?.entries).toHaveLength(4);
  expect(spanOf(talk, { tokens: 0, turns: 0, most: 50 }, characters)?.entries).toHaveLength(2);
  const call = { id: 'a', name: 'look', arguments: {}, state: 'done', deferred: false } as const;
  const run = Array.from({ length: 10 }, (_, at) => ({ ...turn(at + 2, 'run1'), calls: [call] }));
  const parted = spanOf([{ ...said, seq: 1 }, ...run], { tokens: 0, turns: 0, most: 400 }, characters);
  expect(parted).toMatchObject({ upToTurn: 3, upToSeq: 0 });
});

const said: UserMessage = { type: 'user', seq: 0, principal: 'test:ada', name: 'Ada', text: 'words' };
