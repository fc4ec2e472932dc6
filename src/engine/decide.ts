/*
 * Cards and decisions. Neighbouring calls of one answer that no grant could open share a card and its decision. A card
 * hides no call, and a call runs ahead of an undecided one only if a decision named it. Somebody presses a button or types
 * a command, answers a question in their own words, or lets the time pass. One decision counts, by compare-and-set on the
 * approval's row, in one transaction with the calls, the grant, the cards and the audit. A late, second or unauthorised
 * decision changes nothing, and its sender is told. Deadlines stand in `deadlines.ts`.
 */

import type {
  Approval,
  Choice,
  ExtensionApproval,
  Grant,
  PermissionApproval,
  QuestionApproval,
} from '../approval/approval.ts';
import { decidedCard, decidedExtension, describeApproval, detailsOf, settledWords } from '../approval/cards.ts';
import { isWholeHash } from '../approval/verdict.ts';
import { newId } from '../lib/ids.ts';
import type { Language } from '../lib/words.ts';
import { deniedResult } from '../words/model-words.ts';
import { type CardAnswers, createCardAnswers, type MeantCard, objectionTo } from './answer-card.ts';
import { Deadlines, unreadableEnding } from './deadlines.ts';
import type { Core, RunScope } from './feature.ts';
import type { ApprovalDraft, Decision } from './journal.ts';
import { noticeTo, type Origin, type OutboxDraft, quietly } from './message.ts';
import { OpenCards } from './open-cards.ts';
import { type AskingCall, type DraftedCards, draftCards, draftPermission, type JointCalls } from './permission-card.ts';
import { createQuestions, type PersonAsked, type Questions } from './questions.ts';
import { type AskedExtension, draftExtension, type RequestParts } from './request.ts';
import type { TakeAway } from './take-away.ts';
import { engineWords } from './words.ts';

/** Asks people, and takes their decisions and answers. */
export interface Approvals extends CardAnswers, Pick<Questions, 'isAsked' | 'hear' | 'press' | 'answer'> {
  isApprover(principal: string): boolean;
  /** Drafts an approval with its cards, for the caller to store. */
  draftPermission(asked: JointCalls, where: RunScope): Promise<ApprovalDraft<PermissionApproval>>;
  /**
   * Drafts the cards of an answer's calls. Calls that no saved permission could open share one. `asked`: the changes of the
   * calls, by id: the first call of a card carries the approval; if nobody can decide, all are refused.
   */
  draftCards(drafted: readonly AskingCall[], where: RunScope): Promise<DraftedCards>;
  draftExtension(asked: AskedExtension, where: RunScope): Promise<ApprovalDraft<ExtensionApproval>>;
  draftQuestion(asked: PersonAsked, where: RunScope): Promise<ApprovalDraft<QuestionApproval>>;
  /**
   * Asks for a running call. Resolves with the answer; undefined if none comes in time or the signal aborts. One question
   * a person at a time.
   */
  ask(asked: PersonAsked, where: RunScope, signal: AbortSignal): Promise<string | undefined>;
  /** Takes a decision. Returns words for its sender alone; undefined if the card says enough. */
  decide(origin: Origin, meant: string | MeantCard, choice: Choice): Promise<string | undefined>;
  /** The open card about a call, if this person may allow it there and now; otherwise words for them alone. */
  openFor(origin: Origin, approvalId: string): Promise<OpenCard>;
  /** Returns what a card folds, for anybody who can see the card. */
  unfold(origin: Origin, approvalId: string): Promise<string>;
  cardShown(approvalId: string): Promise<void>;
  /** A chat refused its card for good. It is offered elsewhere; if nobody will see it, it ends and the run goes on. */
  cardRefused(approvalId: string): Promise<void>;
  /** See `OpenCards`. */
  heard(origin: Pick<Origin, 'principal' | 'conversationId'>): void;
  chatRefuses(conversationId: string, reason: string): void;
  /** Puts all open cards where somebody can decide them. Call when people, rights or channels have changed. */
  follow(): Promise<void>;
  /** The same in the background. */
  followSoon(): void;
  /** Continues what an earlier process left open, including cards whose refusal it had stored. */
  recover(): Promise<void>;
  /** Handles what is due now. */
  attend(): Promise<void>;
  /** The clock jumped: the timer may be wrong. */
  lookAgain(): Promise<void>;
  /** The process ends: cancels what running calls ask. Questions of the model stay open. */
  endQuestions(): void;
  stop(): Promise<void>;
}

type OpenCard = { readonly approval: PermissionApproval } | { readonly refusal: string };

