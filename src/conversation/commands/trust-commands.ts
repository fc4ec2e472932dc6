import type { Origin } from '../../approval/approval.ts';
import type { TrustBook } from '../access/trust-book.ts';
import { changedWords, trustReport } from '../access/trust-words.ts';
import type { Command } from '../command.ts';
import type { TrustStore } from '../trust-store.ts';
import type { CommandBook } from './command-book.ts';

export interface TrustCommandDependencies {
  readonly store: Pick<TrustStore, 'all'>;
  readonly trust: Pick<TrustBook, 'decided'>;
  readonly isOwner: (principal: string) => boolean;
  readonly book: CommandBook;
}

export type TrustCommandName = 'trust' | 'distrust';

/** The owners' commands about what others have written. An id stands for a thing exactly as it was shown. */
export class TrustCommands {
  readonly #dependencies: TrustCommandDependencies;

  constructor(dependencies: TrustCommandDependencies) {
    this.#dependencies = dependencies;
  }

  async obey(command: Command & { readonly name: TrustCommandName }, origin: Origin): Promise<void> {
    const { isOwner, book, store } = this.#dependencies;
    if (!isOwner(origin.principal)) return book.answer(command, origin, 'Only an owner of this Keyturn can do that.');
    if (origin.conversation.kind === 'group') return book.answer(command, origin, notHere);
    const ids = [...new Set(command.argument.toLowerCase().match(/[a-z0-9]+/g))];
    if (ids.length > 0) return this.#decide(command, origin, ids);
    const words = command.name === 'trust' ? trustReport(await store.all()) : which;
    await book.answer(command, origin, words);
  }

  async #decide(
    command: Command & { readonly name: TrustCommandName },
    origin: Origin,
    ids: readonly string[],
  ): Promise<void> {
    const { book, trust } = this.#dependencies;
    const obeyed = await book.obey(command, origin, {
      effect: { type: command.name, ids },
      words: ({ trust: changes = [] }) => changedWords(changes, ids.length - changes.length),
    });
    if (obeyed.status === 'done') trust.decided(obeyed.trust ?? []);
  }
}

const notHere = 'Write that to me in a chat of our own: it is not for a group to read.';
const which = 'Say which: `/distrust ID`. `/trust` shows the ids.';
