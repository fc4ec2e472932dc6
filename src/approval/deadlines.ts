import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Approval, ApprovalStore, Ending } from './approval.ts';
import { expiredResult, unansweredResult } from './call-results.ts';
import { expiredCard, reminderNotice } from './card.ts';
import { extensionEnding } from './extension-ending.ts';

export interface DeadlineDependencies {
  readonly store: ApprovalStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** Told after something was stored that lets these conversations go on. */
  readonly wake: (conversationIds: readonly string[]) => void;
  /** Told of those whose time is over, after that was stored. */
  readonly ended?: (approvals: readonly Approval[]) => void;
}

const retryAfterFailure = 60_000;

/** Reminds people of approvals half way through their time, and ends those that nobody decided. Survives restarts. */
export class ApprovalDeadlines {
  readonly #dependencies: DeadlineDependencies;
  #cancelTimer: (() => void) | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #attending: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(dependencies: DeadlineDependencies) {
    this.#dependencies = dependencies;
  }

  /** Sees to it that the approval is looked after in time. */
  watch(approval: Approval): void {
    this.#wakeUpAt(nextInstant(approval, this.#dependencies.clock.now()));
  }

  /** Reminds of and ends whatever is due now. Call it at start, for what a former process left open. */
  attend(): Promise<void> {
    this.#attending = this.#attending
      .then(() => (this.#stopped ? undefined : this.#lookAfter()))
      .catch((error: unknown) => {
        this.#dependencies.log.error({ err: error }, 'approvals could not be looked after; trying again in a minute');
        this.#wakeUpAt(this.#dependencies.clock.now() + retryAfterFailure);
      });
    return this.#attending;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#attending;
  }

  #wakeUpAt(at: number): void {
    if (this.#stopped || at >= this.#timerAt) return;
    this.#cancelTimer?.();
    this.#timerAt = at;
    const { clock } = this.#dependencies;
    this.#cancelTimer = clock.after(Math.max(0, at - clock.now()), () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      void this.attend();
    });
  }

  async #lookAfter(): Promise<void> {
    const now = this.#dependencies.clock.now();
    const pending = await this.#dependencies.store.pending();
    await this.#expire(
      pending.filter((approval) => approval.expiresAt <= now),
      now,
    );
    await this.#remind(now);
    for (const approval of pending) if (approval.expiresAt > now) this.watch(approval);
  }

  async #expire(due: readonly Approval[], now: number): Promise<void> {
    if (due.length === 0) return;
    const { store, wake, deliver } = this.#dependencies;
    const endings = due.map(expiry);
    const toWake = await store.expire(endings, now);
    deliver(due.flatMap((approval) => [...approval.places, approval.conversationId]));
    wake(toWake);
    this.#dependencies.ended?.(due);
  }

  async #remind(now: number): Promise<void> {
    const { store, deliver } = this.#dependencies;
    const unreminded = await store.unreminded();
    const due = unreminded.filter((approval) => halfTime(approval) <= now && approval.expiresAt > now);
    if (due.length === 0) return;
    const reminders = due.flatMap((approval) =>
      approval.places.map((conversationId) => ({ approvalId: approval.id, draft: reminder(conversationId, approval) })),
    );
    await store.remind(reminders, now);
    deliver(reminders.map(({ draft }) => draft.conversationId));
  }
}

function expiry(approval: Approval): Ending {
  if (approval.extension !== undefined) return extensionEnding(approval);
  const result = approval.question === undefined ? expiredResult() : unansweredResult();
  return { approval, outcome: expiredCard(approval), result };
}

function reminder(conversationId: string, approval: Approval) {
  const markdown = reminderNotice(approval);
  return { conversationId, message: { id: newId(20), kind: 'notice' as const, markdown } };
}

function halfTime(approval: Approval): number {
  return approval.createdAt + (approval.expiresAt - approval.createdAt) / 2;
}

function nextInstant(approval: Approval, now: number): number {
  const half = halfTime(approval);
  return half > now ? half : approval.expiresAt;
}