/** What decisions work with. */
interface ApprovalContext {
  readonly core: Core & { readonly takeAway: TakeAway };
  readonly parts: RequestParts;
  readonly questions: Questions;
  readonly deadlines: Deadlines;
  readonly openCards: OpenCards;
  /** Approvals that were denied, though that is not stored yet. */
  readonly denying: Set<string>;
}

export function createApprovals(
  core: ApprovalContext['core'],
  asking: Omit<RequestParts, 'clock' | 'readerIn' | 'prepareReaders'>,
): Approvals {
  const { clock, deliver, readerIn, readerOf, prepareReaders } = core;
  const { store, accountsOf } = asking;
  const parts: RequestParts = { ...asking, clock, readerIn, prepareReaders };
  const questions = createQuestions(core, parts);
  const deadlines = new Deadlines(core, store, questions.ended);
  const openCards = new OpenCards(core, parts, (approvalId) => deadlines.shown(approvalId));
  const context: ApprovalContext = { core, parts, questions, deadlines, openCards, denying: new Set() };
  const isApprover = (principal: string): boolean => asking.approvers().includes(principal);
  const decide: Approvals['decide'] = (origin, id, choice) => takeDecision(origin, id, choice, context);
  return {
    ...createCardAnswers({ clock, deliver, readerOf, store, isApprover, accountsOf, decide }),
    isApprover,
    draftPermission: (asked, where) => watchedPermission(asked, where, context),
    draftCards: (drafted, where) =>
      draftCards(drafted, where, { permission: (asked) => watchedPermission(asked, where, context), readerIn }),
    draftExtension: (asked, where) => watched(draftExtension(asked, where, parts), deadlines),
    draftQuestion: (asked, where) => watched(questions.draft(asked, where), deadlines),
    isAsked: questions.isAsked,
    hear: questions.hear,
    press: questions.press,
    answer: questions.answer,
    ask: (asked, where, signal) => questions.ask(asked, where, signal, (approval) => deadlines.watch(approval)),
    decide,
    openFor: (origin, approvalId) => openFor(origin, approvalId, context),
    unfold: (origin, approvalId) => unfold(origin, approvalId, context),
    cardShown: (approvalId) => cardShown(approvalId, context),
    cardRefused: (approvalId) => cardRefused(approvalId, context),
    heard: (origin) => openCards.heard(origin),
    chatRefuses: (conversationId, reason) => openCards.chatRefuses(conversationId, reason),
    follow: () => follow(context),
    followSoon: () => openCards.followSoon(),
    recover: () => recover(context),
    attend: () => deadlines.attend(),
    lookAgain: () => deadlines.lookAgain(),
    endQuestions: questions.end,
    stop: async () => void (await Promise.all([openCards.settled(), deadlines.stop()])),
  };
}

async function watched<Draft extends ApprovalDraft>(
  drafting: Draft | Promise<Draft>,
  deadlines: Deadlines,
): Promise<Draft> {
  const draft = await drafting;
  deadlines.watch(draft.approval);
  return draft;
}

function watchedPermission(asked: JointCalls, where: RunScope, { parts, deadlines }: ApprovalContext) {
  return watched(draftPermission(asked, where, parts), deadlines);
}

async function cardShown(approvalId: string, { deadlines, openCards }: ApprovalContext): Promise<void> {
  await deadlines.shown(approvalId);
  await openCards.shown(approvalId);
}

async function cardRefused(approvalId: string, context: ApprovalContext): Promise<void> {
  const approval = await context.parts.store.find(approvalId);
  if (approval?.state === 'pending' && !(await context.openCards.refused(approvalId)))
    await endUnseen([approval], context);
}

async function follow(context: ApprovalContext): Promise<void> {
  await endUnseen(await context.openCards.follow(), context);
}

async function endUnseen(approvals: readonly Approval[], context: ApprovalContext): Promise<void> {
  if (approvals.length === 0) return;
  const { clock, deliver, wake } = context.core;
  await context.parts.store.expire(approvals.map(unreadableEnding), clock.now(), wake);
  deliver(approvals.flatMap((approval) => [...approval.cardConversationIds, approval.conversationId]));
  context.questions.ended(approvals);
}

async function recover(context: ApprovalContext): Promise<void> {
  await context.questions.recover();
  await follow(context);
  await context.deadlines.attend();
}

