import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { KeyedTurns } from '../lib/keyed-turns.ts';
import { oneLine } from '../lib/plain-text.ts';
import type { PersonQuestion } from '../tools/facets.ts';
import type { Approval, ApprovalDraft, ApprovalStore, AskedQuestion, Origin } from './approval.ts';
import { answeredResult } from './call-results.ts';
import { uncalledCard } from './card.ts';
import type { ApprovalDeadlines } from './deadlines.ts';
import { answeredCard, answerMeant, questionButtons, questionCard } from './question-card.ts';
import { settledWords } from './settled-words.ts';

export interface QuestionDependencies {
  readonly store: Pick<ApprovalStore, 'pending' | 'find' | 'answer' | 'ask' | 'callOff'>;
  readonly clock: Clock;
  readonly deadlines: Pick<ApprovalDeadlines, 'watch'>;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** Told after something was stored that lets these conversations go on. */
  readonly wake: (conversationIds: readonly string[]) => void;
}

/** A question that was written is stored long before that, in milliseconds. */
const storedWithin = 60_000;

/** A call that asks the person whom its run serves. */
export interface QuestionRequest {
  readonly callId: string;
  readonly conversationId: string;
  /** The sub-run that waits for it, where that is not the conversation. */
  readonly runsIn?: string;
  readonly requester: string;
  readonly requesterName: string;
  readonly toolName: string;
  readonly hash: string;
  readonly question: PersonQuestion;
}

/**
 * What the model asks people, and what they answer: by a button, or with the next words that they write there. Only the
 * person whom the run serves can answer, once.
 */
export class Questions {
  readonly #dependencies: QuestionDependencies;
  /** Where one may be open, and when the last one was asked: a message that is said elsewhere need not be looked at. */
  readonly #places = new Map<string, number>();
  /** What calls ask while they run, and who waits for it, by the approval's id. */
  readonly #waiting = new Map<string, (answer: string | undefined) => void>();
  /** Of several calls that run, one asks a person at a time. */
  readonly #turns = new KeyedTurns();

  constructor(dependencies: QuestionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Finds the questions that a former process left open. Those of calls that ran in it are of no use any more. */
  async recover(): Promise<void> {
    for (const approval of await this.#dependencies.store.pending()) {
      if (approval.question?.duringCall === undefined) this.#note(approval);
      else await this.#callOff(approval);
    }
  }

  /**
   * Asks for a call that runs, and resolves with the answer; with undefined where none comes in time, or the signal calls
   * the question off. It waits until what other calls ask the same person there is answered.
   */
  async ask(request: QuestionRequest, signal: AbortSignal): Promise<string | undefined> {
    const leave = await this.#turns.enter(`${request.conversationId} ${request.requester}`, signal);
    if (leave === undefined) return undefined;
    try {
      return await this.#askNow(request, signal);
    } finally {
      leave();
    }
  }

  /** Told of questions that have ended without an answer: nobody waits for them any more. */
  ended(approvals: readonly Approval[]): void {
    for (const { id } of approvals) this.#waiting.get(id)?.(undefined);
  }

  /** Whether the person has a question before him here. */
  async isAsked(conversationId: string, principal: string): Promise<boolean> {
    return (await this.#open(conversationId, principal)) !== undefined;
  }

  /** Writes the card. The caller stores it together with the call. */
  draft(request: QuestionRequest): ApprovalDraft {
    return this.#write(request, { callId: request.callId, question: askedOf(request) });
  }

  #write(request: QuestionRequest, asked: Pick<Approval, 'callId' | 'question'>): ApprovalDraft {
    const { clock, deadlines } = this.#dependencies;
    const { conversationId, runsIn, requester, requesterName, toolName, hash, question } = request;
    const now = clock.now();
    const approval: Approval = {
      id: newId(8),
      conversationId,
      ...(runsIn === undefined ? {} : { runsIn }),
      requester,
      requesterName,
      toolName,
      description: oneLine(question.text, 300),
      hash,
      grantable: false,
      state: 'pending',
      createdAt: now,
      expiresAt: now + question.timeout,
      places: [conversationId],
      ...asked,
    };
    deadlines.watch(approval);
    this.#note(approval);
    const buttons = questionButtons(approval);
    const card = { id: newId(20), kind: 'card' as const, markdown: questionCard(question) };
    const message = buttons.length === 0 ? card : { ...card, buttons };
    return { approval, cards: [{ conversationId, message }] };
  }

  async #askNow(request: QuestionRequest, signal: AbortSignal): Promise<string | undefined> {
    const { store, deliver } = this.#dependencies;
    const draft = this.#write(request, { question: { ...askedOf(request), duringCall: request.callId } });
    const { id, conversationId } = draft.approval;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const leave = (): void => resolve(undefined);
    this.#waiting.set(id, resolve);
    signal.addEventListener('abort', leave, { once: true });
    try {
      await store.ask(draft);
      deliver([conversationId]);
      const answer = signal.aborted ? undefined : await promise;
      if (answer === undefined) await this.#callOff(draft.approval);
      return answer;
    } finally {
      signal.removeEventListener('abort', leave);
      this.#waiting.delete(id);
    }
  }

