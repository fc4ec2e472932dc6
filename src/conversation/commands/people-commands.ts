import type { Origin } from '../../approval/approval.ts';
import { partsOf } from '../../contract.ts';
import type { Clock } from '../../lib/clock.ts';
import { Guesses } from '../access/guesses.ts';
import type { People } from '../access/people.ts';
import { pairedWords, peopleReport, personWords } from '../access/people-words.ts';
import { type Command, firstWord } from '../command.ts';
import type { PairedPerson, PeopleStore } from '../people-store.ts';
import type { CommandBook } from './command-book.ts';

export interface PeopleCommandDependencies {
  readonly store: Pick<PeopleStore, 'paired' | 'codeHolders'>;
  readonly people: People;
  readonly book: CommandBook;
  /** Whether somebody may talk whether he is let in with a code or not: as an owner, or since the config lists him. */
  readonly isNamed: (principal: string) => boolean;
  /** Whether he may talk because of another account that is linked with his. */
  readonly isLinkedIn: (principal: string) => boolean;
  /** Told after somebody may not talk any more. */
  readonly changed: () => void;
  readonly clock: Clock;
}

/** The owners' commands about who may talk. Wrong codes are counted: five an hour are looked at. */
export class PeopleCommands {
  readonly #dependencies: PeopleCommandDependencies;
  readonly #guesses: Guesses;

  constructor(dependencies: PeopleCommandDependencies) {
    this.#dependencies = dependencies;
    this.#guesses = new Guesses(dependencies.clock);
  }

  async obey(command: Command & { readonly name: PeopleCommandName }, origin: Origin): Promise<void> {
    const { people, book } = this.#dependencies;
    if (!people.isOwner(origin.principal))
      return book.answer(command, origin, 'Only an owner of this Keyturn can do that.');
    switch (command.name) {
      case 'pair':
        return this.#pair(command, origin);
      case 'people':
        return this.#list(command, origin);
      case 'unpair':
        return this.#unpair(command, origin);
    }
  }

  async #pair(command: Command, origin: Origin): Promise<void> {
    const { people, book } = this.#dependencies;
    if (origin.conversation.kind === 'group') return book.answer(command, origin, notHere);
    const code = command.argument.replaceAll(/[\s`-]/g, '').toLowerCase();
    if (code === '') return book.answer(command, origin, whichCode);
    if (this.#guesses.take(origin.principal) !== 'granted') return book.answer(command, origin, tooMany);
    const obeyed = await book.obey(command, origin, {
      effect: { type: 'pair', code },
      words: ({ person }) => (person === undefined ? wrongCode : pairedWords(person)),
    });
    if (obeyed.status === 'done' && obeyed.person === undefined) return;
    this.#guesses.giveBack(origin.principal);
    if (obeyed.status === 'done' && obeyed.person !== undefined) people.add(obeyed.person.principal);
  }

  async #list(command: Command, origin: Origin): Promise<void> {
    const { store, book, clock } = this.#dependencies;
    if (origin.conversation.kind === 'group') return book.answer(command, origin, notHere);
    const now = clock.now();
    const [paired, holders] = [await store.paired(), await store.codeHolders(now)];
    await book.answer(command, origin, peopleReport(paired, holders, now));
  }

  async #unpair(command: Command, origin: Origin): Promise<void> {
    const { store, people, book, isNamed, isLinkedIn, changed } = this.#dependencies;
    const { word } = firstWord(command.argument);
    if (word === '') return book.answer(command, origin, 'Say whom: `/unpair ID`. `/people` shows the ids.');
    const found = matching(await store.paired(), word);
    const [person] = found;
    if (person === undefined) return book.answer(command, origin, isNamed(word) ? inConfig : notPaired);
    if (found.length > 1) return book.answer(command, origin, severalWords(found));
    const { principal } = person;
    const obeyed = await book.obey(command, origin, {
      effect: { type: 'unpair', principal },
      words: (result) =>
        result.person === undefined
          ? notPaired
          : `${unpairedWords(person, isNamed(principal))}${isLinkedIn(principal) ? linkedIn : ''}`,
    });
    if (obeyed.status !== 'done') return;
    people.remove(principal);
    changed();
  }
}

export type PeopleCommandName = 'pair' | 'people' | 'unpair';

/** Those whom the words mean: one by his principal, or all that have the id on their channels. */
function matching(paired: readonly PairedPerson[], word: string): readonly PairedPerson[] {
  const exact = paired.filter(({ principal }) => principal === word);
  return exact.length > 0 ? exact : paired.filter(({ principal }) => partsOf(principal).senderId === word);
}

function unpairedWords(person: PairedPerson, isNamed: boolean): string {
  const still = isNamed ? ' He may still talk, since the config lets him.' : '';
  return `No longer let in: ${personWords(person)}.${still}`;
}

function severalWords(found: readonly PairedPerson[]): string {
  return `That could be ${found.map(personWords).join(' or ')}. Say it with the channel.`;
}

const linkedIn = ' He may still talk, since a linked account of his may: `/links` shows it, `/unlink ID` ends that.';
const notHere = 'Write that to me in a chat of our own: it is not for a group to read.';
const whichCode = 'Say which: `/pair CODE`. I give the code to a stranger who writes to me; he has to tell it to you.';
const wrongCode = 'There is no such code, or it is good no more. `/people` shows who has one.';
const tooMany = 'Too many wrong codes. Try again in an hour.';
const notPaired = 'Nobody with that id was let in with a code. `/people` shows who was.';
const inConfig = 'He may talk since the config says so: take him out of it there.';
