import type { Origin } from '../../approval/approval.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Command } from '../command.ts';
import type { CommandEffect, EffectResult, InboxStore, Obeyed } from '../inbox.ts';
import { noticeTo } from '../notice.ts';

export interface CommandBookDependencies {
  readonly inbox: Pick<InboxStore, 'obey'>;
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

  async obey(
    command: Command,
    origin: Origin,
    { effect, words }: { readonly effect: CommandEffect; readonly words: (result: EffectResult) => string },
  ): Promise<Obeyed> {
    const { inbox, clock, deliver } = this.#dependencies;
    const obeyed = await inbox.obey({
      origin,
      name: command.name,
      effect,
      answer: (result) => noticeTo(origin, words(result)),
      at: clock.now(),
    });
    if (obeyed.status === 'done') deliver([origin.conversationId, ...obeyed.places]);
    return obeyed;
  }
}
