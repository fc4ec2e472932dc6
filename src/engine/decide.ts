/*
 * Cards and decisions. Neighbouring calls of one answer that no grant could open share a card and its decision. A card
 * hides no call, and a call runs ahead of an undecided one only if a decision named it. Somebody presses a button or types
 * a command, answers a question in their own words, or lets the time pass. One decision counts, by compare-and-set on the
 * approval's row, in one transaction with the calls, the grant, the cards and the audit. A late, second or unauthorised
 * decision changes nothing, and its sender is told. One timer serves all deadlines: a reminder at half time, the expiry at
 * the end. The time starts when the first card is shown, and is stored, so that a restart changes nothing.
 */

import type { Approval, Choice, ExtensionApproval, Grant, PermissionApproval } from '../approval/approval.ts';
import {
  decidedCard,
  decidedExtension,
  expiredCard,
  reminderNotice,
  settledWords,
  unansweredExtension,
} from '../approval/cards.ts';
import { isWholeHash } from '../approval/verdict.ts';
import { newId } from '../lib/ids.ts';
import type { Language } from '../lib/words.ts';
import { deniedResult, expiredResult, unansweredResult } from '../words/model-words.ts';
import { createCardAnswers, objectionTo } from './answer-card.ts';
import { createCardPlaces } from './card-places.ts';
import type { Core, RunScope } from './feature.ts';
import type { ApprovalDraft, Decision, Ending } from './journal.ts';
import { noticeIn, type Origin } from './message.ts';
import { type AskingCall, draftCards, draftPermission, type JointCalls } from './permission-card.ts';
import {
  type AskedExtension,
  createQuestions,
  draftExtension,
  type PersonAsked,
  type RequestParts,
} from './request.ts';
import type { TakeAway } from './take-away.ts';
import { unreadableEnding } from './unseen.ts';
import { engineWords } from './words.ts';

export type Approvals = ReturnType<typeof createApprovals>;

