import type { Origin } from '../../approval/approval.ts';
import { partsOf } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { Accounts } from '../access/accounts.ts';
import { Guesses } from '../access/guesses.ts';
import type { LinkRules } from '../access/link-rules.ts';
import {
  inConfig,
  joinedWords,
  notFound,
  notFromDevice,
  notHere,
  notLinked,
  offerWords,
  personsReport,
  severalWords,
  takenOutWords,
  tooMany,
  wrongCode,
} from '../access/link-words.ts';
import { type Command, firstWord } from '../command.ts';
import { deviceChannel, withoutDevices } from '../devices/device-accounts.ts';
import type { LinkEffect, LinkResult, LinksStore } from '../links-store.ts';
import { noticeTo } from '../notice.ts';
import type { PeopleStore } from '../people-store.ts';
import type { CommandBook } from './command-book.ts';

export interface LinkCommandDependencies {
  readonly links: LinksStore;
  readonly people: Pick<PeopleStore, 'hint'>;
  readonly accounts: Accounts;
  readonly rules: LinkRules;
  readonly book: CommandBook;
  readonly clock: Clock;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** Told after other accounts than before belong together. */
  readonly changed: () => void;
}

export type LinkCommandName = 'link' | 'links' | 'unlink';

/** How long a code is good, in milliseconds. */
const lifetime = 600_000;

/** 49 bits. */
const codeLength = 10;

/**
 * The commands by which people say which accounts are theirs. A code is shown to one account, and used once, by another
 * one, in chats where nobody else reads. Wrong codes are counted: five an hour are looked at.
 */
export class LinkCommands {
  readonly #dependencies: LinkCommandDependencies;
  readonly #guesses: Guesses;

  constructor(dependencies: LinkCommandDependencies) {
    this.#dependencies = dependencies;
    this.#guesses = new Guesses(dependencies.clock);
  }

  async obey(command: Command & { readonly name: LinkCommandName }, origin: Origin): Promise<void> {
    if (origin.conversation.kind === 'group') return this.#refuseHere(command, origin);
    switch (command.name) {
      case 'link':
        // Whoever has stolen a device should not be able to make himself somebody of it who stays when that is revoked.
        if (origin.conversation.channel === deviceChannel)
          return this.#dependencies.book.answer(command, origin, notFromDevice);
        return this.isJoining(command)
          ? this.#join(command, origin, (words) => this.#dependencies.book.answer(command, origin, words))
          : this.#offer(command, origin);
      case 'links':
        return this.#list(command, origin);
      case 'unlink':
        return this.#unlink(command, origin);
    }
  }

  /** Whether it is `/link CODE`. */
  isJoining(command: Command): boolean {
    return command.name === 'link' && codeOf(command) !== '';
  }

  /** Takes `/link CODE` from somebody who may not talk yet. Of what is wrong, nothing is kept. */
  async admit(command: Command, origin: Origin): Promise<void> {
    const { people, clock, deliver } = this.#dependencies;
    await this.#join(command, origin, async (words) => {
      const subject = `link ${origin.principal}`;
      await people.hint({ subject, origin, message: noticeTo(origin, words), at: clock.now(), again: 0 });
      deliver([origin.conversationId]);
    });
  }

  /** Others have read the code by now. */
  #refuseHere(command: Command, origin: Origin): Promise<void> {
    if (!this.isJoining(command)) return this.#dependencies.book.answer(command, origin, notHere);
    return this.#change(command, origin, { type: 'burn-link-code', code: codeOf(command) }, () => notHere);
  }

  async #offer(command: Command, origin: Origin): Promise<void> {
    const { rules, clock } = this.#dependencies;
    const code = newId(codeLength);
    const words = offerWords(code, lifetime, rules.letsIn(origin.principal));
    await this.#change(command, origin, { type: 'offer-link', code, expiresAt: clock.now() + lifetime }, () => words);
  }

  async #join(command: Command, origin: Origin, answer: (words: string) => Promise<void>): Promise<void> {
    const { links, rules, clock } = this.#dependencies;
    const { principal } = origin;
    const guess = this.#guesses.take(principal);
    if (guess === 'ignored') return;
    if (guess === 'too-many') return answer(tooMany);
    const code = codeOf(command);
    const maker = await links.codeOf(code, clock.now());
    if (maker === undefined) return answer(wrongCode);
    this.#guesses.giveBack(principal);
    const objection = rules.objection(maker.principal, principal);
    if (objection !== undefined) return answer(objection);
    const told = rules.toldOf(maker.principal, principal);
    await this.#change(command, origin, { type: 'link', code, told }, ({ linked }) =>
      linked === undefined ? wrongCode : joinedWords(linked),
    );
  }

  async #list(command: Command, origin: Origin): Promise<void> {
    const { links, accounts, rules, book } = this.#dependencies;
    const own = withoutDevices(accounts.accountsOf(origin.principal));
    const others = rules.isOwner(origin.principal)
      ? accounts.persons().filter((person) => !person.includes(origin.principal))
      : [];
    const report = personsReport({ own, others, links: await links.links(), asking: origin.principal });
    await book.answer(command, origin, report);
  }

  async #unlink(command: Command, origin: Origin): Promise<void> {
    const { accounts, book } = this.#dependencies;
    const word = firstWord(command.argument).word.replaceAll('`', '');
    const found = word === '' ? [origin.principal] : matching(this.#within(origin.principal), word);
    const [principal] = found;
    if (principal === undefined) return book.answer(command, origin, notFound);
    if (found.length > 1) return book.answer(command, origin, severalWords(found));
    if (accounts.accountsOf(principal).length === 1) return book.answer(command, origin, notLinked);
    if (accounts.isFixed(principal)) return book.answer(command, origin, inConfig);
    await this.#change(command, origin, { type: 'unlink', principal }, ({ linked }) =>
      linked === undefined ? notLinked : takenOutWords(linked, principal === origin.principal),
    );
  }

  /** The accounts that he may take out: those of his own; all, as an owner. */
  #within(principal: string): readonly string[] {
    const { accounts, rules } = this.#dependencies;
    return rules.isOwner(principal) ? accounts.persons().flat() : accounts.accountsOf(principal);
  }

  async #change(
    command: Command,
    origin: Origin,
    effect: LinkEffect,
    words: (result: LinkResult) => string,
  ): Promise<void> {
    const { accounts, book, changed } = this.#dependencies;
    const obeyed = await book.obey(command, origin, { effect, words });
    if (obeyed.status !== 'done' || obeyed.links === undefined) return;
    accounts.renew(obeyed.links);
    changed();
  }
}

/** The code as it was given, however it was typed. */
function codeOf({ argument }: Command): string {
  return argument.replaceAll(/[\s`-]/g, '').toLowerCase();
}

/** The one with this principal, or all that have the id on their channels. */
function matching(principals: readonly string[], word: string): readonly string[] {
  return principals.includes(word) ? [word] : principals.filter((principal) => partsOf(principal).senderId === word);
}