  async #callOff(approval: Approval): Promise<void> {
    const { store, clock, deliver } = this.#dependencies;
    await store.callOff(approval, uncalledCard(approval), clock.now());
    deliver([approval.conversationId]);
  }

  /** Takes the press of a button. Answers with the words for him alone; undefined where the card itself says enough. */
  async press(origin: Origin, approvalId: string, index: number): Promise<string | undefined> {
    const approval = await this.#dependencies.store.find(approvalId);
    const option = approval?.question?.options[index];
    if (approval === undefined || option === undefined || approval.conversationId !== origin.conversationId)
      return 'This button no longer does anything.';
    if (approval.requester !== origin.principal) return `Only ${approval.requesterName} was asked.`;
    if (approval.state !== 'pending') return settledWords(approval);
    const answered = await this.#answer(origin, approval, option);
    return answered === 'late' ? 'That is settled already.' : undefined;
  }

  /**
   * Takes a person's words, if they answer what he was asked there. False if they are for the model to read as ever: at
   * once where nothing is asked, so that what a chat delivers together is stored in its order.
   */
  hear(origin: Origin, text: string): Promise<boolean> | false {
    if (text.trim() === '' || !this.#places.has(origin.conversationId)) return false;
    return this.#take(origin, text);
  }

  async #take(origin: Origin, text: string): Promise<boolean> {
    const approval = await this.#open(origin.conversationId, origin.principal);
    if (approval?.question === undefined) return false;
    const answer = answerMeant(approval.question, text);
    return (await this.#answer(origin, approval, answer)) !== 'late';
  }

  async #answer(origin: Origin, approval: Approval, answer: string) {
    const { store, clock, deliver, wake } = this.#dependencies;
    const question = approval.question ?? { text: '', options: [] };
    const result = await store.answer({
      origin,
      approval,
      outcome: answeredCard(question, origin.name, answer),
      result: answeredResult(origin.name, answer),
      at: clock.now(),
    });
    if (result === 'decided') {
      this.#waiting.get(approval.id)?.(answer);
      deliver([approval.conversationId]);
      wake([approval.runsIn ?? approval.conversationId]);
    }
    return result;
  }

  async #open(conversationId: string, principal: string): Promise<Approval | undefined> {
    const { store, clock } = this.#dependencies;
    if (!this.#places.has(conversationId)) return undefined;
    const pending = await store.pending(conversationId);
    const questions = pending.filter(({ question }) => question !== undefined);
    const askedAt = this.#places.get(conversationId) ?? 0;
    if (questions.length === 0 && clock.now() - askedAt > storedWithin) this.#places.delete(conversationId);
    // Who has several before him answers what he has read last.
    return questions.findLast(({ requester }) => requester === principal);
  }

  #note({ question, conversationId, createdAt }: Approval): void {
    if (question !== undefined) this.#places.set(conversationId, createdAt);
  }
}

function askedOf({ question: { text, options, wantsText } }: QuestionRequest): AskedQuestion {
  return { text, options, ...(wantsText === undefined ? {} : { wantsText }) };
}
