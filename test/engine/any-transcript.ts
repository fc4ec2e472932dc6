import fc from 'fast-check';
import type { Call, TranscriptEntry, Turn } from '../../src/transcript.ts';

type Seed =
  | { readonly type: 'user' | 'event' | 'closing'; readonly length: number }
  | { readonly type: 'turn'; readonly length: number; readonly calls: readonly number[]; readonly isSameRun: boolean };

const length = fc.integer({ min: 1, max: 3000 });
const seed: fc.Arbitrary<Seed> = fc.oneof(
  fc.record({ type: fc.constantFrom('user' as const, 'event' as const, 'closing' as const), length }),
  fc.record({
    type: fc.constant('turn' as const),
    length,
    calls: fc.array(length, { maxLength: 3 }),
    isSameRun: fc.boolean(),
  }),
);

/** Whatever a conversation may have become, all of its calls with results. */
export const anyTranscript: fc.Arbitrary<readonly TranscriptEntry[]> = fc
  .array(seed, { maxLength: 30 })
  .map((seeds) => seeds.map((_seed, at) => toEntry(seeds, at)));

function toEntry(seeds: readonly Seed[], at: number): TranscriptEntry {
  const found = seeds[at] ?? { type: 'closing', length: 0 };
  const seq = at + 1;
  switch (found.type) {
    case 'user':
      return { type: 'user', seq, principal: 'test:ada', name: 'Ada', text: 'u'.repeat(found.length) };
    case 'event':
      return { type: 'event', seq, principal: 'test:ada', text: 'e'.repeat(found.length), wantsAnswer: false };
    case 'closing':
      return { type: 'closing', id: seq, seenSeq: seq, reason: 'stopped' };
    case 'turn':
      return toTurn(found, seq, seeds.slice(0, seq).filter((one) => one.type === 'turn' && !one.isSameRun).length);
  }
}

function toTurn({ length: size, calls }: Extract<Seed, { type: 'turn' }>, seq: number, run: number): Turn {
  const made = calls.map((resultSize, at): Call => {
    const result = { outcome: 'success' as const, text: 'r'.repeat(resultSize) };
    return { id: `${seq}-${at}`, name: 'look', arguments: {}, state: 'done', deferred: false, result };
  });
  const callParts = made.map(({ id }) => ({
    type: 'call' as const,
    callId: id,
    modelCallId: id,
    name: 'look',
    arguments: {},
  }));
  const parts = [{ type: 'text' as const, text: 't'.repeat(size) }, ...callParts];
  return { type: 'turn', id: seq, runId: `run${run}`, principal: 'test:ada', seenSeq: seq, parts, calls: made };
}
