import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Effect, noEffect } from '../../src/conversation/effects.ts';
import type { Store } from '../../src/store/index.ts';
import { direct } from '../support/deed.ts';
import { newStore, originOf, said, tamperWith } from '../support/store-setting.ts';

const home = direct('test');
const id = 'test:ada';
const took = { usage: { inputTokens: 0, outputTokens: 0 }, model: 'main', day: '2026-03-04' };

type Deed = 'message' | 'load' | 'turn' | 'closing' | 'new' | 'command';

/** What a run knows between its load and its turn. */
interface Seen {
  readonly after: number;
  readonly seenSeq: number;
}

async function look(store: Store): Promise<Seen> {
  const { transcript, newestTurn } = await store.runs.load(id);
  const seqs = transcript.entries.map((entry) => ('seq' in entry ? entry.seq : entry.seenSeq));
  return { after: newestTurn, seenSeq: Math.max(0, ...seqs) };
}

/** Each turn is a run of its own, if the test does not say otherwise. */
async function act(store: Store, deed: Deed, seen: Seen, runId = `run${seen.after}`): Promise<Seen> {
  const origin = originOf('ada', home);
  const run = { conversationId: id, runId, principal: id, ...seen, messages: [], at: 0 };
  switch (deed) {
    case 'message':
      await store.inbox.accept(said(origin, 'words'));
      return seen;
    case 'command':
    case 'new': {
      const effect: Effect<unknown> = deed === 'new' ? store.effects.startOver : noEffect;
      await store.inbox.obey({
        origin,
        name: deed,
        effect,
        answer: () => undefined,
        at: 0,
      });
      return seen;
    }
    case 'load':
      return look(store);
    case 'turn':
      await store.runs.storeTurn({ ...run, parts: [{ type: 'text', text: 'answer' }], ...took, calls: [] });
      return seen;
    case 'closing':
      await store.runs.close({ ...run, reason: 'failed' });
      return seen;
  }
}

