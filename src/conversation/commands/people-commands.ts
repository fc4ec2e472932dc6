import { partsOf } from '../../contract.ts';
import { type Command, firstWord, type Origin } from '../../engine/message.ts';
import type { Clock } from '../../lib/clock.ts';
import { personWords } from '../../lib/plain-text.ts';
import { Guesses } from '../access/claim.ts';
import { type People, pairedWords, peopleReport } from '../access/people.ts';
import type { PairedPerson, PeopleStore } from '../people-store.ts';
import type { CommandBook } from './command-book.ts';
import type { CommandGroup } from './commands.ts';

export interface PeopleCommandDependencies {
  readonly store: Pick<PeopleStore, 'paired' | 'codeHolders'>;
  readonly people: People;
  readonly book: CommandBook;
  /** Whether somebody may talk whether they are let in with a code or not: as an owner, or since the config lists them. */
  readonly isNamed: (principal: string) => boolean;
  /** Whether they may talk because of another account that is linked with theirs. */
  readonly isLinkedIn: (principal: string) => boolean;
  /** Everybody works in one folder. */
  readonly sharesFiles: boolean;
  /** Told after somebody may not talk any more. */
  readonly changed: () => void;
  readonly clock: Clock;
}

/** The owners' commands about who may talk. Wrong codes are counted: five an hour are looked at. */
export class PeopleCommands implements CommandGroup {
  readonly help = '`/pair CODE`, `/people`, `/unpair ID`: who may talk with me, for owners';
  readonly takes = ({ name }: Command): boolean => name === 'pair' || name === 'people' || name === 'unpair';
  readonly #dependencies: PeopleCommandDependencies;
  readonly #guesses: Guesses;

  constructor(dependencies: PeopleCommandDependencies) {
    this.#dependencies = dependencies;
    this.#guesses = new Guesses(dependencies.clock);
  }

  async obey(command: Command, origin: Origin): Promise<void> {
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
      words: ({ person }) => (person === undefined ? wrongCode : pairedWords(person, this.#dependencies.sharesFiles)),
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

/** Those whom the words mean: one by the principal, or all that have the id on their channels. */
function matching(paired: readonly PairedPerson[], word: string): readonly PairedPerson[] {
  const exact = paired.filter(({ principal }) => principal === word);
  return exact.length > 0 ? exact : paired.filter(({ principal }) => partsOf(principal).senderId === word);
}

function unpairedWords(person: PairedPerson, isNamed: boolean): string {
  const still = isNamed ? ' They may still talk, since the config lets them.' : '';
  return `No longer let in: ${personWords(person)}.${still}`;
}

function severalWords(found: readonly PairedPerson[]): string {
  return `That could be ${found.map(personWords).join(' or ')}. Say it with the channel.`;
}

const linkedIn =
  ' They may still talk, since a linked account of theirs may: `/links` shows it, `/unlink ID` ends that.';
const notHere = 'Write that to me in a chat of our own: it is not for a group to read.';
const whichCode =
  'Say which: `/pair CODE`. I give the code to a stranger who writes to me; they have to tell it to you. For a device of your own, write `/device`.';
const wrongCode = 'There is no such code, or it is good no more. `/people` shows who has one.';
const tooMany = 'Too many wrong codes. Try again in an hour.';
const notPaired = 'Nobody with that id was let in with a code. `/people` shows who was.';
const inConfig = 'They may talk since the config says so: take them out of it there.';
