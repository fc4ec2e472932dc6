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
  unreachableNotice,
} from '../approval/cards.ts';
import { isWholeHash } from '../approval/verdict.ts';
import { newId } from '../lib/ids.ts';
import { deniedResult, expiredResult, unansweredResult, unreachableResult } from '../words/model-words.ts';
import { createCardAnswers, objectionTo } from './answer-card.ts';
import { createCardPlaces } from './card-places.ts';
import type { Core, RunScope } from './feature.ts';
import type { ApprovalDraft, CallDraft, Decision, Ending } from './journal.ts';
import { noticeIn, type Origin, type OutboxDraft } from './message.ts';
import {
  type AskedExtension,
  type AskedPermission,
  createQuestions,
  draftExtension,
  draftPermission,
  type JointCalls,
  type PersonAsked,
  type RequestParts,
} from './request.ts';
import type { TakeAway } from './take-away.ts';
import { unreadableEnding } from './unseen.ts';

export type Approvals = ReturnType<typeof createApprovals>;

/** Asks people, and takes their decisions and answers. */
export function createApprovals(core: Core & { readonly takeAway: TakeAway }, asking: Omit<RequestParts, 'clock'>) {
  const { clock, deliver, wake, takeAway } = core;
  const { store, settings, approvers, redact } = asking;
  const parts = { ...asking, clock };
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
    if (result === 'late') return settledWords((await store.find(id)) ?? decision.approval);
    wake([runsIn ?? conversationId]);
    return undefined;
  }

  /** Takes a decision. Returns words for its sender alone; undefined if the card says enough. */
  async function decide(origin: Origin, approvalId: string, choice: Choice): Promise<string | undefined> {
    const approval = await store.find(approvalId);
    const refusal = objectionTo(origin, approval, isApprover);
    if (refusal !== undefined || approval === undefined || approval.type === 'question') return refusal;

    const now = clock.now();
    if (approval.state === 'pending' && approval.shownAt !== undefined && approval.expiresAt <= now) {
      await deadlines.attend();
      return 'Too late: nobody decided in time, so it did not run.';
    }
    // The model reads the reason, and the audit keeps it.
    const reason = choice.type === 'deny' && choice.reason !== undefined ? redact(choice.reason) : undefined;
    const chosen = choice.type === 'deny' ? { ...choice, reason } : choice;
    const decision = decisionOf(origin, approval, chosen, { now, window: settings.window, readerIn: core.readerIn });
    if (decision.state === 'approved' && denying.has(approvalId)) return deniedWords;
    if (decision.state === 'approved' || approval.state !== 'pending') return carryOut(decision);
    return takeAway({
      origin,
      held: '🚫 Denied: it does not run.',
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
    draftCards: (drafted: readonly AskingCall[], where: RunScope) => draftCards(drafted, permission, where),
    draftExtension: (asked: AskedExtension, where: RunScope) => watched(draftExtension(asked, where, parts)),
    draftQuestion: (asked: PersonAsked, where: RunScope) => watched(questions.draft(asked, where)),

    cardRefused,
    follow,
    followSoon: () => places.followSoon(),
    heard: places.heard,
    chatRefuses: places.chatRefuses,

    decide,
    ...createCardAnswers({ clock, deliver, store, isApprover, decide }),

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

const deniedWords = 'That was denied a moment ago.';

interface AskingCall {
  readonly draft: Pick<CallDraft, 'state'>;
  /** Set if it needs a decision. */
  readonly asks?: AskedPermission;
}

type DraftPermission = (asked: JointCalls, where: RunScope) => Promise<ApprovalDraft<PermissionApproval>>;

interface DraftedCard {
  readonly calls: JointCalls;
  readonly draft: ApprovalDraft<PermissionApproval>;
}

/** A card of several calls is no longer, in characters: of a longer one, a channel may show the end only as a file. */
const longestJointCard = 4000;

/** The changes of the calls, by id: the first call of a card carries the approval; if nobody can decide, all are refused. */
async function draftCards(drafted: readonly AskingCall[], draftPermission: DraftPermission, where: RunScope) {
  const asked = new Map<string, Partial<CallDraft>>();
  const messages: OutboxDraft[] = [];
  const cards = await Promise.all(onOneCard(drafted).map((calls) => draftCard(calls, draftPermission, where)));
  for (const { calls, draft } of cards.flat()) {
    if (draft.approval.places.length > 0) {
      asked.set(draft.approval.callId, { approval: draft });
      continue;
    }
    const result = { outcome: 'refused', text: unreachableResult } as const;
    for (const { callId } of calls) asked.set(callId, { state: 'done', result });
    messages.push(noticeIn(where.scope.conversationId, unreachableNotice(draft.approval)));
  }
  return { asked, messages };
}

/** Drafts one card for the calls; one for each if that would be too long. */
async function draftCard(
  calls: JointCalls,
  draftPermission: DraftPermission,
  where: RunScope,
): Promise<readonly DraftedCard[]> {
  const draft = await draftPermission(calls, where);
  const isTooLong = draft.cards.some(({ message }) => message.markdown.length > longestJointCard);
  if (calls.length === 1 || !isTooLong) return [{ calls, draft }];
  return (await Promise.all(calls.map((call) => draftCard([call], draftPermission, where)))).flat();
}

/** Groups the calls by card. Another card or a question between them begins a new one. */
function onOneCard(drafted: readonly AskingCall[]): readonly JointCalls[] {
  const groups: [AskedPermission, ...AskedPermission[]][] = [];
  let isOpen = false;
  for (const { draft, asks } of drafted) {
    if (draft.state !== 'awaiting') continue;
    const last = groups.at(-1);
    if (asks !== undefined && !asks.grantable && isOpen && last !== undefined) last.push(asks);
    else if (asks !== undefined) groups.push([asks]);
    isOpen = asks?.grantable === false;
  }
  return groups;
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
  const moment = (place: string) => ({ at: now, reader: readerIn(place) });
  if (approval.type === 'extension')
    return { ...decision, outcome: (place) => decidedExtension(approval, isApproved, origin, moment(place)) };
  const grant = grantOf(origin, approval, choice, { now, window });
  // If no grant can be given, only this call is approved.
  const given: Choice = grant === undefined && isApproved ? { type: 'once' } : choice;
  return { ...decision, grant, outcome: (place) => decidedCard(approval, given, origin, moment(place)) };
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

function expiry(approval: Approval): Ending {
  const outcome = expiredCard(approval);
  switch (approval.type) {
    case 'permission':
      return { approval, outcome, result: expiredResult };
    case 'question':
      return { approval, outcome, result: unansweredResult };
    case 'extension': {
      const notice = noticeIn(approval.conversationId, unansweredExtension(approval));
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
      await store.expire(due.map(expiry), now, wake);
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
