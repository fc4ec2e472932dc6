import { partsOf } from '../../contract.ts';
import { firstWord } from '../../engine/message.ts';
import type { Clock } from '../../lib/clock.ts';
import { personWords } from '../../lib/plain-text.ts';
import type { ConfiguredAccess } from '../access/access.ts';
import { createGuesses } from '../access/claim.ts';
import { pairedWords, peopleReport } from '../access/people.ts';
import type { PairedPerson, PeopleStore } from '../people-store.ts';
import { type CommandGroup, type GivenCommand, notInGroups, ownersOnly } from './given-command.ts';

interface PeopleCommandParts {
  readonly store: Pick<PeopleStore, 'paired' | 'codeHolders'>;
  readonly paired: Set<string>;
  readonly rules: Pick<ConfiguredAccess, 'isOwner' | 'isNamed' | 'isLinkedIn'>;
  /** Whether everybody works in one folder. */
  readonly sharesFiles: () => boolean;
  /** Called after a person has lost access. */
  readonly changed: () => void;
  readonly clock: Clock;
}

/** The owners' commands about who may talk. Wrong codes are limited to five an hour per owner. */
export function peopleCommands({
  store,
  paired,
  rules,
  sharesFiles,
  changed,
  clock,
}: PeopleCommandParts): CommandGroup {
  const guesses = createGuesses(clock);
  return {
    help: '`/pair CODE`, `/people`, `/unpair ID`: who may talk to me, for owners',
    takes: ({ name }) => name === 'pair' || name === 'people' || name === 'unpair',
    async obey(given) {
      const { conversation, principal } = given.origin;
      if (!rules.isOwner(principal)) return given.answer(ownersOnly);
      if (given.name === 'unpair') return unpair(given);
      if (conversation.kind === 'group') return given.answer(notInGroups);
      if (given.name === 'pair') return pair(given);
      const now = clock.now();
      await given.answer(peopleReport(await store.paired(), await store.codeHolders(now), now));
    },
  };

  async function pair({ argument, origin: { principal }, answer, obey }: GivenCommand): Promise<void> {
    const code = argument.replaceAll(/[\s`-]/g, '').toLowerCase();
    if (code === '') return answer(whichCode);
    if (guesses.take(principal) !== 'granted') return answer(tooMany);
    const obeyed = await obey({ type: 'pair', code }, ({ person }) =>
      person === undefined ? wrongCode : pairedWords(person, sharesFiles()),
    );
    if (obeyed.status === 'done' && obeyed.person === undefined) return;
    guesses.giveBack(principal);
    if (obeyed.status === 'done' && obeyed.person !== undefined) paired.add(obeyed.person.principal);
  }

  async function unpair({ argument, answer, obey }: GivenCommand): Promise<void> {
    const { word } = firstWord(argument);
    if (word === '') return answer('Say who: `/unpair ID`. `/people` shows the ids.');
    const found = matching(await store.paired(), word);
    const [person] = found;
    if (person === undefined) return answer(rules.isNamed(word) ? inConfig : notPaired);
    if (found.length > 1) return answer(severalWords(found));
    const { principal } = person;
    const obeyed = await obey({ type: 'unpair', principal }, (result) => {
      if (result.person === undefined) return notPaired;
      return `${unpairedWords(person, rules.isNamed(principal))}${rules.isLinkedIn(principal) ? linkedIn : ''}`;
    });
    if (obeyed.status !== 'done') return;
    paired.delete(principal);
    changed();
  }
}

/** The person with this principal, or all with this id on their channels. */
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
const whichCode =
  'Say which: `/pair CODE`. I give the code to a stranger who writes to me; they have to tell it to you. For a device of your own, write `/device`.';
const wrongCode = 'There is no such code, or it is no longer valid. `/people` shows who has one.';
const tooMany = 'Too many wrong codes. Try again in an hour.';
const notPaired = 'Nobody with that id was let in with a code. `/people` shows who was.';
const inConfig = 'The config lets them talk: remove them there.';
