import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fit as fitted, sizeOf } from '../../../src/runs/context/fit.ts';
import { spanOf } from '../../../src/runs/context/summary.ts';
import { TokenGauge } from '../../../src/runs/context/token-gauge.ts';
import type { TranscriptEntry, Turn, UserMessage } from '../../../src/transcript.ts';
import { anyTranscript } from '../../engine/any-transcript.ts';

/** Measured in characters. */
function windowOf(
  { entries }: { readonly entries: readonly TranscriptEntry[] },
  room: number,
): readonly TranscriptEntry[] {
  return fitted(entries, room, characters);
}

function characters(text: string): number {
  return text.length;
}

/** What stands for an entry: shortening it changes its results only. */
function nameOf(entry: TranscriptEntry): string {
  return `${entry.type}${'seq' in entry ? entry.seq : entry.id}`;
}

/** Each call has its result, and each result its call. */
function expectWhole({ parts, calls }: Turn): void {
  const called = parts.flatMap((part) => (part.type === 'call' ? part.callId : []));
  expect(calls.map(({ id }) => id)).toEqual(called);
  expect(calls.filter(({ result }) => result === undefined)).toEqual([]);
}

function userSaid(seq: number, size: number): TranscriptEntry {
  return { type: 'user', seq, principal: 'test:ada', name: 'Ada', text: 'x'.repeat(size) };
}

function answered(id: number, size: number, result?: string): Turn {
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

  test('keeps what is not answered yet, and cuts it to its beginning and its end where it is too long', () => {
    const entries = [userSaid(1, 10), answered(1, 10), userSaid(2, 10_000), userSaid(3, 10_000)];
    const shown = windowOf({ entries }, 1200);
    expect(shown.map(nameOf)).toEqual(['user2', 'user3']);
    expect(shown.map((entry) => entry.type === 'user' && entry.text.length)).toEqual([499, 499]);
  });

  test('keeps the task and the newest turns of a run that alone is too long', () => {
    const turns = [1, 2, 3, 4, 5].map((id) => ({ ...answered(id, 100, 'r'.repeat(200)), runId: 'run1' }));
    const entries = [userSaid(1, 50), ...turns];
    const shown = windowOf({ entries }, 700);
    expect(shown.map(nameOf)).toEqual(['user1', 'turn4', 'turn5']);
    expect(shown.at(-1)).toEqual(turns.at(-1));
  });

  test('leaves out the reasoning of runs that are over before it leaves out what was said', () => {
    const reasoning = { type: 'reasoning' as const, text: 'z'.repeat(1000) };
    const thought = (id: number): TranscriptEntry => ({
      ...answered(id, 10),
      parts: [reasoning, { type: 'text', text: 'so' }],
    });
    const entries = [userSaid(1, 10), thought(1), userSaid(2, 10)];
    const shown = windowOf({ entries }, 500);
    expect(shown.map(nameOf)).toEqual(['user1', 'turn1', 'user2']);
    expect(JSON.stringify(shown)).not.toContain('zzz');
  });

  test('shortens even the newest results where they alone are too much', () => {
    const entries = [userSaid(1, 10), answered(1, 10, 'r'.repeat(5000))];
    const [, shown] = windowOf({ entries }, 1000);
    expect(shown?.type === 'turn' && shown.calls[0]?.result?.text).toHaveLength(
      500 + '\n[shortened: this result is old]'.length,
    );
  });

  test('cuts what the model itself wrote without a mark in words, and keeps the names in its calls', () => {
    const answer = answered(1, 0, 'seen');
    const args = { path: 'a.txt', content: 'z'.repeat(9000), lines: [{ text: '长'.repeat(3000) }] };
    const parts = answer.parts.map((part) => (part.type === 'call' ? { ...part, arguments: args } : part));
    const long = { ...answer, parts: [{ type: 'text' as const, text: 'y'.repeat(9000) }, ...parts.slice(1)] };
    const [, shown] = windowOf({ entries: [userSaid(1, 10), long] }, 2000);
    const written = shown?.type === 'turn' ? shown.parts : [];
    expect(JSON.stringify(written)).not.toContain('shortened');
    expect(written).toMatchObject([
      { text: expect.stringMatching(/^y+ … y+$/) },
      {
        arguments: {
          path: 'a.txt',
          content: expect.stringMatching(/^z+ … z+$/),
          lines: [{ text: expect.stringMatching(/^长+ … 长+$/) }],
        },
      },
    ]);
  });

  test('always fits, begins with what somebody said, holds the newest message, and parts no call from its result', () => {
    fc.assert(
      fc.property(anyTranscript, fc.integer({ min: 400, max: 60_000 }), (rest, room) => {
        const entries = [userSaid(0, 5), ...rest];
        const shown = windowOf({ entries }, room);
        const names = shown.map(nameOf);
        expect(sizeOf(shown, characters)).toBeLessThanOrEqual(room);
        expect(names).toEqual(entries.map(nameOf).filter((name) => names.includes(name)));
        expect(names[0]).toMatch(/^(user|event)/);
        const newest = entries.findLast(({ type }) => type === 'user' || type === 'event');
        expect(names).toContain(newest && nameOf(newest));
        for (const entry of shown) if (entry.type === 'turn') expectWhole(entry);
      }),
      { seed: 11, numRuns: 300 },
    );
  });
});

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

