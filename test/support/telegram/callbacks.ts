import { badRequest } from './refusal.ts';
import { callbackRetention } from './update-queue.ts';

/** What the bot answers to a press. */
export interface CallbackAnswer {
  readonly text: string;
  readonly showAlert: boolean;
}

const tooOld = 'query is too old and response timeout expired or query ID is invalid';

/** The presses that may be answered, and what was answered. */
export class Callbacks {
  readonly #now: () => number;
  readonly #pressedAt = new Map<string, number>();
  readonly #answers = new Map<string, CallbackAnswer>();
  #nextId = 1;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Ids are long numbers and mean nothing. */
  open(): string {
    const id = `43000000${String(this.#nextId).padStart(10, '0')}`;
    this.#nextId += 1;
    this.#pressedAt.set(id, this.#now());
    return id;
  }

  answer(id: string, answer: CallbackAnswer): void {
    const pressedAt = this.#pressedAt.get(id);
    if (pressedAt === undefined || this.#now() - pressedAt >= callbackRetention) throw badRequest(tooOld);
    // A person sees the first answer; the button does not spin any more for a second.
    if (!this.#answers.has(id)) this.#answers.set(id, answer);
  }

  forget(): void {
    this.#pressedAt.clear();
    this.#answers.clear();
  }

  answerTo(id: string): CallbackAnswer | undefined {
    return this.#answers.get(id);
  }
}
