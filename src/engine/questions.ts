/*
 * Questions to the person a run serves: of the model, whose run parks until they answer, or of a running call, which waits.
 * The person answers with a button or with their next words. An answer permits nothing.
 */

import type { Approval, AskedQuestion, QuestionApproval } from '../approval/approval.ts';
import { settledWords, uncalledCard } from '../approval/cards.ts';
import { answeredCard, answerMeant, questionButtons, questionCard } from '../approval/question-cards.ts';
import { KeyedTurns } from '../lib/background.ts';
import { onAbort } from '../lib/clock.ts';
import { oneLine } from '../lib/plain-text.ts';
import type { PersonQuestion } from '../tools/tool.ts';
import { answeredResult } from '../words/model-words.ts';
import { isOwn } from './answer-card.ts';
import type { Core, RunScope } from './feature.ts';
import type { ApprovalDraft } from './journal.ts';
import type { Origin } from './message.ts';
import { cardsOf, newApproval, plainIn, type RequestParts } from './request.ts';
import { engineWords } from './words.ts';

/** A question of the model, or of a running call, to the person the run serves. */
export interface PersonAsked {
  readonly callId: string;
  readonly toolName: string;
  /** Empty for a running call: nothing is bound to it. */
  readonly hash: string;
  readonly question: PersonQuestion;
}

/** Questions and their answers. A question of the model survives a restart; one of a running call does not. */
export interface Questions {
  draft(asked: PersonAsked, where: RunScope): ApprovalDraft<QuestionApproval>;
  /** See `Approvals`. `watch` gets the approval before it is stored. */
  ask(
    asked: PersonAsked,
    where: RunScope,
    signal: AbortSignal,
    watch: (approval: Approval) => void,
  ): Promise<string | undefined>;
  /** Whether a question to this person is open there. */
  isAsked(conversationId: string, principal: string): Promise<boolean>;
  /** Handles a press. Returns words for the presser alone; undefined if the card says enough. */
  press(origin: Origin, approvalId: string, index: number): Promise<string | undefined>;
  /** Takes an answer in words to the question with this id. Returns words for its sender alone; undefined if it counts. */
  answer(origin: Origin, approvalId: string, text: string): Promise<string | undefined>;
  /** Takes words as the answer to an open question. Synchronously false if none is open, which keeps messages in order. */
  hear(origin: Origin, text: string): Promise<boolean> | false;
  /** Resolves calls that wait for one of these. */
  ended(approvals: readonly Approval[]): void;
  /** Cancels what running calls ask, now and later. */
  end(): void;
  /** Finds questions that an earlier process left open, and cancels those of its running calls. */
  recover(): Promise<void>;
}

interface QuestionContext {
  readonly core: Pick<Core, 'deliver' | 'wake' | 'readerOf'>;
  readonly parts: RequestParts;
  /** Conversations that may have an open question, with the time of the last: other messages need no lookup. */
  readonly askedAt: Map<string, number>;
  /** The running calls that wait for an answer, by approval id. */
  readonly waiting: Map<string, (answer: string | undefined) => void>;
  /** One running call asks a person at a time. */
  readonly turns: KeyedTurns;
  /** Aborts when running calls may ask no more. */
  readonly ending: AbortController;
}

export function createQuestions(core: QuestionContext['core'], parts: RequestParts): Questions {
  const state = { askedAt: new Map(), waiting: new Map(), turns: new KeyedTurns(), ending: new AbortController() };
  const context: QuestionContext = { core, parts, ...state };
  return {
    draft: (asked, where) => noted(draftQuestion(asked, where, false, parts), context),
    ask: (asked, where, signal, watch) => askDuringCall({ asked, where, signal, watch }, context),
    isAsked: async (conversationId, principal) => (await openFor(conversationId, principal, context)) !== undefined,
    press: (origin, approvalId, index) =>
      answerById(origin, approvalId, ({ question }) => question.options[index], context),
    answer: (origin, approvalId, text) =>
      answerById(origin, approvalId, ({ question }) => answerMeant(question, text) || undefined, context),
    hear: (origin, text) =>
      text.trim() !== '' && context.askedAt.has(origin.conversationId) && take(origin, text, context),
    ended: (approvals) => endWaits(approvals, context),
    end: () => endQuestions(context),
    recover: () => recoverQuestions(context),
  };
}

function noted(draft: ApprovalDraft<QuestionApproval>, { askedAt }: QuestionContext): ApprovalDraft<QuestionApproval> {
  askedAt.set(draft.approval.conversationId, draft.approval.createdAt);
  return draft;
}

/** What a running call asks. */
interface CallQuestion {
  readonly asked: PersonAsked;
  readonly where: RunScope;
  readonly signal: AbortSignal;
  readonly watch: (approval: Approval) => void;
}

async function askDuringCall(
  { asked, where, signal, watch }: CallQuestion,
  context: QuestionContext,
): Promise<string | undefined> {
  const { conversationId, sender } = where.scope;
  const leave = await context.turns.enter(`${conversationId} ${sender.principal}`, signal);
  if (leave === undefined) return undefined;
  try {
    if (context.ending.signal.aborted) return undefined;
    const drafted = noted(draftQuestion(asked, where, true, context.parts), context);
    watch(drafted.approval);
    return await askNow(drafted, signal, context);
  } finally {
    leave();
  }
}