async function takeDecision(
  origin: Origin,
  meant: string | MeantCard,
  choice: Choice,
  context: ApprovalContext,
): Promise<string | undefined> {
  const approvalId = typeof meant === 'string' ? meant : meant.onlyOpen;
  const { core, parts, deadlines, denying } = context;
  const { store, settings, approvers, redact } = parts;
  const approval = await store.find(approvalId);
  const words = engineWords[core.readerOf(origin).language];
  const isApprover = (principal: string): boolean => approvers().includes(principal);
  const refusal = objectionTo(origin, approval, { isApprover, accountsOf: parts.accountsOf, words });
  if (refusal !== undefined || approval === undefined || approval.type === 'question') return refusal;

  const now = core.clock.now();
  if (approval.state === 'pending' && approval.shownAt !== undefined && approval.expiresAt <= now) {
    await deadlines.attend();
    return words.toastTooLate;
  }
  await prepareFor(approval, core);
  // The model reads the reason, and the audit keeps it.
  const reason = choice.type === 'deny' && choice.reason !== undefined ? redact(choice.reason) : undefined;
  const chosen = choice.type === 'deny' ? { ...choice, reason } : choice;
  const decided = decisionOf(origin, approval, chosen, { now, window: settings.window, readerIn: core.readerIn });
  const decision = typeof meant === 'string' ? decided : { ...decided, told: toldOf(decided, core) };
  if (decision.state === 'approved' && denying.has(approvalId)) return words.toastDeniedBefore;
  if (decision.state === 'approved' || approval.state !== 'pending') return carryOut(decision, context);
  return core.takeAway({
    origin,
    held: words.deniedUnstored,
    // In time, the order of the decisions counts.
    now: () => {},
    store: () =>
      carryOut(decision, context).catch((error: unknown) => {
        denying.add(approvalId);
        throw error;
      }),
    over: () => void denying.delete(approvalId),
  });
}

async function openFor(origin: Origin, approvalId: string, context: ApprovalContext): Promise<OpenCard> {
  const { core, parts, denying } = context;
  const approval = await parts.store.find(approvalId);
  const { language } = core.readerOf(origin);
  const words = engineWords[language];
  const isApprover = (principal: string): boolean => parts.approvers().includes(principal);
  const refusal = objectionTo(origin, approval, { isApprover, accountsOf: parts.accountsOf, words });
  if (refusal !== undefined) return { refusal };
  if (approval?.type !== 'permission') return { refusal: words.toastDeadButton };
  if (approval.state !== 'pending') return { refusal: settledWords(approval, language) };
  await prepareFor(approval, core);
  if (denying.has(approvalId)) return { refusal: words.toastDeniedBefore };
  const isOver = approval.shownAt !== undefined && approval.expiresAt <= core.clock.now();
  return isOver ? { refusal: words.toastTooLate } : { approval };
}

/** What is decided is told where its cards stand. */
function prepareFor({ conversationId, cardConversationIds }: Approval, { prepareReaders }: Core): Promise<void> {
  return prepareReaders([conversationId, ...cardConversationIds]);
}

/** Names what was decided, for who has not. */
function toldOf({ origin, approval, state }: Decision, { readerOf }: Core): OutboxDraft {
  const { language } = readerOf(origin);
  const markdown = engineWords[language].decidedNow({ what: describeApproval(approval, language), state });
  return { conversationId: origin.conversationId, message: quietly(noticeTo(origin, markdown)) };
}

async function unfold(origin: Origin, approvalId: string, { core, parts }: ApprovalContext): Promise<string> {
  const { store, redact } = parts;
  const { language } = core.readerOf(origin);
  const { conversationId } = origin;
  const approval = await store.find(approvalId);
  if (approval?.cardConversationIds.includes(conversationId) !== true) return engineWords[language].toastDeadButton;
  const cards = await store.cards(approvalId);
  const card = cards.find((one) => one.conversationId === conversationId);
  return redact(detailsOf(approval, card?.markdown, card?.language ?? language));
}

async function carryOut(decision: Decision, { core, parts }: ApprovalContext): Promise<string | undefined> {
  const { id, cardConversationIds, conversationId, runsIn } = decision.approval;
  const result = await parts.store.decide(decision);
  core.deliver(cardConversationIds);
  core.deliver([conversationId, decision.origin.conversationId]);
  if (result === 'late') {
    const { language } = core.readerOf(decision.origin);
    return settledWords((await parts.store.find(id)) ?? decision.approval, language);
  }
  core.wake([runsIn ?? conversationId]);
  return undefined;
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
  const momentIn = (language: Language, conversationId: string) => ({
    at: now,
    until: now + window,
    reader: { ...readerIn(conversationId), language },
  });
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
