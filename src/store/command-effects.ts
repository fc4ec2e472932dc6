import type { Origin } from '../approval/approval.ts';
import { cancelledResult } from '../approval/call-results.ts';
import { accountOf } from '../conversation/devices/device-accounts.ts';
import type { CommandEffect, EffectResult } from '../conversation/inbox.ts';
import { cancelApproval } from './approval-effects.ts';
import type { Database, Statement } from './database.ts';
import { offerDevice, revokeDevice } from './device-effects.ts';
import { callOffExtensions } from './extension-effects.ts';
import { changeLinks } from './link-effects.ts';
import { pair, unpair } from './pairing-effects.ts';
import { pin, unpin } from './pin-effects.ts';
import { Row } from './row.ts';
import type { Tables } from './tables/tables.ts';
import { hasCalls } from './tables/turns.ts';
import { distrust, trust } from './trust-effects.ts';

const nothing: EffectResult = { cancelled: 0, stopped: false, subRuns: [], revoked: 0, removed: false, claimed: false };

/** Looked through for other people's messages. */
const mostUnread = 1000;

/** What commands change. Its methods belong inside a write. */
export class CommandEffects {
  readonly #tables: Tables;
  readonly #claim: Statement;
  readonly #isOpen: Statement;
  readonly #removeComposed: Statement;

