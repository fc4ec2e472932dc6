import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../support/random.ts';
import type { ShownMessage } from '../support/telegram/chats.ts';
import type { TelegramServer } from '../support/telegram-server.ts';
import { answeredBy, kinds, type Task, type Traces, wordsOf } from './numbered-tasks.ts';

export interface BusyPersonDependencies {
  readonly telegram: TelegramServer;
  readonly chat: number;
  readonly random: SeededRandom;
  readonly traces: Traces;
  /** The next number, which no other person gets. */
  readonly nextNumber: () => number;
}

/** So many messages wait for an answer at most. */
const mostWaiting = 4;

/** A person who writes one numbered message after another, and presses each card as soon as it shows. */
export class BusyPerson {
  readonly tasks: Task[] = [];
  readonly #dependencies: BusyPersonDependencies;
  readonly #pressed = new Set<number>();

  constructor(dependencies: BusyPersonDependencies) {
    this.#dependencies = dependencies;
  }

  get chat(): number {
    return this.#dependencies.chat;
  }

  /** Goes on until the signal aborts. */
  async write(signal: AbortSignal): Promise<void> {
    const { random } = this.#dependencies;
    while (!signal.aborted) {
      this.press();
      if (this.unanswered().length < mostWaiting && random.chance(0.5)) this.say(random.pick(kinds));
      await pause(random.integer(20, 200));
    }
  }

  say(kind: Task['kind']): void {
    const { telegram, chat, traces, nextNumber } = this.#dependencies;
    const task = { number: nextNumber(), kind };
    traces.prepare(task);
    this.tasks.push(task);
    telegram.say(chat, wordsOf(task));
  }

  /** Approves every card that it has not pressed yet; sometimes denies it right afterwards, which comes too late. */
  press(): void {
    const { telegram, chat, random } = this.#dependencies;
    for (const { id, buttons } of this.shown()) {
      if (buttons.length === 0 || this.#pressed.has(id)) continue;
      this.#pressed.add(id);
      telegram.press(chat, id, '✅ Approve');
      if (random.chance(0.3)) telegram.press(chat, id, '❌ Deny');
    }
  }

  /** What the bot has said, the oldest first. */
  shown(): readonly ShownMessage[] {
    const { telegram, chat } = this.#dependencies;
    return telegram.chat(chat).filter(({ from }) => from === 'bot');
  }

  answers(): readonly string[] {
    return this.shown().flatMap(({ text }) => (text.startsWith('answered:') ? [text] : []));
  }

  unanswered(): readonly Task[] {
    const answered = new Set(this.answers().flatMap(answeredBy));
    return this.tasks.filter(({ number }) => !answered.has(number));
  }

  /** The cards that do not tell yet what became of their calls. */
  unsettled(): readonly Task[] {
    const settled = this.shown().filter(({ text }) => /✔️ Done in|⚠️ Outcome unknown/.test(text));
    return this.tasks.filter(
      ({ number, kind }) => kind === 'book' && !settled.some(({ text }) => text.includes(`book/${number}.txt`)),
    );
  }
}
