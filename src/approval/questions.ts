import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { oneLine } from '../lib/plain-text.ts';
import type { PersonQuestion } from '../tools/facets.ts';
import type { Approval, ApprovalDraft, ApprovalStore, Origin } from './approval.ts';
import { answeredResult } from './call-results.ts';
import type { ApprovalDeadlines } from './deadlines.ts';
import { answeredCard, answerMeant, questionButtons, questionCard } from './question-card.ts';
import { settledWords } from './settled-words.ts';

export interface QuestionDependencies {
  readonly store: Pick<ApprovalStore, 'pending' | 'find' | 'answer'>;
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

  constructor(dependencies: QuestionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Finds the questions that a former process left open. */
  async recover(): Promise<void> {
    for (const approval of await this.#dependencies.store.pending()) this.#note(approval);
  }

  /** Whether the person has a question before him here. */
  async isAsked(conversationId: string, principal: string): Promise<boolean> {
    return (await this.#open(conversationId, principal)) !== undefined;
  }

  /** Writes the card. The caller stores it together with the call. */
  draft(request: QuestionRequest): ApprovalDraft {
    const { clock, deadlines } = this.#dependencies;
    const { callId, conversationId, requester, requesterName, toolName, hash, question } = request;
    const { text, options } = question;
    const now = clock.now();
    const approval: Approval = {
      id: newId(8),
      callId,
      conversationId,
      requester,
      requesterName,
      toolName,
      description: oneLine(text, 300),
      hash,
      grantable: false,
      state: 'pending',
      createdAt: now,
      expiresAt: now + question.timeout,
      question: { text, options },
      places: [conversationId],
    };
    deadlines.watch(approval);
    this.#note(approval);
    const buttons = questionButtons(approval);
    const card = { id: newId(20), kind: 'card' as const, markdown: questionCard({ text, options }) };
    const message = buttons.length === 0 ? card : { ...card, buttons };
    return { approval, cards: [{ conversationId, message }] };
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
    const answer = answerMeant(approval.question.options, text);
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
      deliver([approval.conversationId]);
      wake([approval.conversationId]);
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
    return questions.find(({ requester }) => requester === principal);
  }

  #note({ question, conversationId, createdAt }: Approval): void {
    if (question !== undefined) this.#places.set(conversationId, createdAt);
  }
}
