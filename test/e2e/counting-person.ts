import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait-for.ts';
import type { CountedChat } from './faulty-platform.ts';
import { answeredBy, wordsOf } from './numbered-tasks.ts';

export interface CountingPersonDependencies {
  readonly chat: CountedChat;
  readonly random: SeededRandom;
  /** What is still to be sent, for the error of a wait in vain. */
  readonly describe?: () => string;
  /** The next number, which no other person gets. */
  readonly nextNumber: () => number;
}

/** So many messages wait for an answer at most. */
const mostWaiting = 4;
/** How likely a message is delivered to the bot twice. */
const deliveredTwice = 0.1;

/** A person who only talks: writes one numbered message after another, often before the last one is answered. */
export class CountingPerson {
  /** What was written, the oldest first. */
  readonly numbers: number[] = [];
  readonly #dependencies: CountingPersonDependencies;

  constructor(dependencies: CountingPersonDependencies) {
    this.#dependencies = dependencies;
  }

  /** Goes on as long as answers come: throws when none comes within that time. */
  async write(count: number, patienceMs: number): Promise<void> {
    const { chat, random, describe } = this.#dependencies;
    const what = `an answer in the chat ${chat.name}`;
    for (let written = 0; written < count; written += 1) {
      const waiting = random.integer(0, mostWaiting - 1);
      const mayWrite = (): boolean => this.unanswered().length <= waiting && (chat.hasCome?.() ?? true);
      // Looking after every change would keep the fake platform from answering, as there are many people.
      await waitUntil(mayWrite, { timeoutMs: patienceMs, what, ...(describe && { describe }) });
      this.say();
      if (random.chance(0.5)) await pause(random.integer(20, 200));
    }
  }

  say(): void {
    const { chat, random, nextNumber } = this.#dependencies;
    const number = nextNumber();
    this.numbers.push(number);
    const deliverAgain = chat.say(wordsOf({ number, kind: 'talk' }));
    if (random.chance(deliveredTwice)) deliverAgain();
  }

  /** Every answer that the chat shows, the oldest first; one that stands there twice, twice. */
  answers(): readonly string[] {
    return this.#dependencies.chat.shown();
  }

  unanswered(): readonly number[] {
    const answered = new Set(this.answers().flatMap(answeredBy));
    return this.numbers.filter((number) => !answered.has(number));
  }
}
