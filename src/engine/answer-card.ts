/*
 * Decisions in words. A reply to a card that says yes or no decides it with the rights, checks and effects of a press;
 * a no may have a reason. In a direct chat, a plain yes or no means the only open card, if it is the last that was said
 * there. Cards about several calls, or about what may be destroyed, take only buttons and commands that name them. Only words
 * that the sender typed count, never quoted or forwarded ones: the channel tells which message they answer.
 */

import { type Approval, type Choice, needsButtons } from '../approval/approval.ts';
import { denial } from '../approval/asking/card-buttons.ts';
import { describeApproval } from '../approval/cards.ts';
import type { InboundEdit, InboundMessage } from '../contract.ts';
import { inlineCode } from '../lib/plain-text.ts';
import type { Language } from '../lib/words.ts';
import { readShortAnswer, type ShortAnswer } from '../lib/yes-or-no.ts';
import type { Core } from './feature.ts';
import type { ApprovalStore, AskedCard } from './journal.ts';
import { noticeIn, type Origin } from './message.ts';
import { engineWords } from './words.ts';

export interface AnswerParts extends Pick<Core, 'clock' | 'deliver' | 'readerOf'> {
  readonly store: ApprovalStore;
  readonly isApprover: (principal: string) => boolean;
  /** A person's accounts, this one among them. */
  readonly accountsOf: (principal: string) => readonly string[];
  /** See `Approvals`. */
  readonly decide: (origin: Origin, meant: string | MeantCard, choice: Choice) => Promise<string | undefined>;
}

type Said = Pick<InboundMessage | InboundEdit, 'type' | 'sender' | 'text' | 'shared' | 'answersTo' | 'answersThread'> &
  Partial<Pick<InboundMessage, 'sentAt' | 'quote' | 'attachments'>>;

/** The approval that was meant without being named: the answer names it. */
export interface MeantCard {
  readonly onlyOpen: string;
}

/** The clocks of the platform and of this machine may differ by so much, and some platforms tell whole seconds, in ms. */
const clockTolerance = 1000;

/** A yes or no to one card, or to one of several. */
export interface CardAnswer {
  /** Whether the sender may decide it. If not, the answer changes nothing, and its words say so. */
  readonly mayDecide: boolean;
  /** Resolves with words for the sender; undefined if the card says enough. */
  carryOut(): Promise<string | undefined>;
}

/** Takes answers to cards that are given in words. */
export interface CardAnswers {
  /** Whether there is, or was, an approval with this id. */
  isApproval(id: string): Promise<boolean>;
  /** The open approvals that this person may decide there and can have read, the oldest first. */
  openHere(origin: Origin): Promise<readonly Approval[]>;
  /**
   * Reads a message as the answer to a card. Wants to read all messages, those of a conversation one after the other: below
   * one that is none, a plain yes means no card.
   */
  answerTo(origin: Origin, said: Said): Promise<CardAnswer | undefined>;
  /** Points to the card that a yes or no may have been meant for, once per card. */
  pointOut(origin: Origin, message: Pick<InboundMessage, 'text' | 'sender'>): Promise<void>;
}

interface AnswerContext extends AnswerParts {
  /** The open cards of direct chats below which something was said that may not be stored yet. */
  readonly talkedBelow: Map<string, readonly string[]>;
}

export function createCardAnswers(parts: AnswerParts): CardAnswers {
  const context: AnswerContext = { ...parts, talkedBelow: new Map() };
  return {
    isApproval: async (id) => (await parts.store.find(id)) !== undefined,
    openHere: async (origin) => decidable(origin, await shownIn(origin, parts), parts),
    answerTo: (origin, said) => read(origin, said, context),
    pointOut: (origin, message) => pointOut(origin, message, parts),
  };
}

async function read(origin: Origin, said: Said, context: AnswerContext): Promise<CardAnswer | undefined> {
  const answer = await answerTo(origin, said, context);
  if (answer === undefined && said.type === 'message') await noteTalk(origin, context);
  return answer;
}

async function noteTalk(origin: Origin, context: AnswerContext): Promise<void> {
  const { conversationId, conversation } = origin;
  const { talkedBelow } = context;
  if (conversation.kind !== 'direct') return;
  const open = await shownIn(origin, context);
  if (open.length === 0) talkedBelow.delete(conversationId);
  else
    talkedBelow.set(
      conversationId,
      open.map(({ id }) => id),
    );
}