  constructor(database: Database, tables: Tables) {
    this.#tables = tables;
    this.#claim = database.prepare(
      'INSERT INTO owners (principal, name, claimed_at) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM owners)',
    );
    this.#removeComposed = database.prepare('DELETE FROM composed_tools WHERE name = ?');
    this.#isOpen = database.prepare('SELECT is_open FROM conversations WHERE id = ?');
  }

  /** Adds to `places` the conversations whose cards have changed. */
  apply(effect: CommandEffect, origin: Origin, at: number, places: string[]): EffectResult {
    switch (effect.type) {
      case 'none':
        return nothing;
      case 'stop':
        this.#tables.summaries.wish(origin.conversationId, undefined);
        return this.#end(origin, { at, isAnew: false }, places);
      case 'new': {
        const seenSeq = this.#endOfRun(origin);
        const result = this.#end(origin, { at, isAnew: true }, places);
        this.#tables.grants.endWindows(origin.conversationId, at);
        this.#tables.conversations.beginAnew(origin.conversationId, seenSeq);
        return { ...result, pinned: this.#tables.conversations.find(origin.conversationId)?.pinned.length ?? 0 };
      }
      case 'compact':
        this.#tables.summaries.wish(origin.conversationId, origin.principal);
        this.#tables.conversations.setOpen(origin.conversationId);
        return nothing;
      case 'model':
        this.#tables.conversations.chooseModel(origin.conversationId, effect.name);
        return nothing;
      case 'pin':
        return { ...nothing, ...pin(this.#tables, { text: effect.text, origin, at }) };
      case 'unpin':
        return { ...nothing, ...unpin(this.#tables, origin, effect.number) };
      case 'remove-composed':
        return { ...nothing, removed: this.#removeComposed.run(effect.name).changes === 1 };
      case 'revoke':
        return { ...nothing, revoked: this.#revoke(effect.grantIds, origin, at) };
      case 'claim':
        return { ...nothing, claimed: this.#claimFor(origin, at) };
      case 'pair':
        return { ...nothing, ...pair(this.#tables, { code: effect.code, origin, at }, places) };
      case 'unpair':
        return { ...nothing, ...unpair(this.#tables, { principal: effect.principal, origin, at }) };
      case 'offer-link':
      case 'link':
      case 'burn-link-code':
      case 'unlink':
        return { ...nothing, ...changeLinks(this.#tables, effect, { origin, at, places }) };
      case 'offer-device':
        offerDevice(this.#tables, origin, effect.code);
        return nothing;
      case 'revoke-device':
        return { ...nothing, ...this.#revokeDevice(effect.id, origin, at, places) };
      case 'trust':
        return { ...nothing, trust: trust(this.#tables, { ids: effect.ids, origin, at }) };
      case 'distrust':
        return { ...nothing, trust: distrust(this.#tables, { ids: effect.ids, origin, at }) };
    }
  }

  /**
   * Calls off what has not begun, and closes the run, so that an answer that is on its way is outdated. A conversation
   * that begins anew is not told of the calls of the old one.
   */
  #end(
    origin: Origin,
    { at, isAnew }: { readonly at: number; readonly isAnew: boolean },
    places: string[],
  ): EffectResult {
    const { conversationId } = origin;
    const { calls, turns, inbox, conversations } = this.#tables;
    // The own calls first: those that wait for sub-runs are over then, and take nothing from them any more.
    const subRuns = this.#tables.subRuns.running(conversationId);
    const open = [conversationId, ...subRuns].flatMap((id) => calls.cancellable(id));
    const stopped = new Row(this.#isOpen.get(conversationId)).flag('is_open');
    for (const call of open) {
      const result = { outcome: 'cancelled', text: cancelledResult(false) } as const;
      calls.endUnbegun(call.id, result, at);
      if (call.isDeferred && !isAnew) inbox.addOutcome(call, result, false, at);
      places.push(...cancelApproval(this.#tables, call.id, { by: origin.principal, at }));
    }
    places.push(...callOffExtensions(this.#tables, conversationId, origin.principal, at));
    if (stopped || open.length > 0) {
      const seenSeq = this.#endOfRun(origin);
      turns.addClosing({
        conversationId,
        runId: `stop${seenSeq}`,
        principal: origin.principal,
        seenSeq,
        reason: 'stopped',
        at,
      });
      conversations.settle(conversationId, seenSeq);
    }
    for (const id of subRuns) {
      const closing = {
        conversationId: id,
        runId: 'stop',
        principal: origin.principal,
        reason: 'stopped',
        at,
      } as const;
      turns.addClosing({ ...closing, seenSeq: inbox.newestSeq(id) });
    }
    return { ...nothing, cancelled: open.length, stopped: stopped || subRuns.length > 0, subRuns };
  }

  /**
   * How far the messages reach that an end of the run takes with it: to the first that is neither of the person whose run
   * it is nor of the one who ends it. In a group, the others' messages wait for runs of their own.
   */
  #endOfRun({ conversationId, principal }: Origin): number {
    const { unread, runOf } = this.#runIn(conversationId);
    const foreign = unread.find(
      (entry) => entry.type === 'user' && entry.principal !== principal && entry.principal !== runOf,
    );
    return foreign === undefined ? this.#tables.inbox.newestSeq(conversationId) : foreign.seq - 1;
  }

  /** What was not read yet, and whose run it is that goes on, or begins with that. */
  #runIn(conversationId: string) {
    const { turns, inbox, conversations } = this.#tables;
    const last = turns.newest(conversationId, 0, 1).at(-1);
    const seenSeq = Math.max(last?.seenSeq ?? 0, conversations.find(conversationId)?.sinceSeq ?? 0);
    const unread = inbox.oldestUnread(conversationId, seenSeq, mostUnread).map(({ entry }) => entry);
    return { seenSeq, unread, runOf: last !== undefined && hasCalls(last) ? last.principal : unread[0]?.principal };
  }

  /** With the device, the runs end that it has begun: whoever has stolen it is not to get what he asked for. */
  #revokeDevice(id: string, origin: Origin, at: number, places: string[]): Partial<EffectResult> {
    const { device } = revokeDevice(this.#tables, id, origin, at);
    if (device === undefined) return {};
    const principal = accountOf(device);
    const before = this.#tables.devices.openWith(device);
    const begun = before.filter((conversationId) => this.#runIn(conversationId).runOf === principal);
    const ended = begun.flatMap((conversationId) => [
      conversationId,
      ...this.#end({ ...origin, conversationId, principal }, { at, isAnew: false }, places).subRuns,
    ]);
    // What waits behind a run of somebody else, nobody has read yet: it is not worked on either.
    for (const conversationId of before) this.#takeBack(conversationId, principal);
    places.push(...begun);
    const open = this.#tables.devices.openWith(device);
    return { device, ended, settled: begun.filter((conversationId) => !open.includes(conversationId)) };
  }

  /** Takes back what somebody has said and the model has not read. */
  #takeBack(conversationId: string, principal: string): void {
    const { inbox, attachments } = this.#tables;
    const { seenSeq } = this.#runIn(conversationId);
    for (const key of inbox.withdrawOf(principal, conversationId, seenSeq)) attachments.remove(key);
  }

  #revoke(grantIds: readonly string[], origin: Origin, at: number): number {
    const { grants, audit } = this.#tables;
    const revoked = grantIds.filter((id) => grants.revoke(id, origin.conversationId, at));
    for (const grant of revoked) {
      audit.add({
        at,
        kind: 'grant-revoked',
        conversationId: origin.conversationId,
        actor: origin.principal,
        detail: { grant },
      });
    }
    return revoked.length;
  }

  #claimFor(origin: Origin, at: number): boolean {
    if (this.#claim.run(origin.principal, origin.name, at).changes === 0) return false;
    this.#tables.people.removeCode(origin.principal);
    this.#tables.audit.add({
      at,
      kind: 'owner-claimed',
      conversationId: origin.conversationId,
      actor: origin.principal,
      detail: {},
    });
    return true;
  }
}