async function askNow(
  draft: ApprovalDraft<QuestionApproval>,
  signal: AbortSignal,
  context: QuestionContext,
): Promise<string | undefined> {
  const { id, conversationId } = draft.approval;
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  context.waiting.set(id, resolve);
  const unlisten = onAbort(signal, () => resolve(undefined));
  try {
    await context.parts.store.ask(draft);
    context.core.deliver([conversationId]);
    const answer = signal.aborted ? undefined : await promise;
    if (answer === undefined) await callOff(draft.approval, context);
    return answer;
  } finally {
    unlisten();
    context.waiting.delete(id);
  }
}

async function callOff(approval: QuestionApproval, { core, parts }: QuestionContext): Promise<void> {
  await parts.store.callOff(approval, (language) => uncalledCard(approval, language), parts.clock.now());
  core.deliver([approval.conversationId]);
}

async function answerTo(origin: Origin, approval: QuestionApproval, answer: string, context: QuestionContext) {
  const { core, parts, waiting } = context;
  const result = await parts.store.decide({
    origin,
    approval,
    state: 'answered',
    outcome: (language) => answeredCard(approval.question, { person: origin, answer }, language),
    result: answeredResult(origin.name, answer),
    at: parts.clock.now(),
  });
  core.deliver([approval.conversationId]);
  if (result === 'decided') {
    waiting.get(approval.id)?.(answer);
    core.wake([approval.runsIn ?? approval.conversationId]);
  }
  return result;
}

async function openFor(
  conversationId: string,
  principal: string,
  { parts, askedAt }: QuestionContext,
): Promise<QuestionApproval | undefined> {
  const newest = askedAt.get(conversationId);
  if (newest === undefined) return undefined;
  const pending = await parts.store.pending(conversationId);
  const questions = pending.filter((approval) => approval.type === 'question');
  if (questions.length === 0 && parts.clock.now() - newest > storedWithin) askedAt.delete(conversationId);
  // With several open questions, an answer is for the newest.
  return questions.findLast(({ requester }) => requester === principal);
}

async function take(origin: Origin, text: string, context: QuestionContext): Promise<boolean> {
  const approval = await openFor(origin.conversationId, origin.principal, context);
  if (approval === undefined) return false;
  return (await answerTo(origin, approval, answerMeant(approval.question, text), context)) !== 'late';
}

async function answerById(
  origin: Origin,
  approvalId: string,
  meant: (approval: QuestionApproval) => string | undefined,
  context: QuestionContext,
): Promise<string | undefined> {
  const { store, accountsOf } = context.parts;
  const { language } = context.core.readerOf(origin);
  const words = engineWords[language];
  const approval = await store.find(approvalId);
  const answer = approval?.type === 'question' ? meant(approval) : undefined;
  const isThere = origin.seesAll === true || approval?.conversationId === origin.conversationId;
  if (approval?.type !== 'question' || answer === undefined || !isThere) return words.toastDeadButton;
  if (!isOwn(origin, approval, accountsOf))
    return words.toastOnlyAsked({ person: `${approval.requester} (${oneLine(approval.requesterName, 40)})` });
  const answered = await answerTo(origin, approval, answer, context);
  return answered === 'late' ? settledWords((await store.find(approvalId)) ?? approval, language) : undefined;
}

function endWaits(approvals: readonly Approval[], { waiting }: QuestionContext): void {
  for (const { id } of approvals) waiting.get(id)?.(undefined);
}

function endQuestions({ ending, waiting }: QuestionContext): void {
  ending.abort();
  for (const resolve of waiting.values()) resolve(undefined);
}

async function recoverQuestions(context: QuestionContext): Promise<void> {
  for (const approval of await context.parts.store.pending()) {
    if (approval.type !== 'question') continue;
    if (approval.question.duringCall === undefined) context.askedAt.set(approval.conversationId, approval.createdAt);
    else await callOff(approval, context);
  }
}

/** `isDuringCall`: the call is running, and its tool waits for the answer. */
function draftQuestion(
  { callId, toolName, hash, question: { text, options, wantsText, timeout } }: PersonAsked,
  where: RunScope,
  isDuringCall: boolean,
  parts: RequestParts,
): ApprovalDraft<QuestionApproval> {
  const shown = { text: where.withoutLinks?.(text) ?? text, options: options.map(plainIn(where)) };
  const question: AskedQuestion = { ...shown, wantsText };
  const approval: QuestionApproval = {
    ...newApproval(where, timeout, parts),
    type: 'question',
    toolName,
    description: oneLine(question.text, 300),
    hash,
    cardConversationIds: [where.scope.conversationId],
    ...(isDuringCall ? { question: { ...question, duringCall: callId } } : { callId, question }),
  };
  const buttons = questionButtons(approval);
  const cards = cardsOf(approval, parts, ({ language }) => ({
    markdown: questionCard(question, language),
    buttons: buttons.length === 0 ? undefined : buttons,
  }));
  return { approval, cards };
}

/** A drafted question is stored long before this, in ms. */
const storedWithin = 60_000;
