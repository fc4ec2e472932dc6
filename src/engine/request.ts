/*
 * Asking people: may this call run, may this run go on, what does the model want to know? Each becomes an approval with
 * its cards, which the caller stores together with whatever waits for it. A card goes where an approver can press: into
 * the conversation, or to the owners, and then the conversation is told. Questions go to the person the run serves, who
 * answers with a button or with their next words.
 */

import type { Approval, AskedQuestion, Extension, ExtensionApproval, QuestionApproval } from '../approval/approval.ts';
import { extensionButtons, extensionCard, forwardedNotice, settledWords, uncalledCard } from '../approval/cards.ts';
import { answeredCard, answerMeant, questionButtons, questionCard } from '../approval/question-cards.ts';
import type { Button } from '../contract.ts';
import { KeyedTurns } from '../lib/background.ts';
import { type Clock, onAbort } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { oneLine } from '../lib/plain-text.ts';
import { type InLanguage, type Language, languages } from '../lib/words.ts';
import type { PersonQuestion } from '../tools/tool.ts';
import { answeredResult } from '../words/model-words.ts';
import { type PlaceParts, placesFor } from './card-places.ts';
import type { Core, RunScope } from './feature.ts';
import type { ApprovalDraft } from './journal.ts';
import type { Origin, OutboxDraft } from './message.ts';
import { engineWords } from './words.ts';

interface RequestSettings {
  /** How long a card waits, in ms. At half time people are reminded. */
  readonly timeout: number;
  /** The same for a run that asks to go on. */
  readonly extensionTimeout: number;
  /** How long a window grant holds, in ms. */
  readonly window: number;
}

export interface RequestParts extends PlaceParts, Pick<Core, 'readerIn'> {
  readonly clock: Clock;
  readonly settings: RequestSettings & PlaceParts['settings'];
  /** Removes secrets from what the model or people will read. */
  readonly redact: (text: string) => string;
}

export interface AskedExtension {
  readonly extension: Extension;
  /** The bound it reached, as a markdown sentence. */
  readonly reason: InLanguage;
  /** What it would do, as markdown after "May I". */
  readonly description: InLanguage;
}

/** Asks whether a run may go on. About turns, the person it serves may decide: they could start another run just as well. */
export async function draftExtension(
  { extension, reason, description }: AskedExtension,
  where: RunScope,
  parts: RequestParts,
): Promise<ApprovalDraft<ExtensionApproval>> {
  const { conversationId } = where.scope;
  const approval: ExtensionApproval = {
    ...newApproval(where, parts.settings.extensionTimeout, parts),
    type: 'extension',
    toolName: 'go on',
    ...describedIn(parts.readerIn(conversationId).language, description),
    extension,
    places: extension.bound === 'turns' ? [conversationId] : await placesFor(conversationId, parts),
  };
  const cards = cardsOf(approval, parts, (language) => ({
    markdown: extensionCard(approval, language, {
      reason: reason(language),
      forwardedFrom: forwardedFrom(approval, where, language),
    }),
    buttons: extensionButtons(approval, language),
    elsewhere: `⏸️ ${reason(language)}\n\n${forwardedNotice(approval, language)}`,
  }));
  return { approval, cards };
}

/** A question of the model, or of a running call, to the person the run serves. */
export interface PersonAsked {
  readonly callId: string;
  readonly toolName: string;
  /** Empty for a running call: nothing is bound to it. */
  readonly hash: string;
  readonly question: PersonQuestion;
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
    places: [where.scope.conversationId],
    ...(isDuringCall ? { question: { ...question, duringCall: callId } } : { callId, question }),
  };
  const buttons = questionButtons(approval);
  const cards = cardsOf(approval, parts, (language) => ({
    markdown: questionCard(question, language),
    buttons: buttons.length === 0 ? undefined : buttons,
  }));
  return { approval, cards };
}

/** A description as it is stored: in the language of its conversation, and in others if it differs. */
export function describedIn(own: Language, describe: InLanguage): Pick<Approval, 'description' | 'otherwise'> {
  const description = describe(own);
  const others = languages
    .map((language) => [language, describe(language)] as const)
    .filter(([, words]) => words !== description);
  return { description, otherwise: others.length === 0 ? undefined : Object.fromEntries(others) };
}

/** Makes addresses plain text where links could leak, without a note about it. */
export function plainIn({ withoutLinks }: RunScope): (text: string) => string {
  return (text) => withoutLinks?.(text, '') ?? text;
}

