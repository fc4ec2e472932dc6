import type { CommandEffects, Doing, StartedOver, Stopped } from '../conversation/effects.ts';
import type { Done, InboxStore, StoredCommand } from '../conversation/inbox.ts';
import type { DaemonEvent, UserMessage } from '../transcript.ts';
import { callOffExtensions, cancelCall, cancelled } from './approvals.ts';
import * as audit from './audit.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import { grantsHere, revokeGrants } from './grants.ts';
import { choose } from './group-choices.ts';
import * as inbox from './inbox.ts';
import * as journal from './journal.ts';
import * as languages from './languages.ts';
import { showCardAgain } from './open-cards.ts';
import * as outbox from './outbox.ts';
import * as people from './people.ts';
import { oldestUnread } from './rows-to-read.ts';
import { tellRunEnded } from './run-ends.ts';
import { toReadEntry, wishForSummary } from './run-state.ts';
import { closeSubRun } from './runs.ts';
import * as shownLists from './shown-lists.ts';
import { type Sql, sqlIn } from './sql.ts';
import * as timeZones from './time-zones.ts';
import { unpark } from './undelivered.ts';

type CommandStore = Pick<InboxStore, 'obey' | 'newestSeq' | 'isStored' | 'subRunsOf' | 'grantsHere'>;

/** Commands. Each is stored with its effect and its answer in one transaction, so a redelivery does nothing. */
export function createCommandStore(database: Database): CommandStore {
  const { sql } = database;
  return {
    obey: (command, visible) =>
      database.writeIncoming(
        (sql) => obey(sql, command),
        'full',
        (obeyed) => {
          if (obeyed.status === 'done') visible?.(obeyed);
        },
      ),
    newestSeq: async (conversationId) => inbox.newestSeq(sql, conversationId),
    isStored: async (key) => inbox.has(sql, key),
    subRunsOf: async (conversationId) => conversations.runningFor(sql, conversationId),
    grantsHere: async (conversationId, now) => grantsHere(sql, conversationId, now),
  };
}

const repeated = { status: 'repeated' } as const;

async function obey<Result>(
  sql: Sql,
  {
    origin,
    name,
    effect,
    answer,
    at,
    upTo,
    inPlaceOf,
    isOnlyInPlace = false,
    isUnheard = false,
  }: StoredCommand<Result>,
): Promise<Done<Result> | typeof repeated> {
  const { conversationId } = origin;
  if (!(await inbox.addObeyed(sql, origin, 'command', name, at))) return repeated;
  if (isUnheard) await conversations.addUnheard(sql, origin);
  else await conversations.hear(sql, origin, at, false);
  const conversationIds: string[] = [];
  const result = await effect.apply({ origin, at, conversationIds, upTo, transaction: sql });
  const isInPlace = inPlaceOf !== undefined && (await shownLists.isList(sql, inPlaceOf, conversationId));
  const message = isOnlyInPlace && !isInPlace ? undefined : answer(result, isInPlace);
  if (message !== undefined && isInPlace) await shownLists.changeList(sql, inPlaceOf, message);
  else if (message !== undefined) await outbox.add(sql, { conversationId, message }, at);
  await audit.addBy(sql, 'command', origin, at, { name, effect: effect.name, ...effect.audited?.(result) });
  return { status: 'done', conversationIds, result, isInPlace: isInPlace && message !== undefined };
}

/** The effects of the core's commands. */
export function createCommandEffects(): CommandEffects {
  return {
    stop: {
      name: 'stop',
      async apply(doing) {
        const sql = sqlIn(doing);
        await wishForSummary(sql, doing.origin.conversationId, undefined);
        return await stopRun(sql, doing, false);
      },
    },
    startOver: { name: 'new', apply: (doing) => startOver(sqlIn(doing), doing) },
    compact: {
      name: 'compact',
      async apply(doing) {
        const sql = sqlIn(doing);
        const { conversationId, principal } = doing.origin;
        await wishForSummary(sql, conversationId, principal);
        await conversations.setOpen(sql, conversationId);
      },
    },
    trustHere: {
      name: 'trust-here',
      apply: (doing) => conversations.clearTaint(sqlIn(doing), doing.origin.conversationId),
      audited: (covers) => ({ covers }),
    },
    claim: { name: 'claim', apply: (doing) => people.claim(sqlIn(doing), doing) },
    model: (name) => ({ name: 'model', apply: (doing) => setModel(sqlIn(doing), doing.origin.conversationId, name) }),
    revoke: (grantIds) => ({
      name: 'revoke',
      apply: (doing) => revokeGrants(sqlIn(doing), grantIds, doing.origin, doing.at),
    }),
    pair: (whom, welcome) => ({ name: 'pair', apply: (doing) => people.pair(sqlIn(doing), whom, welcome, doing) }),
    chooseGroup: (choosing) => ({ name: 'choose-group', apply: (doing) => choose(sqlIn(doing), choosing, doing) }),
    refuse: (whom, until) => ({
      name: 'refuse',
      apply: (doing) => people.refuse(sqlIn(doing), { whom, until }, doing),
    }),
    unpair: (principal) => ({ name: 'unpair', apply: (doing) => people.unpair(sqlIn(doing), principal, doing) }),
    unpark: (wish) => ({
      name: 'unpark',
      async apply(doing) {
        const { origin, conversationIds } = doing;
        const sql = sqlIn(doing);
        const unparked = await unpark(sql, wish, origin.conversationId, conversationIds);
        await outbox.addTwin(sql, 'stub', wish.stubId, origin);
        return unparked;
      },
    }),
    showCard: (wish) => ({ name: 'show-card', apply: (doing) => showCardAgain(sqlIn(doing), wish, doing) }),
    timeZone: (timeZone, accounts) => ({
      name: 'time-zone',
      async apply(doing) {
        const sql = sqlIn(doing);
        await timeZones.forget(sql, accounts);
        if (timeZone !== undefined)
          await timeZones.note(sql, { principal: doing.origin.principal, source: 'set', timeZone }, doing.at);
      },
    }),
    language: (language, accounts) => ({
      name: 'language',
      async apply(doing) {
        const sql = sqlIn(doing);
        await languages.forget(sql, accounts);
        if (language !== undefined)
          await languages.note(sql, { principal: doing.origin.principal, source: 'set', language }, doing.at);
      },
    }),
  };
}

