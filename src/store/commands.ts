import { accountOf, type Device } from '../conversation/access/access.ts';
import type { CommandEffect, EffectResult, InboxStore, Obeyed, Pinning } from '../conversation/inbox.ts';
import type { PinnedFact } from '../engine/journal.ts';
import { callOffExtensions, cancelCall, cancelled, grantsHere, revokeGrants } from './approvals.ts';
import * as audit from './audit.ts';
import * as composedTools from './composed-tools.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import * as devices from './devices.ts';
import * as inbox from './inbox.ts';
import * as journal from './journal.ts';
import * as languages from './languages.ts';
import * as outbox from './outbox.ts';
import * as people from './people.ts';
import { oldestUnread, toReadEntry, wishForSummary } from './run-state.ts';
import { closeSubRun } from './runs.ts';
import type { Sql } from './sql.ts';
import * as timeZones from './time-zones.ts';
import { distrust, trust } from './trust.ts';

type CommandStore = Pick<InboxStore, 'obey' | 'newestSeq' | 'isStored' | 'subRunsOf' | 'runsOfDevice' | 'grantsHere'>;

/** Commands. Each is stored with its effect and its answer in one transaction, so a redelivery does nothing. */
export function createCommandStore(database: Database): CommandStore {
  const { sql } = database;
  return {
    obey: (command, visible) => {
      const work = (): Obeyed => {
        const { origin, name, effect, at, upTo } = command;
        const { conversationId } = origin;
        if (!inbox.addObeyed(sql, origin, 'command', name, at)) return { status: 'repeated' };
        conversations.hear(sql, origin, at, false);
        const places: string[] = [];
        const result = { ...nothing, ...apply(sql, effect, { origin, at, places, upTo }) };
        const answer = command.answer(result);
        if (answer !== undefined) outbox.add(sql, { conversationId, message: answer }, at);
        const { trusted = null } = result;
        const detail = { name, effect: effect.type, ...(trusted === null ? {} : { covers: trusted }) };
        audit.addBy(sql, 'command', origin, at, detail);
        return { status: 'done', places, ...result };
      };
      return database.writeIncoming(work, 'full', (obeyed) => {
        if (obeyed.status === 'done') visible?.(obeyed);
      });
    },
    newestSeq: (conversationId) => inbox.newestSeq(sql, conversationId),
    isStored: (key) => inbox.has(sql, key),
    subRunsOf: (conversationId) => conversations.runningFor(sql, conversationId),
    runsOfDevice: (id) =>
      begunBy(sql, { id }).flatMap((conversationId) => [
        conversationId,
        ...conversations.runningFor(sql, conversationId),
      ]),
    grantsHere: async (conversationId, now) => grantsHere(sql, conversationId, now),
  };
}

const nothing: EffectResult = { cancelled: 0, stopped: false, subRuns: [], revoked: 0, claimed: false };