async function answerTo(origin: Origin, said: Said, parts: AnswerContext): Promise<CardAnswer | undefined> {
  const isAnswer = said.answersTo !== undefined || said.answersThread === true;
  const isPlain = !isAnswer && said.type === 'message' && origin.conversation.kind === 'direct';
  if (!(isAnswer || isPlain) || !said.sender.isPerson || said.shared !== undefined) return undefined;
  if ((said.attachments ?? []).length > 0) return undefined;
  const answer = readShortAnswer(said.text);
  if (answer === undefined) return undefined;
  const found = isAnswer
    ? await cardAnswered(origin, said, parts)
    : await cardAbove(origin, { ...said, answer }, parts);
  if (found === undefined) return undefined;
  if (!('approval' in found))
    return { mayDecide: true, carryOut: async () => whichWords('approve', found, parts.readerOf(origin).language) };
  if (found.approval.type === 'question') return undefined;
  // The answer may stand in a thread below the card: it counts where the card stands, as a press does.
  const { approval, conversationId, conversation } = found;
  const at = { ...origin, conversationId, conversation };
  const isAllowed = mayDecide(at, approval, parts);
  // Where it decides nothing, what follows the no is for the model to read.
  const saysMore = answer.type === 'no' && answer.reason !== undefined;
  if (saysMore && (!isAllowed || approval.state !== 'pending')) return undefined;
  return {
    mayDecide: isAllowed,
    carryOut: () => carryOut(at, { approval, answer, isEdit: said.type === 'edit', isPlain }, parts),
  };
}

/**
 * The card that a plain yes or no in a direct chat means: the only open one, if nothing was said since by anybody, it is
 * about what the sender asked for right there, and nobody else can have had the model ask for that yes.
 */
async function cardAbove(
  origin: Origin,
  { sentAt = 0, quote, answer }: Said & { readonly answer: ShortAnswer },
  parts: AnswerContext,
): Promise<AskedCard | undefined> {
  const { conversationId, conversation } = origin;
  const isTalk = answer.type === 'no' && answer.reason !== undefined;
  if (isTalk || quote !== undefined) return undefined;
  const open = await parts.store.openAt(conversationId);
  if (open.some(({ type }) => type === 'question')) return undefined;
  const [only, ...others] = decidable(origin, shown(open), parts);
  if (only === undefined || others.length > 0 || needsButtons(only) || mayBeSteered(only)) return undefined;
  if (only.conversationId !== conversationId || !parts.accountsOf(origin.principal).includes(only.requester))
    return undefined;
  if (parts.talkedBelow.get(conversationId)?.includes(only.id) === true) return undefined;
  const shownAt = await parts.store.lastShown(only.id, conversationId);
  return shownAt !== undefined && shownAt + leastReading <= Math.min(sentAt, parts.clock.now())
    ? { approval: only, conversationId, conversation }
    : undefined;
}

/** A yes that is sent sooner, by the platform's clock or this one, answers what stood there before, in ms. */
const leastReading = 3000;

/** Strangers may have written what the model has read. */
function mayBeSteered(approval: Approval): boolean {
  return approval.type === 'permission' && approval.asked?.readBefore?.length !== 0;
}

async function cardAnswered(
  origin: Origin,
  said: Said,
  parts: AnswerParts,
): Promise<AskedCard | readonly [Approval, ...Approval[]] | undefined> {
  const { store } = parts;
  const { answersTo, answersThread = false, sentAt = 0 } = said;
  const card = answersTo === undefined ? undefined : await store.cardAt(origin.conversationId, answersTo);
  // People go on talking in a thread below a card that is settled.
  if (card !== undefined && !(answersThread && card.approval.state !== 'pending')) return card;
  if (!answersThread || said.type === 'edit') return undefined;
  // It may as well be the answer to a question, or have been said before the card was there.
  const open = await store.openAt(origin.conversationId);
  if (open.some(({ type }) => type === 'question')) return undefined;
  const seen = open.filter(({ shownAt = Infinity }) => shownAt <= sentAt + clockTolerance);
  const [only, ...others] = decidable(origin, seen, parts);
  if (only === undefined || others.length > 0) return only && [only, ...others];
  return { approval: only, conversationId: origin.conversationId, conversation: origin.conversation };
}

/** The open approvals that people can have read there. */
async function shownIn({ conversationId }: Origin, { store }: AnswerParts): Promise<readonly Approval[]> {
  return shown(await store.openAt(conversationId));
}

function shown(open: readonly Approval[]): readonly Approval[] {
  return open.filter(({ shownAt }) => shownAt !== undefined);
}

/** Those that this person may decide there. */
function decidable(origin: Origin, open: readonly Approval[], parts: AnswerParts): readonly Approval[] {
  return open.filter((approval) => mayDecide(origin, approval, parts));
}

