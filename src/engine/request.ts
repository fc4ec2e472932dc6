/*
 * What people are asked: may this call run, may this run go on, what does the model want to know? Each is written as an
 * approval with its cards, which the caller stores together with what waits for it. A card goes to where somebody may
 * decide: into the conversation, or to the owners, and then the conversation is told so. Questions are for the person
 * whom the run serves, where they talk; their answer is a button, or their next words there.
 */

import type {
  Approval,
  AskedCall,
  AskedQuestion,
  Extension,
  ExtensionApproval,
  PermissionApproval,
  QuestionApproval,
} from '../approval/approval.ts';
import {
  answeredCard,
  answerMeant,
  type CardContent,
  cardButtons,
  extensionButtons,
  extensionCard,
  forwardedNotice,
  questionButtons,
  questionCard,
  requestCard,
  settledWords,
  uncalledCard,
} from '../approval/cards.ts';
import type { Button, Conversation } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { KeyedTurns } from '../lib/keyed-worker.ts';
import { inlineCode, oneLine } from '../lib/plain-text.ts';
import type { BoundFiles, PersonQuestion } from '../tools/category.ts';
import type { PreparedCall } from '../tools/tool.ts';
import { answeredResult } from '../words/model-words.ts';
import type { Core, RunScope } from './feature.ts';
import type { ApprovalDraft, ApprovalStore } from './journal.ts';
import type { Origin, OutboxDraft } from './message.ts';

export interface AskSettings {
  /** How long a card waits, in milliseconds. Half way through, people are reminded. */
  readonly timeout: number;
  /** The same where a run asks to go on. */
  readonly extensionTimeout: number;
  /** How long a window grant holds, in milliseconds. */
  readonly window: number;
  /** Conversations that cards go to where nobody may decide. Empty: the owners' own chats. */
  readonly forwardTo: readonly string[];
}

export interface AskParts {
  readonly store: ApprovalStore;
  readonly clock: Clock;
  readonly settings: AskSettings;
  /** The people who may decide, as the config and the claims say now. */
  readonly approvers: () => readonly string[];
  /** Whether the channel of a conversation runs, so that a card can be seen there. */
  readonly isReachable: (conversation: Conversation) => boolean;
  /** Takes secrets out of what the model, or people, will read. */
  readonly redact: (text: string) => string;
}

/** A call that a person has to decide about. */
export interface AskedPermission {
  readonly callId: string;
  readonly prepared: PreparedCall;
  readonly hash: string;
  readonly bound?: BoundFiles;
  readonly reason: string;
  readonly grantable: boolean;
}

/** Asks for a call, or for several of one answer on one card. Without a place if nobody can decide. */
export async function draftPermission(
  [first, ...others]: readonly [AskedPermission, ...AskedPermission[]],
  where: RunScope,
  parts: AskParts,
): Promise<ApprovalDraft<PermissionApproval>> {
  const { settings } = parts;
  const { callId, prepared, hash, grantable } = first;
  const content = await contentOf(first, where, parts);
  const rest = await Promise.all(others.map((one) => contentOf(one, where, parts)));
  const { sources: readBefore, reads } = where.labels;
  const approval: PermissionApproval = {
    ...newApproval(where, settings.timeout, parts),
    type: 'permission',
    callId,
    toolName: [...new Set([first, ...others].map((one) => one.prepared.toolName))].join(', '),
    description: content.description,
    hash,
    grantable,
    places: await placesFor(where.scope.conversationId, parts),
    asked: { ...askedFor(content), readBefore, reads, targets: prepared.facets.targets },
    ...(others.length === 0 ? {} : together([content, ...rest], others, { readBefore, reads })),
  };
  const from = forwardedFrom(approval, where);
  const cards = cardsOf(approval, {
    markdown: requestCard(approval, { ...content, forwardedFrom: from }, ...rest),
    buttons: cardButtons(approval, settings.window),
    elsewhere: forwardedNotice(approval),
  });
  return { approval, cards };
}