function apply(sql: Sql, effect: CommandEffect, doing: people.Doing): Partial<EffectResult> {
  const { origin, at, places } = doing;
  const { conversationId, principal } = origin;
  switch (effect.type) {
    case 'none':
      return {};
    case 'stop':
      wishForSummary(sql, conversationId, undefined);
      return stop(sql, doing, false);
    case 'new': {
      const seenSeq = endOfRun(sql, doing);
      const result = stop(sql, doing, true);
      sql.run(endWindows, at, conversationId);
      sql.run(beginAgain, seenSeq, conversationId);
      return { ...result, pinned: conversations.find(sql, conversationId)?.pinned.length ?? 0 };
    }
    case 'compact':
      wishForSummary(sql, conversationId, principal);
      conversations.setOpen(sql, conversationId);
      return {};
    case 'model':
      sql.run('UPDATE conversations SET model = ? WHERE id = ?', effect.name, conversationId);
      // Ends a back-off: the model is tried when the conversation resumes.
      sql.run(`UPDATE attempts SET retry_at = 0 WHERE kind = 'wait' AND key = ?`, conversationId);
      return {};
    case 'pin':
      return pin(sql, effect.text, doing);
    case 'unpin':
      return unpin(sql, conversationId, effect.number);
    case 'remove-composed':
      composedTools.remove(sql, effect.name);
      return {};
    case 'revoke':
      return { revoked: revokeGrants(sql, effect.grantIds, origin, at) };
    case 'claim':
      return { claimed: people.claim(sql, origin, at) };
    case 'pair':
      return people.pair(sql, effect.code, doing);
    case 'unpair':
      return people.unpair(sql, effect.principal, doing);
    case 'offer-link':
    case 'link':
    case 'burn-link-code':
    case 'unlink':
      return people.changeLinks(sql, effect, doing);
    case 'offer-device':
      devices.offerCode(sql, origin, effect.code);
      return {};
    case 'revoke-device':
      return revokeDevice(sql, effect.id, doing);
    case 'unpark': {
      const result = outbox.unpark(sql, effect, conversationId, places);
      outbox.addTwin(sql, 'stub', effect.stubId, origin);
      return result;
    }
    case 'trust':
      return { trust: trust(sql, effect.ids, origin, at) };
    case 'distrust':
      return { trust: distrust(sql, effect.ids, origin, at) };
    case 'time-zone':
      timeZones.forget(sql, effect.accounts);
      if (effect.timeZone !== undefined)
        timeZones.note(sql, { principal, source: 'set', timeZone: effect.timeZone }, at);
      return {};
    case 'language':
      languages.forget(sql, effect.accounts);
      if (effect.language !== undefined)
        languages.note(sql, { principal, source: 'set', language: effect.language }, at);
      return {};
    case 'trust-here':
      return { trusted: conversations.clearTaint(sql, conversationId) };
  }
}

const endWindows = `UPDATE grants SET revoked_at = ? WHERE conversation_id = ? AND kind = 'window' AND revoked_at IS NULL`;
/** Earlier entries are no longer read, and the labels are cleared. */
const beginAgain = `UPDATE conversations SET tainted = 0, private = 0, taint_sources = '[]', summary_id = NULL, summary_for = NULL,
    since_seq = ?, since_turn = (SELECT coalesce(max(id), 0) FROM turns) WHERE id = ?`;

/**
 * Cancels calls that have not begun and closes the run, so that an answer in progress is outdated. With `startsOver`,
 * the outcomes of deferred calls are not reported.
 */
function stop(sql: Sql, doing: people.Doing, startsOver: boolean) {
  const { origin, at, places } = doing;
  const { conversationId, principal } = origin;
  // Own calls first: calls that wait for sub-runs are then over and take no results from them.
  const subRuns = conversations.runningFor(sql, conversationId);
  const open = [conversationId, ...subRuns].flatMap((id) => journal.cancellable(sql, id));
  const stopped = conversations.find(sql, conversationId)?.isOpen === true;
  for (const call of open) {
    places.push(...cancelCall(sql, call.id, principal, at));
    if (call.isDeferred && !startsOver) inbox.addOutcome(sql, call, cancelled, false, at);
  }
  places.push(...callOffExtensions(sql, conversationId, principal, at));
  for (const id of [conversationId, ...subRuns]) journal.endAttempts(sql, id, 'wait', 'run');
  if (stopped || open.length > 0) {
    const seenSeq = endOfRun(sql, doing);
    const closing = { conversationId, runId: `stop${seenSeq}`, principal, seenSeq, reason: 'stopped', at } as const;
    journal.addClosing(sql, closing);
    conversations.settle(sql, conversationId, seenSeq);
  }
  for (const id of subRuns) closeSubRun(sql, id, principal, at);
  return { cancelled: open.length, stopped: stopped || subRuns.length > 0, subRuns };
}

/**
 * The last sequence that ends with the run: up to the first message by anybody but the run's person and the one who
 * ends it. In a group, the others' messages get runs of their own. So does what was said after a stop that is stored late.
 */