function mayDecide(origin: Origin, approval: Approval, parts: AnswerParts): boolean {
  return objectionOf(origin, approval, parts) === undefined;
}

function objectionOf(origin: Origin, approval: Approval, parts: AnswerParts): string | undefined {
  const { isApprover, accountsOf, readerOf } = parts;
  return objectionTo(origin, approval, { isApprover, accountsOf, words: engineWords[readerOf(origin).language] });
}

/** A yes or no to one card. */
interface ReadAnswer {
  readonly approval: Approval;
  readonly answer: ShortAnswer;
  readonly isEdit: boolean;
  /** It is no reply to the card. */
  readonly isPlain: boolean;
}

async function carryOut(origin: Origin, { approval, answer, isEdit, isPlain }: ReadAnswer, parts: AnswerParts) {
  const objection = objectionOf(origin, approval, parts);
  if (objection === undefined && approval.state === 'pending' && needsButtons(approval))
    return buttonsWords(approval, parts.readerOf(origin).language);
  // Correcting a word that was understood is no second decision.
  const isMeantSo = approval.state === (answer.type === 'yes' ? 'approved' : 'denied');
  if (isEdit && objection === undefined && isMeantSo) return undefined;
  const meant = isPlain ? { onlyOpen: approval.id } : approval.id;
  return parts.decide(origin, meant, answer.type === 'yes' ? { type: 'once' } : denial(answer.reason ?? ''));
}

async function pointOut(
  origin: Origin,
  { text, sender }: Pick<InboundMessage, 'text' | 'sender'>,
  parts: AnswerParts,
): Promise<void> {
  if (!sender.isPerson || readShortAnswer(text) === undefined) return;
  const approval = decidable(origin, await shownIn(origin, parts), parts).at(-1);
  if (approval === undefined) return;
  const draft = noticeIn(origin.conversationId, pointerWords(approval, parts.readerOf(origin).language));
  const message = { ...draft.message, id: `open${approval.id}`, privateTo: origin.privateTo };
  await parts.store.note(approval.id, { ...draft, message }, parts.clock.now());
  parts.deliver([origin.conversationId]);
}

interface Judging extends Pick<AnswerParts, 'isApprover' | 'accountsOf'> {
  /** In the language of the sender. */
  readonly words: (typeof engineWords)[Language];
}

/** Why the sender may not decide it there; undefined if they may. */
export function objectionTo(
  origin: Origin,
  approval: Approval | undefined,
  { isApprover, accountsOf, words }: Judging,
): string | undefined {
  // A stranger learns nothing, not even whether the id exists.
  const isOwnRun =
    approval?.type === 'extension' && approval.extension.bound === 'turns' && isOwn(origin, approval, accountsOf);
  const isAtMachine = origin.isAtMachine === true;
  if (!isOwnRun && !isAtMachine && !isApprover(origin.principal)) return words.toastNotYours;
  if (approval === undefined) return words.toastNoApproval;
  if (approval.type === 'question') return words.toastIsQuestion;
  const isAnywhere = isAtMachine || origin.seesAll === true;
  if (!isAnywhere && !approval.cardConversationIds.includes(origin.conversationId)) return words.toastAskedElsewhere;
  return undefined;
}

/** Whether their run asks. In a chat, the account that began it counts; who sees all has all their accounts there. */
export function isOwn(
  { principal, seesAll }: Pick<Origin, 'principal' | 'seesAll'>,
  { requester }: Pick<Approval, 'requester'>,
  accountsOf: AnswerParts['accountsOf'],
): boolean {
  return requester === principal || (seesAll === true && accountsOf(principal).includes(requester));
}

/** The command that names an approval. */
function named(verb: 'approve' | 'deny', { id }: Approval): string {
  return inlineCode(`/${verb} ${id}`);
}

/** For a card that a yes or no is not enough for. */
export function buttonsWords(approval: Approval, language: Language): string {
  return engineWords[language].needsButtons(commandsOf(approval));
}

function commandsOf(approval: Approval) {
  return { approve: named('approve', approval), deny: named('deny', approval) };
}

/** Lists what is open where it was not said which is meant. */
export function whichWords(verb: 'approve' | 'deny', open: readonly Approval[], language: Language): string {
  const lines = open.map(
    (approval) => `- ${named(verb, approval)}: ${describeApproval(approval, language, longestTitle)}`,
  );
  return [engineWords[language].whichOne, ...lines].join('\n');
}

const longestTitle = 120;

function pointerWords(approval: Approval, language: Language): string {
  const what = describeApproval(approval, language, longestTitle);
  return engineWords[language].stillOpen({ what, ...commandsOf(approval), takesYes: !needsButtons(approval) });
}
