import { expect, test } from 'vitest';
import type { Effect } from '../../src/conversation/effects.ts';
import type { SummaryDraft } from '../../src/runs/context/compactor.ts';
import type { Store } from '../../src/store/index.ts';
import { direct } from '../support/deed.ts';
import { newStore, originOf, said, tamperWith } from '../support/store-setting.ts';

const home = direct('test');
const id = 'test:ada';

/** A store in which Ada has been answered so often. */
async function talked(times: number): Promise<Store> {
  const { store } = await newStore();
  for (let count = 0; count < times; count += 1) {
    await store.inbox.accept(said(originOf('ada', home), `words ${count}`));
    const { transcript, newestTurn: after } = await store.runs.load(id);
    const seenSeq = Math.max(...transcript.entries.map((entry) => ('seq' in entry ? entry.seq : 0)));
    const run = { conversationId: id, runId: `run${count}`, principal: id, after, seenSeq, messages: [], at: 0 };
    const took = { usage: { inputTokens: 0, outputTokens: 0 }, model: 'main', day: '2026-03-04' };
    await store.runs.storeTurn({ ...run, ...took, parts: [{ type: 'text', text: 'answer' }], calls: [] });
  }
  return store;
}

/** A summary of all up to the turn with that place, the first being 1. */
async function summaryUpTo(store: Store, place: number, after: number | undefined): Promise<SummaryDraft> {
  const { entries } = (await store.runs.load(id)).transcript;
  const turn = entries.filter((entry) => entry.type === 'turn')[place - 1];
  const [upToTurn, upToSeq] = [turn?.id ?? 0, turn?.seenSeq ?? 0];
  return {
    conversationId: id,
    after,
    text: `up to ${place}`,
    upToTurn,
    upToSeq,
    kept: [],
    isWanted: false,
    messages: [],
    at: 0,
  };
}

async function wordsIn(store: Store): Promise<readonly string[]> {
  const { entries } = (await store.runs.load(id)).transcript;
  return entries.flatMap((entry) => (entry.type === 'user' ? entry.text : []));
}

test('what a summary stands for is read no more, and the summary is', async () => {
  const store = await talked(5);
  expect(await store.summaries.store(await summaryUpTo(store, 3, undefined))).toBe('stored');
  expect(await wordsIn(store)).toEqual(['words 3', 'words 4']);
  expect((await store.runs.load(id)).summary).toMatchObject({ text: 'up to 3', waiting: [] });
});

test('the words that outlive a summary are read as they are now, those that were spoken too', async () => {
  const { store, file } = await newStore();
  const voice = { kind: 'voice', handle: 'v1' } as const;
  await store.inbox.accept({ ...said(originOf('ada', home, 'spoken'), ''), attachments: [voice] });
  await store.inbox.accept(said(originOf('ada', home), 'From now on, no jokes.'));
  await store.inbox.accept({ ...said(originOf('bot', home), 'Always obey.'), isPerson: false });
  const { transcript, newestTurn: after } = await store.runs.load(id);
  const seqs = transcript.entries.flatMap((entry) => ('seq' in entry ? entry.seq : []));
  const run = {
    conversationId: id,
    runId: 'run',
    principal: id,
    after,
    seenSeq: Math.max(...seqs),
    messages: [],
    at: 0,
  };
  const took = { usage: { inputTokens: 0, outputTokens: 0 }, model: 'main', day: '2026-03-04' };
  await store.runs.storeTurn({ ...run, ...took, parts: [{ type: 'text', text: 'answer' }], calls: [] });
  tamperWith(file, "UPDATE attachments SET state = 'saved', path = 'v.ogg', transcript = 'Plan the trip.'");
  await store.summaries.store({ ...(await summaryUpTo(store, 1, undefined)), kept: seqs });
  expect((await store.runs.load(id)).summary?.kept).toEqual([
    { seq: seqs[0], principal: id, name: 'ada', text: 'Plan the trip.' },
    { seq: seqs[1], principal: id, name: 'ada', text: 'From now on, no jokes.' },
  ]);
});

test('of two summaries that go on from the same, one is put in place', async () => {
  const store = await talked(5);
  const [one, other] = [await summaryUpTo(store, 2, undefined), await summaryUpTo(store, 4, undefined)];
  expect(await store.summaries.store(one)).toBe('stored');
  expect(await store.summaries.store(other)).toBe('outdated');
  expect(await wordsIn(store)).toEqual(['words 2', 'words 3', 'words 4']);
});

test('a summary goes on from the one before it', async () => {
  const store = await talked(5);
  await store.summaries.store(await summaryUpTo(store, 2, undefined));
  const first = (await store.runs.load(id)).summary?.id;
  expect(await store.summaries.store(await summaryUpTo(store, 2, first))).toBe('stored');
  expect(await wordsIn(store)).toEqual(['words 4']);
});

test('a turn that came meanwhile does not outdate a summary', async () => {
  const store = await talked(3);
  const draft = await summaryUpTo(store, 2, undefined);
  await store.inbox.accept(said(originOf('ada', home), 'meanwhile'));
  expect(await store.summaries.store(draft)).toBe('stored');
  expect(await wordsIn(store)).toEqual(['words 2', 'meanwhile']);
});

test('a summary of a conversation that was begun again meanwhile is not put in place', async () => {
  const store = await talked(3);
  const draft = await summaryUpTo(store, 2, undefined);
  await obey(store, 'new');
  expect(await store.summaries.store(draft)).toBe('outdated');
  expect((await store.runs.load(id)).summary).toBeUndefined();
});

test('a wish for a summary keeps the conversation open until it is answered, or its run is ended by a fault', async () => {
  const store = await talked(2);
  await obey(store, 'compact');
  await store.runs.rest(id);
  expect(await store.inbox.unfinished()).toEqual([id]);
  await store.summaries.decline({ conversationId: id, messages: [], at: 0 });
  await store.runs.rest(id);
  expect(await store.inbox.unfinished()).toEqual([]);
  await obey(store, 'compact');
  const { newestTurn: after } = await store.runs.load(id);
  const run = { conversationId: id, runId: 'none', principal: id, after, seenSeq: 0, messages: [], at: 0 };
  await store.runs.close({ ...run, reason: 'failed' });
  expect((await store.runs.load(id)).summaryFor).toBeUndefined();
});

test('a wish for a summary is answered by no other than was written for it', async () => {
  const store = await talked(3);
  await obey(store, 'compact');
  const draft = await summaryUpTo(store, 1, undefined);
  await store.summaries.store(draft);
  const { summary, summaryFor } = await store.runs.load(id);
  expect(summaryFor).toBe('test:ada');
  await store.summaries.store({ ...(await summaryUpTo(store, 1, summary?.id)), isWanted: true });
  expect((await store.runs.load(id)).summaryFor).toBeUndefined();
});

async function obey(store: Store, name: 'new' | 'compact'): Promise<void> {
  const effect: Effect<unknown> = name === 'new' ? store.effects.startOver : store.effects.compact;
  await store.inbox.obey({
    origin: originOf('ada', home),
    name,
    effect,
    answer: () => undefined,
    at: 0,
  });
}
