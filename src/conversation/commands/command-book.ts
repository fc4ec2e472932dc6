import { type Command, noticeTo, type Origin } from '../../engine/message.ts';
import type { Clock } from '../../lib/clock.ts';
import type { StorageNotices } from '../health/storage-notices.ts';
import type { CommandEffect, EffectResult, InboxStore, Obeyed, StoredCommand } from '../inbox.ts';

export interface CommandBookDependencies {
  readonly inbox: Pick<InboxStore, 'obey'>;
  readonly notices: Pick<StorageNotices, 'answer' | 'hasAnswered'>;
  readonly clock: Clock;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
}

/** Where commands are written down, each with its effect and its answer in one transaction: delivered twice, it acts once. */
export class CommandBook {
  readonly #dependencies: CommandBookDependencies;

  constructor(dependencies: CommandBookDependencies) {
    this.#dependencies = dependencies;
  }

  /** Answers a command that changes nothing. */
  async answer(command: Command, origin: Origin, words: string): Promise<void> {
    await this.obey(command, origin, { effect: { type: 'none' }, words: () => words });
  }

  /** Answers it even where nothing can be stored, since that is what the answer has to say. */
  async answerAnyway(command: Command, origin: Origin, words: () => Promise<string>): Promise<void> {
    const { notices } = this.#dependencies;
    if (notices.hasAnswered(origin.key)) return;
    try {
      await this.answer(command, origin, await words());
    } catch (error) {
      // Asked for the words again: it is known by now what is wrong.
      if (!(await notices.answer(origin.key, origin.conversation, await words()))) throw error;
    }
  }

  async obey(
    command: Command,
    origin: Origin,
    { effect, words }: { readonly effect: CommandEffect; readonly words: (result: EffectResult) => string },
  ): Promise<Obeyed> {
    const obeyed = await this.#dependencies.inbox.obey(this.#stored(command, origin, effect, words));
    if (obeyed.status === 'done') this.#deliver(origin, obeyed);
    return obeyed;
  }

  /**
   * Obeys a command that ends something, and answers it, before it is on disk: a slow disk must not hold up the end. Should a
   * power failure take the command, the platform still has it, since it hears of it when this resolves.
   */
  async end(
    command: Command,
    origin: Origin,
    { effect, words }: { readonly effect: CommandEffect; readonly words: (result: EffectResult) => string },
    ended: (result: EffectResult) => void,
  ): Promise<void> {
    await this.#dependencies.inbox.obey(this.#stored(command, origin, effect, words), (obeyed) => {
      ended(obeyed);
      this.#deliver(origin, obeyed);
    });
  }

  #stored(
    command: Command,
    origin: Origin,
    effect: CommandEffect,
    words: (result: EffectResult) => string,
  ): StoredCommand {
    const at = this.#dependencies.clock.now();
    return { origin, name: command.name, effect, answer: (result) => noticeTo(origin, words(result)), at };
  }

  #deliver(origin: Origin, { places }: { readonly places: readonly string[] }): void {
    this.#dependencies.deliver([origin.conversationId, ...places]);
  }
}
