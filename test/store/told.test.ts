import { expect, test } from 'vitest';
import { type Log, silentLog } from '../../src/lib/log.ts';
import { createTelemetry, type TelemetryEvent } from '../../src/telemetry.ts';
import { direct } from '../support/deed.ts';
import { newStore, originOf, said } from '../support/store-setting.ts';

const ada = direct('test');

async function listened() {
  const { store, database } = await newStore();
  const events: TelemetryEvent[] = [];
  database.sql.told.listen((event) => events.push(event));
  /** A run that asks a model, as often as it is told to. */
  const asks = (runId: string, at: number, isNew = true) =>
    store.attempts.beginAsk({
      ...{ conversationId: 'test:ada', runId, principal: 'test:ada', model: 'main', day: '2026-11-27', at },
      usage: { inputTokens: 1, outputTokens: 1 },
      begins: { parentCallId: undefined, parentConversationId: undefined, waited: 70, isNew },
    });
  const closes = (runId: string, at: number, after = 0) =>
    store.runs.close({
      ...{ conversationId: 'test:ada', after, runId, principal: 'test:ada', seenSeq: 1, messages: [], at },
      reason: 'failed',
    });
  return { store, database, events, asks, closes };
}

test('what a write did is told once it is committed, and nothing of one that failed', async () => {
  const { store, database, events } = await listened();
  const failing = database.write((sql) => {
    sql.told.tell({ type: 'rights_changed', change: 'claimed', subject: 'test:eve', by: undefined });
    throw new Error('no');
  });
  const [first, second] = [said(originOf('ada', ada, 'k1'), 'one'), said(originOf('ada', ada, 'k2'), 'two')];
  const writes = [store.inbox.accept(first), failing, store.inbox.accept(second), store.inbox.accept(first)];
  expect(events).toEqual([]);
  await Promise.allSettled(writes);
  const received = { type: 'message_received', conversationId: 'test:ada', channel: 'test', kind: 'message' };
  expect(events).toEqual([
    { ...received, messageId: 'k1' },
    { ...received, messageId: 'k2' },
  ]);
});

test('a commit stands, and whoever wrote goes on, when what it did cannot be told', async () => {
  const { store, database, events } = await listened();
  const broken: unknown[] = [];
  database.sql.told.onBroken((error) => broken.push(error));
  const deaf = database.sql.told.listen(({ type }) => {
    if (type === 'message_received') throw new Error('deaf');
  });
  const accepted = [store.inbox.accept(said(originOf('ada', ada, 'k1'), 'one'))];
  const revoked = database.write((sql) => {
    sql.told.tell({ type: 'rights_changed', change: 'claimed', subject: 'test:eve', by: undefined });
    return 'claimed';
  });
  await Promise.all(accepted);
  expect(await revoked).toBe('claimed');
  expect(broken.map(String)).toEqual(['Error: deaf']);
  expect(events.map(({ type }) => type)).toEqual(['message_received', 'rights_changed']);
  deaf();
  await store.inbox.accept(said(originOf('ada', ada, 'k2'), 'two'));
  expect(events.map(({ type }) => type)).toEqual(['message_received', 'rights_changed', 'message_received']);
});

test('a run begins once, however often its model is asked, and its end tells how long that took', async () => {
  const { store, events, asks, closes } = await listened();
  await store.inbox.accept(said(originOf('ada', ada), 'hello'));
  events.length = 0;
  for (const at of [100, 120, 140]) await asks('run1', at);
  await closes('run1', 190);
  const run = { runId: 'run1', conversationId: 'test:ada' };
  expect(events).toEqual([
    { type: 'run_began', ...run, principal: 'test:ada', parentCallId: undefined, waited: 70 },
    { type: 'run_ended', ...run, outcome: 'failed', duration: 90, calls: 0, modelCalls: 3 },
  ]);
});

test('a run that another process has begun does not begin again; one that gives way ends; one that asked nothing does both', async () => {
  const { store, events, asks, closes } = await listened();
  await store.inbox.accept(said(originOf('ada', ada), 'hello'));
  events.length = 0;
  await asks('run1', 100, false);
  await asks('run2', 150);
  await closes('run2', 160);
  await store.runs.close({
    ...{ conversationId: 'test:bob', after: 0, runId: 'run9', principal: 'test:bob', seenSeq: 1, messages: [], at: 5 },
    reason: 'failed',
  });
  expect(events).toMatchObject([
    { type: 'run_ended', runId: 'run1', outcome: 'left', duration: 120 },
    { type: 'run_began', runId: 'run2' },
    { type: 'run_ended', runId: 'run2', duration: 10 },
    { type: 'run_began', runId: 'run9' },
    { type: 'run_ended', runId: 'run9', duration: 0, modelCalls: 0 },
  ]);
});

test('a run of an earlier process ends with what is stored of it', async () => {
  const { store, events, closes } = await listened();
  await store.inbox.accept(said(originOf('ada', ada), 'hello'));
  const run = { conversationId: 'test:ada', runId: 'run1', principal: 'test:ada', seenSeq: 1, messages: [], parts: [] };
  const took = { usage: { inputTokens: 0, outputTokens: 0 }, model: 'main', day: '2026-11-27' };
  const call = { id: 'c1', modelCallId: 'm1', name: 'look', arguments: {}, hash: 'h' };
  const calls = [{ ...call, state: 'done', result: { outcome: 'success', text: 'seen' } }] as const;
  await store.runs.storeTurn({ ...run, ...took, after: 0, calls, at: 100 });
  events.length = 0;
  await closes('run1', 190, 1);
  const end = { type: 'run_ended', runId: 'run1', conversationId: 'test:ada', outcome: 'failed' };
  expect(events).toEqual([{ ...end, duration: 90, calls: 1, modelCalls: 1 }]);
});

test('what ends a run again in the same commit takes what is stored of it', async () => {
  const { store, events, asks, closes } = await listened();
  await store.inbox.accept(said(originOf('ada', ada), 'hello'));
  const run = { conversationId: 'test:ada', runId: 'run1', principal: 'test:ada', seenSeq: 1, messages: [], parts: [] };
  const took = { usage: { inputTokens: 0, outputTokens: 0 }, model: 'main', day: '2026-11-27' };
  await asks('run1', 100);
  const turn = store.runs.storeTurn({ ...run, ...took, after: 0, calls: [], at: 150 });
  events.length = 0;
  await Promise.all([turn, closes('run1', 190, 1)]);
  expect(events).toMatchObject([
    { type: 'run_ended', outcome: 'answered', duration: 50 },
    { type: 'run_ended', outcome: 'failed', duration: 40, modelCalls: 1 },
  ]);
});

test('who throws when something is told keeps nobody from hearing it, and is logged once', () => {
  const lines: string[] = [];
  const log: Log = { ...silentLog, error: (_fields, words) => lines.push(words) };
  const telemetry = createTelemetry(log);
  const heard: string[] = [];
  telemetry.listen(() => {
    throw new Error('broken');
  });
  const unlisten = telemetry.listen(({ type }) => heard.push(type));
  const event = { type: 'rights_changed', change: 'claimed', subject: 'test:ada', by: undefined } as const;
  for (let count = 0; count < 3; count += 1) telemetry.tell(event);
  unlisten();
  telemetry.tell(event);
  expect([heard.length, lines.length]).toEqual([3, 1]);
});