/** Asks people, and takes their decisions and answers. */
export function createApprovals(
  core: Core & { readonly takeAway: TakeAway },
  asking: Omit<RequestParts, 'clock' | 'readerIn'>,
) {
  const { clock, deliver, wake, takeAway } = core;
  const { store, settings, approvers, redact } = asking;
  const parts = { ...asking, clock, readerIn: core.readerIn };
  const questions = createQuestions(core, parts);
  const deadlines = createDeadlines(core, parts, questions.ended);
  /** Approvals that were denied, though that is not stored yet. */
  const denying = new Set<string>();
  const places = createCardPlaces(core, parts, deadlines.shown);
  const isApprover = (principal: string): boolean => approvers().includes(principal);

  async function watched<Draft extends ApprovalDraft>(drafting: Draft | Promise<Draft>): Promise<Draft> {
    const draft = await drafting;
    deadlines.watch(draft.approval);
    return draft;
  }

  const permission = (asked: JointCalls, where: RunScope) => watched(draftPermission(asked, where, parts));

  /** A chat refused its card for good. It is offered elsewhere; if nobody will see it, it ends and the run goes on. */
  async function cardRefused(approvalId: string): Promise<void> {
    const approval = await store.find(approvalId);
    if (approval?.state === 'pending' && !(await places.refused(approvalId))) await endUnseen([approval]);
  }

  async function endUnseen(approvals: readonly Approval[]): Promise<void> {
    if (approvals.length === 0) return;
    await store.expire(approvals.map(unreadableEnding), clock.now(), wake);
    deliver(approvals.flatMap((approval) => [...approval.places, approval.conversationId]));
    questions.ended(approvals);
  }

  /** Puts all open cards where somebody can decide them. Call when people, rights or channels have changed. */
  const follow = async (): Promise<void> => endUnseen(await places.follow());

  async function carryOut(decision: Decision): Promise<string | undefined> {
    const { id, places, conversationId, runsIn } = decision.approval;
    const result = await store.decide(decision);
    deliver(places);
    deliver([conversationId]);
    if (result === 'late') {
      const { language } = core.readerOf(decision.origin);
      return settledWords((await store.find(id)) ?? decision.approval, language);
    }
    wake([runsIn ?? conversationId]);
    return undefined;
  }

  /** Takes a decision. Returns words for its sender alone; undefined if the card says enough. */
  async function decide(origin: Origin, approvalId: string, choice: Choice): Promise<string | undefined> {
    const approval = await store.find(approvalId);
    const words = engineWords[core.readerOf(origin).language];
    const refusal = objectionTo(origin, approval, { isApprover, words });
    if (refusal !== undefined || approval === undefined || approval.type === 'question') return refusal;

    const now = clock.now();
    if (approval.state === 'pending' && approval.shownAt !== undefined && approval.expiresAt <= now) {
      await deadlines.attend();
      return words.toastTooLate;
    }
    // The model reads the reason, and the audit keeps it.
    const reason = choice.type === 'deny' && choice.reason !== undefined ? redact(choice.reason) : undefined;
    const chosen = choice.type === 'deny' ? { ...choice, reason } : choice;
    const decision = decisionOf(origin, approval, chosen, { now, window: settings.window, readerIn: core.readerIn });
    if (decision.state === 'approved' && denying.has(approvalId)) return words.toastDeniedBefore;
    if (decision.state === 'approved' || approval.state !== 'pending') return carryOut(decision);
    return takeAway({
      origin,
      held: words.deniedUnstored,
      // In time, the order of the decisions counts.
      now: () => {},
      store: () =>
        carryOut(decision).catch((error: unknown) => {
          denying.add(approvalId);
          throw error;
        }),
      over: () => void denying.delete(approvalId),
    });
  }

  return {
    isApprover,

    /** Drafts an approval with its cards, for the caller to store. */
    draftPermission: permission,
    /** Drafts the cards of an answer's calls. Calls that no saved permission could open share one. */
    draftCards: (drafted: readonly AskingCall[], where: RunScope) =>
      draftCards(drafted, { permission, readerIn: core.readerIn }, where),
    draftExtension: (asked: AskedExtension, where: RunScope) => watched(draftExtension(asked, where, parts)),
    draftQuestion: (asked: PersonAsked, where: RunScope) => watched(questions.draft(asked, where)),

    cardRefused,
    follow,
    followSoon: () => places.followSoon(),
    heard: places.heard,
    chatRefuses: places.chatRefuses,

    decide,
    ...createCardAnswers({ ...core, store, isApprover, decide }),

    isAsked: questions.isAsked,
    hear: questions.hear,
    press: questions.press,

    /**
     * Asks for a running call. Resolves with the answer; undefined if none comes in time or the signal aborts. One question
     * a person at a time.
     */
    ask: (asked: PersonAsked, where: RunScope, signal: AbortSignal) =>
      questions.ask(asked, where, signal, deadlines.watch),

    /** The process ends: cancels what running calls ask. Questions of the model stay open. */
    endQuestions: questions.end,

    /** Continues what an earlier process left open, including cards whose refusal it had stored. */
    async recover(): Promise<void> {
      await questions.recover();
      await follow();
      await deadlines.attend();
    },

    attend: deadlines.attend,
    async cardShown(approvalId: string): Promise<void> {
      await deadlines.shown(approvalId);
      await places.shown(approvalId);
    },
    lookAgain: deadlines.lookAgain,

    async stop(): Promise<void> {
      await Promise.all([places.settled(), deadlines.stop()]);
    },
  };
}

function decisionOf(
  origin: Origin,
  approval: PermissionApproval | ExtensionApproval,
  choice: Choice,
  { now, window, readerIn }: { readonly now: number; readonly window: number; readonly readerIn: Core['readerIn'] },
): Decision {
  const isApproved = choice.type !== 'deny';
  const reason = choice.type === 'deny' ? choice.reason : undefined;
  const result = deniedResult(origin.name, reason);
  const decision = { origin, approval, state: isApproved ? 'approved' : 'denied', reason, result, at: now } as const;
  const momentIn = (language: Language, place: string) => ({ at: now, reader: { ...readerIn(place), language } });
  if (approval.type === 'extension')
    return { ...decision, outcome: (...where) => decidedExtension(approval, isApproved, origin, momentIn(...where)) };
  const grant = grantOf(origin, approval, choice, { now, window });
  // If no grant can be given, only this call is approved.
  const given: Choice = grant === undefined && isApproved ? { type: 'once' } : choice;
  return { ...decision, grant, outcome: (...where) => decidedCard(approval, given, origin, momentIn(...where)) };
}

