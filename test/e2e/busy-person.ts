import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../support/random.ts';
import { answeredBy, kinds, type Task, type Traces, wordsOf } from './numbered-tasks.ts';
import type { ShownInChat, StormChat } from './storm-platforms.ts';

export interface BusyPersonDependencies {
  readonly chat: StormChat;
  readonly random: SeededRandom;
  readonly traces: Traces;
  /** A denial that is pressed behind an approval comes behind it. */
  readonly keepsOrder: boolean;
  /** The next number, which no other person gets. */
  readonly nextNumber: () => number;
}

/** So many messages wait for an answer at most. */
const mostWaiting = 4;
/** A press that nobody received shows nothing: a person who still sees the buttons presses again, after so many milliseconds. */
const patience = 4_000;

/** A person who writes one numbered message after another, and presses each card as soon as it shows. */
export class BusyPerson {
  readonly tasks: Task[] = [];
  /** How often they have pressed a button. */
  presses = 0;
  readonly #dependencies: BusyPersonDependencies;
  /** When they pressed a card last. */
  readonly #pressed = new Map<string, number>();

  constructor(dependencies: BusyPersonDependencies) {
    this.#dependencies = dependencies;
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
    const { chat, random, traces, nextNumber } = this.#dependencies;
    const task = { number: nextNumber(), kind };
    traces.prepare(task);
    this.tasks.push(task);
    const deliverAgain = chat.say(wordsOf(task));
    if (random.chance(0.1)) deliverAgain();
  }

  /** Approves every card that it has not pressed yet; sometimes presses right afterwards again, which comes too late. */
  press(): void {
    const { random, keepsOrder } = this.#dependencies;
    for (const { id, buttons } of this.shown()) {
      const last = this.#pressed.get(id);
      if (buttons.length === 0 || (last !== undefined && Date.now() - last < patience)) continue;
      this.#pressed.set(id, Date.now());
      this.#press(id, '✅ Approve');
      if (last === undefined && random.chance(0.3)) this.#press(id, keepsOrder ? '❌ Deny' : '✅ Approve');
    }
  }

  shown(): readonly ShownInChat[] {
    return this.#dependencies.chat.shown();
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
    const settled = this.shown().filter(({ text }) => /✔️ Done in|⚠️ Outcome unknown|🚫|⚠️ It did not run/.test(text));
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
    this.#dependencies.chat.press(id, label);
  }
}