const askedFor = ({ category, arguments: args, reason }: CardContent) => ({ category, arguments: args, reason });

/** What an approval says of several calls, each with its number: no standing permission comes with it. */
function together(
  contents: readonly [CardContent, ...CardContent[]],
  others: readonly AskedPermission[],
  read: Pick<AskedCall, 'readBefore' | 'reads'>,
): Pick<PermissionApproval, 'description' | 'grantable' | 'asked'> {
  const calls = contents.map((one) => ({ tool: one.displayName, ...askedFor(one) }));
  return {
    description: contents.map((one, index) => `(${index + 1}) ${one.description}`).join('; '),
    grantable: false,
    asked: {
      ...read,
      category: (contents.find(({ category }) => category === 'destructive') ?? contents[0]).category,
      arguments: { calls },
      reason: [...new Set(contents.map(({ reason }) => reason))].join('; '),
      others: others.map(({ callId, hash }) => ({ callId, hash })),
    },
  };
}

async function contentOf(
  { prepared, bound, reason }: AskedPermission,
  where: RunScope,
  { redact }: AskParts,
): Promise<CardContent> {
  const worker = where.workers?.at(-1)?.name;
  const { displayName, category, arguments: args, effect } = prepared;
  const preview = await prepared.preview(where.scope);
  const withoutLinks = plainIn(where);
  return {
    description: withoutLinks(prepared.describe(where.scope)),
    displayName,
    category,
    arguments: args,
    reason: worker === undefined ? reason : `${reason}; ${inlineCode(worker)} calls it`,
    effect,
    files: bound?.files,
    // A look at a file shows what stands beside the change.
    preview: preview === undefined ? undefined : redact(preview),
    withoutLinks,
  };
}

/** A run that has reached one of its bounds. */
export interface AskedExtension {
  readonly extension: Extension;
  /** Which bound it has reached, as a markdown sentence. */
  readonly reason: string;
  /** What it would do, as markdown behind "May I". */
  readonly description: string;
}

/**
 * Asks whether a run may go on. Without a place if nobody can decide that. About turns, the person whom the run serves may
 * decide themselves: they could begin another run just as well.
 */
export async function draftExtension(
  { extension, reason, description }: AskedExtension,
  where: RunScope,
  parts: AskParts,
): Promise<ApprovalDraft<ExtensionApproval>> {
  const { conversationId } = where.scope;
  const approval: ExtensionApproval = {
    ...newApproval(where, parts.settings.extensionTimeout, parts),
    type: 'extension',
    toolName: 'go on',
    description,
    extension,
    places: extension.bound === 'turns' ? [conversationId] : await placesFor(conversationId, parts),
  };
  const cards = cardsOf(approval, {
    markdown: extensionCard(approval, { reason, forwardedFrom: forwardedFrom(approval, where) }),
    buttons: extensionButtons(approval),
    elsewhere: `⏸️ ${reason}\n\n${forwardedNotice(approval)}`,
  });
  return { approval, cards };
}

/** What the model, or a call that runs, asks the person whom the run serves. */
export interface PersonAsked {
  readonly callId: string;
  readonly toolName: string;
  /** What was judged; empty where a call asks while it runs, since nothing is bound to that. */
  readonly hash: string;
  readonly question: PersonQuestion;
}

/** Asks a question. `isDuringCall`: the call runs, and its tool waits for the answer. */
function draftQuestion(
  { callId, toolName, hash, question: { text, options, wantsText, timeout } }: PersonAsked,
  where: RunScope,
  isDuringCall: boolean,
  parts: AskParts,
): ApprovalDraft<QuestionApproval> {
  const shown = { text: where.withoutLinks?.(text) ?? text, options: options.map(plainIn(where)) };
  const question: AskedQuestion = { ...shown, wantsText };
  const approval: QuestionApproval = {
    ...newApproval(where, timeout, parts),
    type: 'question',
    toolName,
    description: oneLine(question.text, 300),
    hash,
    places: [where.scope.conversationId],
    ...(isDuringCall ? { question: { ...question, duringCall: callId } } : { callId, question }),
  };
  const buttons = questionButtons(approval);
  const card = { markdown: questionCard(question), buttons: buttons.length === 0 ? undefined : buttons };
  return { approval, cards: cardsOf(approval, card) };
}