describe('the transcript', () => {
  test('shows each message right behind the last turn that had not seen it, however things were stored', async () => {
    const { store } = await newStore();
    const often = ['message', 'load', 'turn'] as const;
    const deed = fc.constantFrom<Deed>(...often, ...often, 'closing', 'command', 'new');
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 14 }), async (deeds) => {
        await act(store, 'message', { after: 0, seenSeq: 0 });
        await act(store, 'new', { after: 0, seenSeq: 0 });
        let seen = await look(store);
        for (const one of deeds) seen = await act(store, one, seen);
        const { entries } = (await store.runs.load(id)).transcript;
        for (const [at, entry] of entries.entries()) {
          if (entry.type !== 'user' && entry.type !== 'event') continue;
          const turns = (some: typeof entries) => some.flatMap((one) => ('seenSeq' in one ? [one.seenSeq] : []));
          for (const seenSeq of turns(entries.slice(0, at))) expect(seenSeq).toBeLessThan(entry.seq);
          for (const seenSeq of turns(entries.slice(at))) expect(seenSeq).toBeGreaterThanOrEqual(entry.seq);
        }
        const seqs = entries.flatMap((entry) => ('seq' in entry ? [entry.seq] : []));
        expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      }),
      { seed: 9, numRuns: 60 },
    );
  });

  test('holds every message since the conversation began, and none from before', async () => {
    const { store } = await newStore();
    for (const text of ['old', 'older']) await store.inbox.accept(said(originOf('ada', home), text));
    await act(store, 'new', { after: 0, seenSeq: 0 });
    for (const text of ['one', 'two']) await store.inbox.accept(said(originOf('ada', home), text));
    const { entries } = (await store.runs.load(id)).transcript;
    expect(entries.map((entry) => (entry.type === 'user' ? entry.text : entry.type))).toEqual(['one', 'two']);
  });

  /** So many messages, and a turn behind each: all of one run, or each of its own. */
  async function talk(store: Store, turns: number, runId?: string): Promise<void> {
    for (let count = 0; count < turns; count++) {
      await act(store, 'message', { after: 0, seenSeq: 0 });
      await act(store, 'turn', await look(store), runId);
    }
  }

  test('of a long conversation is its end: as much as any request holds', async () => {
    const { store } = await newStore();
    await talk(store, 130);
    const { entries } = (await store.runs.load(id)).transcript;
    expect(entries.filter(({ type }) => type === 'turn')).toHaveLength(120);
    expect(entries[0]?.type).toBe('user');
    expect(entries).toHaveLength(240);
  });

  test('of a long conversation is as much as the window can hold', async () => {
    const { store } = await newStore();
    await talk(store, 130);
    const { transcript, isNearlyFull } = await store.runs.load(id, 32_000);
    expect(transcript.entries).toHaveLength(260);
    expect(isNearlyFull).toBe(false);
    expect((await store.runs.load(id, 2600)).isNearlyFull).toBe(true);
    expect((await store.runs.load(id, 1000)).transcript.entries).toHaveLength(240);
  });

  test('takes no more memory than any window needs, however long results are, and says when it is nearly full', async () => {
    const { store } = await newStore();
    const long = 'x'.repeat(200_000);
    const answer = async (count: number, result: string, runId: string): Promise<void> => {
      await act(store, 'message', { after: 0, seenSeq: 0 });
      const call = { id: `call${count}`, modelCallId: `m${count}`, name: 'look', arguments: {} };
      const parts = [{ type: 'call', callId: call.id, ...call }] as const;
      const calls = [{ ...call, state: 'done', result: { outcome: 'success', text: result } }] as const;
      const run = { conversationId: id, runId, principal: id, ...(await look(store)), messages: [], at: 0 };
      await store.runs.storeTurn({ ...run, parts, calls, ...took });
    };
    const held = async () => {
      const { transcript, isNearlyFull } = await store.runs.load(id, 1_000_000);
      return {
        turns: transcript.entries.filter(({ type }) => type === 'turn').length,
        first: transcript.entries[0]?.type,
        isNearlyFull,
      };
    };
    for (let count = 0; count < 25; count += 1) await answer(count, long, `run${count}`);
    expect(await held()).toEqual({ turns: 25, first: 'user', isNearlyFull: false });
    for (let count = 25; count < 35; count += 1) await answer(count, long, `run${count}`);
    expect(await held()).toEqual({ turns: 35, first: 'user', isNearlyFull: true });
    for (let count = 35; count < 50; count += 1) await answer(count, long, `run${count}`);
    expect(await held()).toEqual({ turns: 39, first: 'user', isNearlyFull: true });
    // The newest run is whole all the same.
    for (let count = 50; count < 95; count += 1) await answer(count, long, 'long');
    expect(await held()).toEqual({ turns: 45, first: 'user', isNearlyFull: true });
  });

  test('of a run that is longer than that is the whole run with what was said in it, and nothing before it', async () => {
    const { store } = await newStore();
    await talk(store, 30);
    await talk(store, 250, 'long');
    const { transcript, turnsOfRun } = await store.runs.load(id);
    const { entries } = transcript;
    expect(entries.flatMap((entry) => (entry.type === 'turn' ? [entry.runId] : []))).toEqual(
      Array.from({ length: 250 }, () => 'long'),
    );
    expect(entries.map((entry) => entry.type)).toEqual(
      Array.from({ length: 500 }, (_, index) => (index % 2 === 0 ? 'user' : 'turn')),
    );
    expect(turnsOfRun).toBe(250);
  });

  test('of a run has its beginning, be it shorter than what is read of others, as long, or longer', async () => {
    const { store } = await newStore();
    await talk(store, 2);
    await talk(store, 118, 'long');
    for (const turns of [119, 120, 121]) {
      await talk(store, 1, 'long');
      const { entries } = (await store.runs.load(id)).transcript;
      const inRun = entries.filter((entry) => entry.type === 'turn' && entry.runId === 'long');
      expect(inRun).toHaveLength(turns);
      expect(entries.slice(-2 * turns).map(({ type }) => type)[0]).toBe('user');
    }
  });

  test('holds what wants an answer, however many changes that want none came before it', async () => {
    const { store, file } = await newStore();
    await talk(store, 1);
    tamperWith(
      file,
      `WITH RECURSIVE change(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM change WHERE n < 250)
       INSERT INTO inbox (key, conversation_id, kind, principal, name, text, wants_answer, sent_at, received_at, is_person)
         SELECT 'change' || n, conversation_id, 'event', principal, name, 'changed', 0, 0, 0, 1 FROM change, inbox`,
    );
    await store.inbox.accept(said(originOf('ada', home), 'and now?'));
    expect((await store.runs.load(id)).transcript.entries.at(-1)).toMatchObject({ type: 'user', text: 'and now?' });
  });

  test('a turn that followed from an older state is not stored', async () => {
    const { store } = await newStore();
    await act(store, 'message', { after: 0, seenSeq: 0 });
    const seen = await look(store);
    await act(store, 'closing', seen);
    const run = { conversationId: id, runId: 'run1', principal: id, ...seen, messages: [], at: 0 };
    expect(await store.runs.storeTurn({ ...run, ...took, parts: [], calls: [] })).toBe('outdated');
    expect((await store.runs.load(id)).transcript.entries.map(({ type }) => type)).toEqual(['user', 'closing']);
  });
});
