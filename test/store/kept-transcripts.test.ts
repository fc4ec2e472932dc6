import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { load } from '../../src/store/run-state.ts';
import type { Sql } from '../../src/store/sql.ts';
import { SqliteSql } from '../../src/store/sqlite-sql.ts';
import { direct } from '../support/deed.ts';
import { newStore, originOf, said, tamperWith } from '../support/store-setting.ts';

const took = { usage: { inputTokens: 1, outputTokens: 1 }, model: 'main', day: '2026-03-04' };
const tokens = 2000;
const numRuns = Math.min(400, Number(process.env.KEYTURN_PROPERTY_RUNS ?? 15));

type Deed = (typeof deeds)[number];

/** What people, models and tools do; and what is done to rows behind a run's back. */
const deeds = [
  ...['message', 'file', 'turn', 'turn', 'call', 'work', 'work', 'end', 'defer', 'close', 'load', 'load'],
  ...['edit', 'withdraw', 'new', 'summary', 'rename', 'settle', 'labels', 'spending', 'new title', 'other person'],
  ...['rewrite', 'retell', 'trust', 'lose a turn', 'lose a message', 'lose a call', 'move to the end', 'elsewhere'],
] as const;

/** Changes of rows that no step of a run makes. */
const changes: Readonly<Partial<Record<string, string>>> = {
  rewrite: `UPDATE turns SET parts = '[{"type":"text","text":"other"}]' WHERE id = (SELECT min(id) FROM turns)`,
  retell: `UPDATE inbox SET text = 'other' WHERE seq = (SELECT min(seq) FROM inbox)`,
  trust: 'UPDATE calls SET trusted = 1',
  'lose a turn': `DELETE FROM turns WHERE id = (SELECT min(id) FROM turns WHERE id NOT IN (SELECT turn_id FROM calls))`,
  'lose a message': 'DELETE FROM inbox WHERE seq = (SELECT min(seq) FROM inbox WHERE attachments = 0)',
  'lose a call': `DELETE FROM calls WHERE id = (SELECT min(id) FROM calls)`,
  'move to the end': `UPDATE inbox SET seq = (SELECT max(seq) + 1 FROM inbox) WHERE seq = (SELECT min(seq) FROM inbox WHERE attachments = 0)`,
  settle: `UPDATE attachments SET state = 'saved', path = 'a.txt' WHERE state = 'pending'`,
  'new title': `UPDATE conversations SET title = coalesce(title, '') || 'x'`,
  'other person': `UPDATE OR IGNORE participants SET principal = 'test:0' || substr(principal, 6) WHERE principal NOT LIKE 'test:0%'`,
  labels: `UPDATE conversations SET tainted = 1 - tainted, taint_sources = '["web"]'`,
  spending: `UPDATE conversations SET spent_run = 'run1', spent_tokens = spent_tokens + 5`,
};

/** A store, what was said there, and which calls were made. */
interface Place extends Awaited<ReturnType<typeof newStore>> {
  readonly sent: string[];
  readonly callIds: string[];
}

const idOf = (person: string): string => `test:${person}`;
const here = (person: string, key?: string) => originOf(person, direct('test', person), key);

async function seenBy(person: string, { store }: Place) {
  const { transcript, newestTurn: after } = await store.runs.load(idOf(person), tokens);
  const seqs = transcript.entries.map((entry) => ('seq' in entry ? entry.seq : entry.seenSeq));
  return { after, seenSeq: Math.max(0, ...seqs) };
}

/** Some turns belong to one run. */
async function runOf(person: string, place: Place) {
  const seen = await seenBy(person, place);
  const runId = `run${Math.ceil(seen.after / 3)}`;
  return { conversationId: idOf(person), runId, principal: idOf(person), ...seen, messages: [], at: 0 };
}

async function say(person: string, name: string, files: number, { store, sent }: Place): Promise<void> {
  const origin = { ...here(person), name };
  sent.push(origin.key);
  const attachments = Array.from({ length: files }, () => ({ kind: 'file' as const, handle: 'h', name: 'a.txt' }));
  await store.inbox.accept({ ...said(origin, 'words'), attachments });
}

async function answer(person: string, isCalling: boolean, place: Place): Promise<void> {
  const { store, callIds } = place;
  const run = { ...(await runOf(person, place)), ...took };
  const callId = `call${callIds.length}`;
  const call = { modelCallId: callId, name: 'look', arguments: {} };
  if (isCalling) callIds.push(callId);
  await store.runs.storeTurn({
    ...run,
    parts: [isCalling ? { type: 'call', callId, ...call } : { type: 'text', text: 'answer' }],
    calls: isCalling ? [{ id: callId, ...call, state: 'ready' }] : [],
  });
}