export function newApproval({ scope, runsIn }: RunScope, timeout: number, { clock }: RequestParts) {
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

function isHere({ places, conversationId }: Approval): boolean {
  return places.includes(conversationId);
}

export function forwardedFrom(approval: Approval, { titleIn }: RunScope, language: Language): string | undefined {
  return isHere(approval) ? undefined : titleIn(language);
}

interface CardWords {
  readonly markdown: string;
  readonly buttons?: readonly (readonly Button[])[] | undefined;
  /** What the conversation is told if the card stands in another place. */
  readonly elsewhere?: string;
}

/** A card for each place, in the language of those who read it there. */
export function cardsOf(
  approval: Approval,
  { readerIn }: Pick<RequestParts, 'readerIn'>,
  wordsIn: (language: Language) => CardWords,
): readonly OutboxDraft[] {
  const card = (conversationId: string, language: Language, words: Omit<CardWords, 'elsewhere'>): OutboxDraft => ({
    conversationId,
    message: { id: newId(20), kind: 'card', language, ...words },
  });
  const asking = approval.places.map((place) => {
    const { language } = readerIn(place);
    const { markdown, buttons } = wordsIn(language);
    return card(place, language, { markdown, buttons });
  });
  if (isHere(approval) || asking.length === 0) return asking;
  const { language } = readerIn(approval.conversationId);
  return [...asking, card(approval.conversationId, language, { markdown: wordsIn(language).elsewhere ?? '' })];
}

/** A drafted question is stored long before this, in ms. */
const storedWithin = 60_000;

/** Questions and their answers. A question of the model survives a restart; one of a running call does not. */
export function createQuestions({ deliver, wake, readerOf }: Core, parts: RequestParts) {
  const { store, clock } = parts;
  /** Conversations that may have an open question, with the time of the last: other messages need no lookup. */
  const places = new Map<string, number>();
  /** The running calls that wait for an answer, by approval id. */
  const waiting = new Map<string, (answer: string | undefined) => void>();
  /** One running call asks a person at a time. */
  const turns = new KeyedTurns();
  let isEnding = false;

  const note = ({ conversationId, createdAt }: QuestionApproval): void => void places.set(conversationId, createdAt);

  async function callOff(approval: QuestionApproval): Promise<void> {
    await store.callOff(approval, (language) => uncalledCard(approval, language), clock.now());
    deliver([approval.conversationId]);
  }

  async function askNow(draft: ApprovalDraft<QuestionApproval>, signal: AbortSignal): Promise<string | undefined> {
    const { id, conversationId } = draft.approval;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    waiting.set(id, resolve);
    const unlisten = onAbort(signal, () => resolve(undefined));
    try {
      await store.ask(draft);
      deliver([conversationId]);
      const answer = signal.aborted ? undefined : await promise;
      if (answer === undefined) await callOff(draft.approval);
      return answer;
    } finally {
      unlisten();
      waiting.delete(id);
    }
  }

  async function answerTo(origin: Origin, approval: QuestionApproval, answer: string) {
    const result = await store.decide({
      ...{ origin, approval, state: 'answered' },
      outcome: () => answeredCard(approval.question, origin, answer),
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
    // With several open questions, an answer is for the newest.
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

    isAsked: async (conversationId: string, principal: string): Promise<boolean> =>
      (await openFor(conversationId, principal)) !== undefined,

    /** Handles a press. Returns words for the presser alone; undefined if the card says enough. */
    async press(origin: Origin, approvalId: string, index: number): Promise<string | undefined> {
      const { language } = readerOf(origin);
      const words = engineWords[language];
      const approval = await store.find(approvalId);
      const option = approval?.type === 'question' ? approval.question.options[index] : undefined;
      if (approval?.type !== 'question' || option === undefined || approval.conversationId !== origin.conversationId)
        return words.toastDeadButton;
      if (approval.requester !== origin.principal)
        return words.toastOnlyAsked({ person: `${approval.requester} (${oneLine(approval.requesterName, 40)})` });
      const answered = await answerTo(origin, approval, option);
      return answered === 'late' ? settledWords((await store.find(approvalId)) ?? approval, language) : undefined;
    },

    /** Takes words as the answer to an open question. Synchronously false if none is open, which keeps messages in order. */
    hear(origin: Origin, text: string): Promise<boolean> | false {
      return text.trim() !== '' && places.has(origin.conversationId) && take(origin, text);
    },

    /** Resolves calls that wait for one of these. */
    ended(approvals: readonly Approval[]): void {
      for (const { id } of approvals) waiting.get(id)?.(undefined);
    },

    end(): void {
      isEnding = true;
      for (const resolve of waiting.values()) resolve(undefined);
    },

    /** Finds questions that an earlier process left open, and cancels those of its running calls. */
    async recover(): Promise<void> {
      for (const approval of await store.pending()) {
        if (approval.type !== 'question') continue;
        if (approval.question.duringCall === undefined) note(approval);
        else await callOff(approval);
      }
    },
  };
}