async function startOver(sql: Sql, doing: Doing): Promise<StartedOver> {
  const { conversationId } = doing.origin;
  const { seenSeq } = await endOfRun(sql, doing);
  const stopped = await stopRun(sql, doing, true);
  for (const grant of await sql.texts(endWindows, doing.at, conversationId, doing.at))
    await audit.addBy(sql, 'grant-revoked', doing.origin, doing.at, { grant });
  await sql.run(beginAgain, seenSeq, conversationId);
  return { ...stopped, pinned: (await conversations.find(sql, conversationId))?.pinned.length ?? 0 };
}

const endWindows = `UPDATE grants SET revoked_at = ? WHERE conversation_id = ? AND kind = 'window' AND revoked_at IS NULL
  AND expires_at > ? RETURNING id`;
/** Earlier entries are no longer read, and the labels are cleared. */
const beginAgain = `UPDATE conversations SET tainted = 0, private = 0, taint_sources = '[]', summary_id = NULL, summary_for = NULL,
    since_seq = ?, since_turn = (SELECT coalesce(max(id), 0) FROM turns) WHERE id = ?`;

async function setModel(sql: Sql, conversationId: string, name: string | undefined): Promise<void> {
  await sql.run('UPDATE conversations SET model = ? WHERE id = ?', name, conversationId);
  // Ends a back-off: the model is tried when the conversation resumes.
  await sql.run(`UPDATE attempts SET retry_at = 0 WHERE kind = 'wait' AND key = ?`, conversationId);
}

/**
 * Cancels calls that have not begun and closes the run, so that an answer in progress is outdated. With `startsOver`,
 * the outcomes of deferred calls are not reported.
 */
export async function stopRun(sql: Sql, doing: Doing, startsOver: boolean): Promise<Stopped> {
  const { origin, at, conversationIds } = doing;
  const { conversationId, principal } = origin;
  // Own calls first: calls that wait for sub-runs are then over and take no results from them.
  const subRuns = await conversations.runningFor(sql, conversationId);
  const open: journal.OpenCall[] = [];
  for (const id of [conversationId, ...subRuns]) open.push(...(await journal.cancellable(sql, id)));
  const stopped = (await conversations.find(sql, conversationId))?.isOpen === true;
  for (const call of open) {
    conversationIds.push(...(await cancelCall(sql, call.id, principal, at)));
    if (call.isDeferred && !startsOver) await inbox.addOutcome(sql, call, cancelled, false, at);
  }
  conversationIds.push(...(await callOffExtensions(sql, conversationId, principal, at)));
  for (const id of [conversationId, ...subRuns]) await journal.endAttempts(sql, id, 'wait', 'run');
  if (stopped || open.length > 0) {
    const { seenSeq, run } = await endOfRun(sql, doing);
    const closing = { conversationId, runId: `stop${seenSeq}`, principal, seenSeq, reason: 'stopped', at } as const;
    await journal.addClosing(sql, closing);
    await conversations.settle(sql, conversationId, seenSeq);
    await tellRunEnded(sql, conversationId, run, { outcome: 'stopped', at });
  }
  for (const id of subRuns) await closeSubRun(sql, id, principal, at);
  return { cancelled: open.length, stopped: stopped || subRuns.length > 0, subRuns };
}

/** The end of a run by a person. `run`: the one that has called something last. */
interface EndOfRun {
  readonly seenSeq: number;
  readonly run: { readonly runId: string; readonly principal: string } | undefined;
}

/**
 * The last sequence that ends with the run: up to the first message by anybody but the run's person and the one who
 * ends it. In a group, the others' messages get runs of their own. So does what was said after a stop that is stored late.
 */
async function endOfRun(sql: Sql, { origin: { conversationId, principal }, upTo }: Doing): Promise<EndOfRun> {
  const { unread, runOf, calling } = await runIn(sql, conversationId);
  const foreign = unread.find(
    (entry) => entry.type === 'user' && entry.principal !== principal && entry.principal !== runOf,
  );
  const last = foreign === undefined ? await inbox.newestSeq(sql, conversationId) : foreign.seq - 1;
  return { seenSeq: Math.min(last, upTo ?? last), run: calling };
}

/** The limit of the search for other people's messages. */
const mostUnread = 1000;

/** What is unread in a conversation, and whose run is under way or next. */
interface RunInProgress {
  /** Up to where the model has read it. */
  readonly seenSeq: number;
  readonly unread: readonly (UserMessage | DaemonEvent)[];
  readonly runOf: string | undefined;
  /** The run whose last turn has called something. */
  readonly calling: { readonly runId: string; readonly principal: string } | undefined;
}

export async function runIn(sql: Sql, conversationId: string): Promise<RunInProgress> {
  const { seenSeq, last } = await inbox.readUpTo(sql, conversationId);
  const unread = (await oldestUnread(sql, conversationId, seenSeq, mostUnread)).map(toReadEntry);
  const calling = last !== undefined && journal.hasCalls(last) ? last : undefined;
  return { seenSeq, unread, runOf: calling?.principal ?? unread[0]?.principal, calling };
}