/** The call is made, if it can be. */
async function finish(callId = 'none', { store }: Place): Promise<void> {
  const result = { outcome: 'success', text: 'seen' } as const;
  await store.runs.begin(callId, 0);
  await store.runs.end({ callId, result, duration: 1, messages: [], cardNote: () => '', at: 0 });
}

async function summarise(person: string, { store }: Place): Promise<void> {
  const { transcript, summary } = await store.runs.load(idOf(person), tokens);
  const first = transcript.entries.find((entry) => entry.type === 'turn');
  if (first?.type !== 'turn') return;
  const span = { upToTurn: first.id, upToSeq: first.seenSeq, kept: [], isWanted: false };
  const ids = { conversationId: idOf(person), after: summary?.id };
  await store.summaries.store({ ...ids, text: 'so far', ...span, messages: [], at: 0 });
}

async function act([deed, person, pick]: readonly [Deed, string, number], place: Place): Promise<unknown> {
  const { store, database, sent, callIds, file } = place;
  const callId = callIds[pick % callIds.length] ?? 'none';
  const messageKey = sent[pick % sent.length] ?? 'none';
  const change = changes[deed];
  if (change !== undefined) return database.write((sql) => sql.run(change));
  switch (deed) {
    case 'message':
      return say(person, person, 0, place);
    case 'file':
      return say(person, person, 2, place);
    case 'rename':
      return say(person, `${person} ${pick}`, 0, place);
    case 'turn':
    case 'call':
      return answer(person, deed === 'call', place);
    case 'work':
      await answer(person, true, place);
      return finish(callIds.at(-1), place);
    case 'end':
      return finish(callId, place);
    case 'defer':
      return store.runs.defer([callId]);
    case 'close':
      return store.runs.close({ ...(await runOf(person, place)), reason: 'failed' });
    case 'edit':
      return store.inbox.edit({ origin: here(person), messageKey, text: `new ${pick}`, untrusted: [], at: 0 });
    case 'withdraw':
      return store.inbox.withdraw({ messageKey, principal: idOf(person), at: 0 });
    case 'new': {
      const { startOver } = store.effects;
      return store.inbox.obey({ origin: here(person), name: 'new', effect: startOver, answer: () => undefined, at: 0 });
    }
    case 'summary':
      return summarise(person, place);
    case 'elsewhere':
      return tamperWith(file, `UPDATE turns SET parts = '[{"type":"text","text":"elsewhere"}]'`);
    default:
      return seenBy(person, place);
  }
}

/** What a process reads that keeps nothing. */
async function fresh(id: string, { file }: Place) {
  const reader = new Sqlite(file, { readonly: true });
  try {
    const sql = new SqliteSql(reader);
    const { conversation, ...state } = await load(sql, id, tokens);
    const [person] = sql.texts('SELECT min(principal) FROM participants WHERE conversation_id = ?', id);
    return { ...state, conversation, person };
  } finally {
    reader.close();
  }
}

describe('what is kept of the transcripts of live conversations', () => {
  test('is what another reader finds in the file, whatever was done to it', async () => {
    const deed = fc.tuple(fc.constantFrom<Deed>(...deeds), fc.constantFrom('ada', 'ben'), fc.nat({ max: 30 }));
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 10, maxLength: 30 }), async (done) => {
        const place: Place = { ...(await newStore()), sent: [], callIds: [] };
        for (const person of ['ada', 'ben']) await act(['message', person, 0], place);
        for (const one of done) {
          await act(one, place);
          const id = idOf(one[1]);
          const { store, database } = place;
          const known = { conversation: store.places.conversationOf(id), person: store.places.personIn(id) };
          const loaded = await database.read((sql) => load(sql, id, tokens));
          expect({ ...loaded, ...known }, one[0]).toEqual(await fresh(id, place));
        }
      }),
      { seed: 38, numRuns, endOnFailure: true },
    );
  });

  test('is nothing that a write has read which is rolled back, and is watched none the less', async () => {
    const place: Place = { ...(await newStore()), sent: [], callIds: [] };
    const { database } = place;
    const id = idOf('ada');
    const rolledBack = async (sql: Sql): Promise<never> => {
      if (changes.retell !== undefined) await sql.run(changes.retell);
      await load(sql, id, tokens);
      throw new Error('taken back');
    };
    await act(['message', 'ada', 0], place);
    for (const deed of ['fails', 'turn', 'rewrite', 'message', 'turn', 'fails', 'message', 'retell'] as const) {
      if (deed === 'fails') await expect(database.write(rolledBack)).rejects.toThrow('taken back');
      else await act([deed, 'ada', 0], place);
      const { transcript } = await fresh(id, place);
      expect(await database.read((sql) => load(sql, id, tokens)), deed).toMatchObject({ transcript });
    }
  });
});