/** As it is shown where no address in it may be a link: short texts, which say nothing of it. */
function plainIn({ withoutLinks }: RunScope): (text: string) => string {
  return (text) => withoutLinks?.(text, '') ?? text;
}

function newApproval({ scope, runsIn }: RunScope, timeout: number, { clock }: AskParts) {
  const now = clock.now();
  return {
    id: newId(8),
    conversationId: scope.conversationId,
    runsIn,
    requester: scope.sender.principal,
    requesterName: scope.sender.name,
    state: 'pending',
    createdAt: now,
    expiresAt: now + timeout,
  } as const;
}

/** Conversations where an approver can press. Empty if there are none. */
async function placesFor(conversationId: string, parts: AskParts): Promise<readonly string[]> {
  const { store, approvers, settings, isReachable } = parts;
  const participants = await store.participants(conversationId);
  if (participants.some((principal) => approvers().includes(principal))) return [conversationId];
  const forwardTo = settings.forwardTo.length > 0 ? settings.forwardTo : await store.directConversations(approvers());
  const places = await store.places(forwardTo);
  return places.filter(({ conversation }) => isReachable(conversation)).map(({ id }) => id);
}

function isHere({ places, conversationId }: Approval): boolean {
  return places.includes(conversationId);
}

function forwardedFrom(approval: Approval, { conversationTitle }: RunScope): string | undefined {
  return isHere(approval) ? undefined : conversationTitle;
}

interface CardWords {
  readonly markdown: string;
  readonly buttons?: readonly (readonly Button[])[] | undefined;
  /** What the conversation is told if the card stands in another place. */
  readonly elsewhere?: string;
}

function cardsOf(approval: Approval, { markdown, buttons, elsewhere = '' }: CardWords): readonly OutboxDraft[] {
  const card = (conversationId: string, words: Omit<CardWords, 'elsewhere'>): OutboxDraft => ({
    conversationId,
    message: { id: newId(20), kind: 'card', ...words },
  });
  const asking = approval.places.map((place) => card(place, { markdown, buttons }));
  if (isHere(approval) || asking.length === 0) return asking;
  return [...asking, card(approval.conversationId, { markdown: elsewhere })];
}

/** A question that was written is stored long before that, in milliseconds. */
const storedWithin = 60_000;

/**
 * Questions, and the answers to them: only of the person whom the run serves, once. The answer is a button or the person's
 * next words there. A question of the model outlives the process; one of a call that runs does not.
 */
