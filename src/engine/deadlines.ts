/*
 * How approvals end without a decision: their time is over, or nobody has seen them and nobody will. One timer serves all
 * deadlines: a reminder at half time that makes no sound, one that rings shortly before the end, and the expiry. The time starts when the first card is shown, and is stored,
 * so that a restart changes nothing.
 */

import type { Approval } from '../approval/approval.ts';
import {
  describeApproval,
  expiredCard,
  reminderNotice,
  unansweredExtension,
  unreachableNotice,
} from '../approval/cards.ts';
import type { Language } from '../lib/words.ts';
import { expiredResult, unansweredResult, unreachableResult, unshownResult } from '../words/model-words.ts';
import type { Core } from './feature.ts';
import type { ApprovalStore, Ending } from './journal.ts';
import { noticeIn, quietly } from './message.ts';
import { engineWords } from './words.ts';

const retryAfterFailure = 60_000;
/** An approval that was never shown ends after this, in ms: its chat may be gone for good. */
const longestUnshown = 86_400_000;

/** Reminds people of approvals, and expires them. Calls `ended` with those that have expired. */
export class Deadlines {
  readonly #core: Core;
  readonly #store: ApprovalStore;
  readonly #ended: (approvals: readonly Approval[]) => void;
  #cancelTimer = (): void => {};
  #timerAt = Number.POSITIVE_INFINITY;
  #attending = Promise.resolve();
  #isStopped = false;

  constructor(core: Core, store: ApprovalStore, ended: (approvals: readonly Approval[]) => void) {
    this.#core = core;
    this.#store = store;
    this.#ended = ended;
  }

  /** Schedules the reminders and the expiry. Call `shown` when the card is shown. */
  watch(approval: Approval): void {
    const now = this.#core.clock.now();
    this.#wakeUpAt(remindersOf(approval).find(({ at }) => at > now)?.at ?? deadlineOf(approval));
  }

  /** Handles what is due now. */
  attend(): Promise<void> {
    return this.#inTurn(() => this.#lookAfter(this.#core.clock.now()));
  }

  /** The time of this approval has begun. Thousands of others may wait. */
  shown(approvalId: string): Promise<void> {
    return this.#inTurn(async () => {
      const approval = await this.#store.find(approvalId);
      if (approval?.state === 'pending') this.watch(approval);
    });
  }

  /** The clock jumped: the timer may be wrong. */
  lookAgain(): Promise<void> {
    this.#cancelTimer();
    this.#timerAt = Number.POSITIVE_INFINITY;
    return this.attend();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#attending;
  }

  #wakeUpAt(at: number): void {
    if (this.#isStopped || at >= this.#timerAt) return;
    const { clock } = this.#core;
    this.#cancelTimer();
    this.#timerAt = at;
    this.#cancelTimer = clock.after(Math.max(0, at - clock.now()), () => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      void this.attend();
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#core;
    this.#attending = this.#attending
      .then(() => (this.#isStopped ? undefined : work()))
      .catch((error: unknown) => {
        log.error({ err: error }, 'approvals could not be looked after; trying again in a minute');
        this.#wakeUpAt(clock.now() + retryAfterFailure);
      });
    return this.#attending;
  }

  async #lookAfter(now: number): Promise<void> {
    const { deliver, wake, readerIn, prepareReaders } = this.#core;
    const pending = await this.#store.pending();
    await prepareReaders(pending.flatMap((approval) => [approval.conversationId, ...approval.cardConversationIds]));
    const due = pending.filter((approval) => deadlineOf(approval) <= now);
    if (due.length > 0) {
      const endings = due.map((approval) => expiry(approval, readerIn));
      await this.#store.expire(endings, now, wake);
      deliver(due.flatMap((approval) => [...approval.cardConversationIds, approval.conversationId]));
      this.#ended(due);
    }
    await this.#remind(pending, now);
    for (const approval of pending) if (deadlineOf(approval) > now) this.watch(approval);
  }

  async #remind(pending: readonly Approval[], now: number): Promise<void> {
    const { deliver, readerIn } = this.#core;
    const reminders = pending.flatMap((approval) => {
      const { id: approvalId, remindedAt = 0, cardConversationIds } = approval;
      const due = deadlineOf(approval) > now ? remindersOf(approval).findLast(({ at }) => at <= now) : undefined;
      if (due === undefined || remindedAt >= due.at) return [];
      return cardConversationIds.map((id) => {
        const { conversationId, message } = noticeIn(id, reminderNotice(approval, readerIn(id)));
        const reminder = due.isLast ? message : quietly(message);
        return { approvalId, since: due.at, draft: { conversationId, message: reminder } };
      });
    });
    if (reminders.length === 0) return;
    await this.#store.remind(reminders, now);
    deliver(reminders.map(({ draft }) => draft.conversationId));
  }
}

/** When it expires. */
function deadlineOf({ shownAt, createdAt, expiresAt }: Approval): number {
  return shownAt === undefined ? Math.max(createdAt + longestUnshown, expiresAt) : expiresAt;
}

/** When people are reminded, the earliest first. Only the last one rings. None before a card is shown. */
function remindersOf({ shownAt, expiresAt }: Approval): readonly { readonly at: number; readonly isLast: boolean }[] {
  if (shownAt === undefined) return [];
  const time = expiresAt - shownAt;
  return [
    { at: shownAt + time / 2, isLast: false },
    { at: shownAt + (time * 5) / 6, isLast: true },
  ];
}

function expiry(approval: Approval, readerIn: Core['readerIn']): Ending {
  const outcome = (language: Language): string => expiredCard(approval, language);
  switch (approval.type) {
    case 'permission':
      return { approval, outcome, result: expiredResult };
    case 'question':
      return { approval, outcome, result: unansweredResult };
    case 'extension': {
      const { conversationId } = approval;
      const notice = noticeIn(conversationId, unansweredExtension(approval, readerIn(conversationId).language));
      return { approval, outcome, result: '', notice };
    }
  }
}

/** The ending of what nobody has seen and nobody will. Its conversation is told once, by what stands there for the card. */
export function unreadableEnding(approval: Approval): Ending {
  const outcome = (language: Language): string => unseenNotice(approval, language);
  switch (approval.type) {
    case 'permission':
      return { approval, outcome, result: unreachableResult };
    case 'question':
      return { approval, outcome, result: unshownResult };
    case 'extension':
      return { approval, outcome, result: '' };
  }
}

/** Stands for a card that nobody has seen and nobody will. A worker's run is gone on with by the one that called it. */
function unseenNotice(approval: Approval, language: Language): string {
  const words = engineWords[language];
  const withGoOn = (said: string): string => (approval.runsIn === undefined ? words.goOn({ words: said }) : said);
  switch (approval.type) {
    case 'permission':
      return withGoOn(unreachableNotice(approval, language));
    case 'question':
      return withGoOn(words.questionUnshown(describeApproval(approval, language)));
    case 'extension':
      return approval.extension.bound === 'turns'
        ? unansweredExtension(approval, language)
        : unreachableNotice(approval, language);
  }
}
