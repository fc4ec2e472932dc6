import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../support/random.ts';
import { waitUntil } from '../support/wait-for.ts';
import { answeredBy, kinds, type Task, type Traces, wordsOf } from './numbered-tasks.ts';
import type { Chat, ShownInChat } from './platforms.ts';

interface WritingPersonParts {
  readonly chat: Chat;
  readonly random: SeededRandom;
  /** The next number, which no other person gets. */
  readonly nextNumber: () => number;
  /** Where tasks leave something. Left out: they only talk. */
  readonly traces?: Traces;
  /** A denial that is pressed behind an approval comes behind it. */
  readonly keepsOrder?: boolean;
}

/** So many messages wait for an answer at most. */
const mostWaiting = 4;
/** How likely a message is delivered to the bot twice. */
const deliveredTwice = 0.1;
/** A press that nobody received shows nothing: a person who still sees the buttons presses again, after so many milliseconds. */
const patience = 4_000;

/** A person who writes one numbered message after another, often before the last one is answered, and presses cards. */
export class WritingPerson {
  /** What was written, the oldest first. */
  readonly tasks: Task[] = [];
  /** How often they have pressed a button. */
  presses = 0;
  readonly #parts: WritingPersonParts;
  /** When they pressed a card last. */
  readonly #pressed = new Map<string, number>();

  constructor(parts: WritingPersonParts) {
    this.#parts = parts;
  }

  /** Writes anything, and presses each card as soon as it shows, until the signal aborts. */
  async work(signal: AbortSignal): Promise<void> {
    const { random } = this.#parts;
    while (!signal.aborted) {
      this.press();
      if (this.unanswered().length < mostWaiting && random.chance(0.5)) this.say(random.pick(kinds));
      await pause(random.integer(20, 200));
    }
  }

  /** Talks so often, as long as answers come: throws when none comes within that time. */
  async talk(count: number, patienceMs: number, describe: () => string): Promise<void> {
    const { chat, random } = this.#parts;
    const what = `an answer in the chat ${chat.name}`;
    for (let written = 0; written < count; written += 1) {
      const waiting = random.integer(0, mostWaiting - 1);
      const mayWrite = (): boolean => this.unanswered().length <= waiting && (chat.hasCome?.() ?? true);
      // Looking after every change would keep the fake platform from answering, as there are many people.
      await waitUntil(mayWrite, { timeoutMs: patienceMs, what, describe });
      this.say();
      if (random.chance(0.5)) await pause(random.integer(20, 200));
    }
  }

  say(kind: Task['kind'] = 'talk'): void {
    const { chat, random, traces, nextNumber } = this.#parts;
    const task = { number: nextNumber(), kind };
    traces?.prepare(task);
    this.tasks.push(task);
    const deliverAgain = chat.say(wordsOf(task));
    if (random.chance(deliveredTwice)) deliverAgain();
  }

  /** Approves every card that it has not pressed yet; sometimes presses right afterwards again, which comes too late. */
  press(): void {
    const { random, keepsOrder = true } = this.#parts;
    for (const { id, buttons } of this.shown()) {
      const last = this.#pressed.get(id);
      if (buttons.length === 0 || (last !== undefined && Date.now() - last < patience)) continue;
      this.#pressed.set(id, Date.now());
      this.#press(id, '✅ Approve');
      if (last === undefined && random.chance(0.3)) this.#press(id, keepsOrder ? '❌ Deny' : '✅ Approve');
    }
  }

  shown(): readonly ShownInChat[] {
    return this.#parts.chat.shown();
  }

  /** Every answer that the chat shows, the oldest first; one that stands there twice, twice. */
  answers(): readonly string[] {
    return this.shown().flatMap(({ text }) => (text.startsWith('answered:') ? [text] : []));
  }

  /** How many answers stand there once more. */
  duplicates(): number {
    const answers = this.answers();
    return answers.length - new Set(answers).size;
  }

  unanswered(): readonly Task[] {
    const answered = new Set(this.answers().flatMap(answeredBy));
    return this.tasks.filter(({ number }) => !answered.has(number));
  }

  /** The cards that do not tell yet what became of their calls. */
  unsettled(): readonly Task[] {
    const settled = this.shown().filter(({ text }) => /✔️|⚡ Outcome unknown|🚫|🚫 It did not run/.test(text));
    return this.tasks.filter(
      ({ number, kind }) => kind === 'book' && !settled.some(({ text }) => text.includes(`book/${number}.txt`)),
    );
  }

  /** What still has buttons, each copy of a card too. */
  live(): readonly ShownInChat[] {
    return this.shown().filter(({ buttons }) => buttons.length > 0);
  }

  #press(id: string, label: string): void {
    this.presses += 1;
    this.#parts.chat.press(id, label);
  }
}

/** Counts from 1 on, for all who write. */
export function countNumbers(): () => number {
  let number = 0;
  return () => {
    number += 1;
    return number;
  };
}