export function createQuestions({ deliver, wake }: Core, parts: AskParts) {
  const { store, clock } = parts;
  /** Where one may be open, and when the last one was asked: a message that is said elsewhere need not be looked at. */
  const places = new Map<string, number>();
  /** What calls ask while they run, and who waits for it, by the approval's id. */
  const waiting = new Map<string, (answer: string | undefined) => void>();
  /** Of several calls that run, one asks a person at a time. */
  const turns = new KeyedTurns();
  let isEnding = false;

  const note = ({ conversationId, createdAt }: QuestionApproval): void => void places.set(conversationId, createdAt);

  async function callOff(approval: QuestionApproval): Promise<void> {
    await store.callOff(approval, uncalledCard(approval), clock.now());
    deliver([approval.conversationId]);
  }

  async function askNow(draft: ApprovalDraft<QuestionApproval>, signal: AbortSignal): Promise<string | undefined> {
    const { id, conversationId } = draft.approval;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const leave = (): void => resolve(undefined);
    waiting.set(id, resolve);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await store.ask(draft);
      deliver([conversationId]);
      const answer = signal.aborted ? undefined : await promise;
      if (answer === undefined) await callOff(draft.approval);
      return answer;
    } finally {
      signal.removeEventListener('abort', leave);
      waiting.delete(id);
    }
  }

  async function answerTo(origin: Origin, approval: QuestionApproval, answer: string) {
    const result = await store.answer({
      origin,
      approval,
      outcome: answeredCard(approval.question, origin, answer),
      result: answeredResult(origin.name, answer),
      at: clock.now(),
    });
    deliver([approval.conversationId]);
    if (result === 'decided') {
      waiting.get(approval.id)?.(answer);
      wake([approval.runsIn ?? approval.conversationId]);
    }
    return result;
  }

  async function openFor(conversationId: string, principal: string): Promise<QuestionApproval | undefined> {
    const askedAt = places.get(conversationId);
    if (askedAt === undefined) return undefined;
    const pending = await store.pending(conversationId);
    const questions = pending.filter((approval) => approval.type === 'question');
    if (questions.length === 0 && clock.now() - askedAt > storedWithin) places.delete(conversationId);
    // A person with several questions answers the one they have read last.
    return questions.findLast(({ requester }) => requester === principal);
  }

  async function take(origin: Origin, text: string): Promise<boolean> {
    const approval = await openFor(origin.conversationId, origin.principal);
    if (approval === undefined) return false;
    return (await answerTo(origin, approval, answerMeant(approval.question, text))) !== 'late';
  }

  function draft(asked: PersonAsked, where: RunScope, isDuringCall = false): ApprovalDraft<QuestionApproval> {
    const drafted = draftQuestion(asked, where, isDuringCall, parts);
    note(drafted.approval);
    return drafted;
  }

  return {
    draft,

    async ask(asked: PersonAsked, where: RunScope, signal: AbortSignal, watch: (approval: Approval) => void) {
      const { conversationId, sender } = where.scope;
      const leave = await turns.enter(`${conversationId} ${sender.principal}`, signal);
      if (leave === undefined) return undefined;
      try {
        if (isEnding) return undefined;
        const drafted = draft(asked, where, true);
        watch(drafted.approval);
        return await askNow(drafted, signal);
      } finally {
        leave();
      }
    },

    /** Whether the person has a question to answer here. */
    isAsked: async (conversationId: string, principal: string): Promise<boolean> =>
      (await openFor(conversationId, principal)) !== undefined,

    /** Takes the press of a button. Answers with the words for them alone; undefined where the card itself says enough. */
    async press(origin: Origin, approvalId: string, index: number): Promise<string | undefined> {
      const approval = await store.find(approvalId);
      const option = approval?.type === 'question' ? approval.question.options[index] : undefined;
      if (approval?.type !== 'question' || option === undefined || approval.conversationId !== origin.conversationId)
        return 'This button no longer does anything.';
      if (approval.requester !== origin.principal)
        return `Only ${approval.requester} (${oneLine(approval.requesterName, 40)}) was asked.`;
      const answered = await answerTo(origin, approval, option);
      return answered === 'late' ? settledWords((await store.find(approvalId)) ?? approval) : undefined;
    },

    /**
     * Takes a person's words, if they answer what was asked there. False if they are for the model to read as ever: at
     * once where nothing is asked, so that what a chat delivers together is stored in its order.
     */
    hear(origin: Origin, text: string): Promise<boolean> | false {
      return text.trim() !== '' && places.has(origin.conversationId) && take(origin, text);
    },

    /** Nobody waits for these any more. */
    ended(approvals: readonly Approval[]): void {
      for (const { id } of approvals) waiting.get(id)?.(undefined);
    },

    end(): void {
      isEnding = true;
      for (const resolve of waiting.values()) resolve(undefined);
    },

    /** Finds the questions that a former process left open. Those of calls that ran in it are of no use any more. */
    async recover(): Promise<void> {
      for (const approval of await store.pending()) {
        if (approval.type !== 'question') continue;
        if (approval.question.duringCall === undefined) note(approval);
        else await callOff(approval);
      }
    },
  };
}