/** The grant that comes with a decision. `window`: how long a window grant holds, in ms. */
function grantOf(
  origin: Origin,
  approval: PermissionApproval,
  choice: Choice,
  { now, window }: { readonly now: number; readonly window: number },
): Grant | undefined {
  if (!approval.grantable || (choice.type !== 'window' && choice.type !== 'always')) return undefined;
  if (choice.type === 'always' && !isWholeHash(approval.hash)) return undefined;
  const { conversationId, requester, toolName, description, hash } = approval;
  const fields = { conversationId, requester, toolName, description, grantedBy: origin.principal, createdAt: now };
  return choice.type === 'window'
    ? { ...fields, id: newId(6), kind: 'window', targets: approval.asked?.targets, expiresAt: now + window }
    : { ...fields, id: newId(6), kind: 'always', hash };
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

const retryAfterFailure = 60_000;
/** An approval that was never shown ends after this, in ms: its chat may be gone for good. */
const longestUnshown = 86_400_000;

/** Reminds people of approvals, and expires them. */
function createDeadlines(
  { clock, log, deliver, wake, readerIn }: Core,
  { store }: RequestParts,
  ended: (approvals: readonly Approval[]) => void,
) {
  let cancelTimer = (): void => {};
  let timerAt = Number.POSITIVE_INFINITY;
  let attending = Promise.resolve();
  let stopped = false;

  function wakeUpAt(at: number): void {
    if (stopped || at >= timerAt) return;
    cancelTimer();
    timerAt = at;
    cancelTimer = clock.after(Math.max(0, at - clock.now()), () => {
      timerAt = Number.POSITIVE_INFINITY;
      void attend();
    });
  }

  /** Schedules the reminder and the expiry. Call `shown` when the card is shown. */
  function watch(approval: Approval): void {
    const half = halfTime(approval);
    wakeUpAt(half > clock.now() ? half : deadlineOf(approval));
  }

  /** Handles what is due now. */
  const attend = (): Promise<void> => inTurn(() => lookAfter(clock.now()));

  /** The time of this approval has begun. Thousands of others may wait. */
  function shown(approvalId: string): Promise<void> {
    return inTurn(async () => {
      const approval = await store.find(approvalId);
      if (approval?.state === 'pending') watch(approval);
    });
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    attending = attending
      .then(() => (stopped ? undefined : work()))
      .catch((error: unknown) => {
        log.error({ err: error }, 'approvals could not be looked after; trying again in a minute');
        wakeUpAt(clock.now() + retryAfterFailure);
      });
    return attending;
  }

  async function lookAfter(now: number): Promise<void> {
    const pending = await store.pending();
    const due = pending.filter((approval) => deadlineOf(approval) <= now);
    if (due.length > 0) {
      const endings = due.map((approval) => expiry(approval, readerIn));
      await store.expire(endings, now, wake);
      deliver(due.flatMap((approval) => [...approval.places, approval.conversationId]));
      ended(due);
    }
    await remind(pending, now);
    for (const approval of pending) if (deadlineOf(approval) > now) watch(approval);
  }

  async function remind(pending: readonly Approval[], now: number): Promise<void> {
    const reminders = pending.flatMap((approval) => {
      const { id: approvalId, shownAt, remindedAt, places } = approval;
      const isHalf = shownAt !== undefined && halfTime(approval) <= now && deadlineOf(approval) > now;
      if (!isHalf || remindedAt !== undefined) return [];
      return places.map((place) => ({ approvalId, draft: noticeIn(place, reminderNotice(approval, readerIn(place))) }));
    });
    if (reminders.length === 0) return;
    await store.remind(reminders, now);
    deliver(reminders.map(({ draft }) => draft.conversationId));
  }

  return {
    watch,
    attend,
    shown,
    /** The clock jumped: the timer may be wrong. */
    lookAgain(): Promise<void> {
      cancelTimer();
      timerAt = Number.POSITIVE_INFINITY;
      return attend();
    },
    async stop(): Promise<void> {
      stopped = true;
      cancelTimer();
      await attending;
    },
  };
}

/** When it expires. */
function deadlineOf({ shownAt, createdAt, expiresAt }: Approval): number {
  return shownAt === undefined ? Math.max(createdAt + longestUnshown, expiresAt) : expiresAt;
}

function halfTime(approval: Approval): number {
  const { shownAt, expiresAt } = approval;
  return shownAt === undefined ? deadlineOf(approval) : shownAt + (expiresAt - shownAt) / 2;
}