function endOfRun(sql: Sql, { origin: { conversationId, principal }, upTo }: people.Doing): number {
  const { unread, runOf } = runIn(sql, conversationId);
  const foreign = unread.find(
    (entry) => entry.type === 'user' && entry.principal !== principal && entry.principal !== runOf,
  );
  const last = foreign === undefined ? inbox.newestSeq(sql, conversationId) : foreign.seq - 1;
  return Math.min(last, upTo ?? last);
}

/** The limit of the search for other people's messages. */
const mostUnread = 1000;

/** The unread messages, and the person of the current or next run. */
function runIn(sql: Sql, conversationId: string) {
  const { seenSeq, last } = inbox.readUpTo(sql, conversationId);
  const unread = oldestUnread(sql, conversationId, seenSeq, mostUnread).map(toReadEntry);
  const runOf = last !== undefined && journal.hasCalls(last) ? last.principal : unread[0]?.principal;
  return { seenSeq, unread, runOf };
}

/** Also ends the runs that the device began: a stolen device must not get their answers. */
function revokeDevice(sql: Sql, id: string, { origin, at, places }: people.Doing): Partial<EffectResult> {
  const device = devices.revoke(sql, id, origin, at);
  const principal = accountOf(device);
  const before = devices.openWith(sql, device);
  const begun = begunBy(sql, device);
  const ended = begun.flatMap((conversationId) => [
    conversationId,
    ...stop(sql, { origin: { ...origin, conversationId, principal }, at, places }, false).subRuns,
  ]);
  // Its unread messages behind another person's run must not be worked on either.
  for (const conversationId of before)
    inbox.withdrawOf(sql, principal, conversationId, runIn(sql, conversationId).seenSeq);
  places.push(...begun);
  const open = devices.openWith(sql, device);
  return { ended, settled: begun.filter((conversationId) => !open.includes(conversationId)) };
}

/** The conversations whose run the device has begun. */
function begunBy(sql: Sql, device: Pick<Device, 'id'>): readonly string[] {
  const principal = accountOf(device);
  return devices.openWith(sql, device).filter((conversationId) => runIn(sql, conversationId).runOf === principal);
}

/** Pins a fact for the person, unless it is pinned already or the limit is reached. */
function pin(sql: Sql, text: string, { origin, at }: people.Doing): Pick<EffectResult, 'pinning'> {
  const { conversationId, principal, name } = origin;
  const facts = conversations.find(sql, conversationId)?.pinned ?? [];
  const pinning = pinningOf(text, facts);
  if (pinning.type === 'pinned') {
    const fact = { number: pinning.number, text, principal, name, at };
    sql.run(setPinned, [...facts, fact], conversationId);
  }
  return { pinning };
}

/** Unpins the fact with this number, or all if no number is given. */
function unpin(sql: Sql, conversationId: string, number: number | undefined): Pick<EffectResult, 'unpinned'> {
  const facts = conversations.find(sql, conversationId)?.pinned ?? [];
  const { unpinned = [], kept = [] } = Object.groupBy(facts, (fact) =>
    number === undefined || fact.number === number ? 'unpinned' : 'kept',
  );
  if (unpinned.length > 0) sql.run(setPinned, kept, conversationId);
  return { unpinned };
}

const setPinned = 'UPDATE conversations SET pinned = ? WHERE id = ?';

/** The limit of pinned facts per conversation. */
export const mostPinned = 20;

/** Decides whether a further fact can be pinned. Its number is higher than all existing ones. */
function pinningOf(text: string, facts: readonly PinnedFact[]): Pinning {
  const known = facts.find((fact) => fact.text === text);
  if (known !== undefined) return { type: 'known', number: known.number };
  if (facts.length >= mostPinned) return { type: 'full' };
  return { type: 'pinned', number: Math.max(0, ...facts.map(({ number }) => number)) + 1 };
}