test('the part to summarise is found by measuring each entry a few times, however many there are', () => {
  const entries = Array.from({ length: 3000 }, (_, index): readonly TranscriptEntry[] => [
    { ...said, seq: index * 2 + 1 },
    { type: 'turn', id: index * 2 + 2, runId: `run${index}`, principal: 'test:ada', seenSeq: 0, parts: [], calls: [] },
  ]).flat();
  let measured = 0;
  const counting = (text: string): number => {
    measured += 1;
    return text.length;
  };
  expect(spanOf(entries, { tokens: 1000, most: 2000 }, counting)?.entries.length).toBeGreaterThan(100);
  // A message has three texts.
  expect(measured).toBeLessThan(entries.length * 3 * 3);
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

test('sizes are corrected by what a model reports of large requests, and for no other model', () => {
  const gauge = new TokenGauge();
  const sizeFor = (model: string): number => gauge.measure(model)('x'.repeat(14_000));
  const before = sizeFor('dense');
  gauge.learn('dense', 100, { inputTokens: 1000, outputTokens: 0 });
  expect(sizeFor('dense')).toBe(before);
  gauge.learn('dense', before, { inputTokens: 2 * before, outputTokens: 0 });
  expect(sizeFor('dense')).toBeGreaterThan(2 * before);
  expect(sizeFor('other')).toBe(before);
});

describe('the limit of a model', () => {
  const told = (window: number, size?: number) => ({ window, size });

  test.each([
    ['is that of all models where nothing is known', {}, 32_000],
    ['is no more than its server serves', { window: 4096, windowFrom: 'server' }, 4096],
    [
      'is no more than all models get, though its server serves more',
      { window: 200_000, windowFrom: 'server' },
      32_000,
    ],
    ['is what the config says of it, if that is more', { window: 64_000, windowFrom: 'config' }, 64_000],
    ['is what the config says of it, if that is less', { window: 2000, windowFrom: 'config' }, 2000],
  ] as const)('%s', (_what, known, limit) => {
    expect(new TokenGauge().limit('m', 32_000, known)).toBe(limit);
  });

  test.each([
    ['that names the window is the window', 4768, told(4096, 4768), 4096],
    ['of a server that counts more than we do is less', 4000, told(4096, 8000), 2048],
    ['of a server that counts less than we do is the window', 9000, told(4096, 5000), 4096],
    ['of a request that would fit without its answer is less than the request', 4000, told(4096, 3900), 3000],
    ['that names a tiny window is no larger', 736, told(512, 736), 512],
    ['that names nothing is less than the request', 20_000, {}, 15_000],
    ['that names nothing may have another cause: it does not make the limit tiny', 700, {}, 4000],
  ] as const)('after a refusal %s', (_what, size, refusal, limit) => {
    const gauge = new TokenGauge();
    gauge.refused('m', 32_000, size, refusal);
    expect([gauge.limit('m', 32_000), gauge.limit('other', 32_000)]).toEqual([limit, 32_000]);
  });

  test('is no longer that of a refusal when the server has another window', () => {
    const gauge = new TokenGauge();
    gauge.refused('m', 32_000, 5000, told(4096, 10_000));
    expect(gauge.limit('m', 32_000, { window: 4096, windowFrom: 'refusal' })).toBe(2048);
    expect(gauge.limit('m', 32_000, { window: 16_384, windowFrom: 'server' })).toBe(16_384);
    expect(gauge.limit('m', 32_000, {})).toBe(32_000);
  });
});
