/* How owners let people in: a stranger is given a code and tells it to an owner, who types it. */

import { isSharedFolder } from '../../../config/workspace.ts';
import { partsOf } from '../../../contract.ts';
import { firstWord } from '../../../engine/message.ts';
import { inlineCode, personWords } from '../../../lib/plain-text.ts';
import { dayWords, durationWords, type Reader } from '../../../lib/time-words.ts';
import { actingButton, inRows, type ListAnswer, leadingButton } from '../../../words/command-buttons.ts';
import type { GroupChoices } from '../../access/group-choices.ts';
import type { CodeHolder, PairedPerson, PeopleStore } from '../../access/pairing.ts';
import { chosen, refusalLasts } from '../../access/request-desk.ts';
import { strangerWords } from '../../access/words.ts';
import type { ConversationCore } from '../../conversation-core.ts';
import type { CommandEffects } from '../../effects.ts';
import type { GivenCommand } from '../given-command.ts';
import { createGuesses, type Guesses } from '../guesses.ts';
import { commandWords } from '../words.ts';
import { groupList, groupRows, wishFor } from './groups.ts';
import { peopleWords } from './words.ts';

interface PeopleParts
  extends Pick<ConversationCore, 'rules' | 'config' | 'languages' | 'rightsChanged' | 'clock' | 'adapters' | 'log'> {
  readonly effects: Pick<CommandEffects, 'pair' | 'refuse' | 'unpair' | 'chooseGroup'>;
  readonly store: Pick<PeopleStore, 'paired' | 'codeHolders' | 'refused'>;
  readonly paired: Set<string>;
  readonly groupChoices: GroupChoices;
}

/** The owners' commands about who may talk. Wrong codes are limited to five an hour per owner. */
export function peopleCommands(parts: PeopleParts) {
  const guesses = createGuesses(parts.clock);
  return {
    pair: (given: GivenCommand) => asOwner(given, parts, 'unheard', () => pair(given, guesses, parts)),
    people: (given: GivenCommand) => asOwner(given, parts, 'unheard', () => showPeople(given, parts)),
    unpair: (given: GivenCommand) => asOwner(given, parts, 'anywhere', () => unpair(given, parts)),
  };
}

/** `unheard`: only where no group reads along. */
async function asOwner(
  { origin, answer, reader }: GivenCommand,
  { rules }: PeopleParts,
  where: 'unheard' | 'anywhere',
  obey: () => Promise<void>,
): Promise<void> {
  const words = commandWords[reader.language];
  if (!rules.isOwner(origin.principal)) return answer(words.ownersOnly);
  if (where === 'unheard' && origin.conversation.kind === 'group') return answer(words.notInGroups);
  await obey();
}

async function pair(
  { argument, origin: { principal }, answer, obey, reader }: GivenCommand,
  guesses: Guesses,
  { effects, config, languages, paired }: PeopleParts,
): Promise<void> {
  const words = peopleWords[reader.language];
  const named = firstWord(argument.replaceAll('`', '')).word;
  const code = argument.replaceAll(/[\s`-]/g, '').toLowerCase();
  const whom = named.includes(':') ? { principal: named } : { code };
  if (code === '') return answer(words.whichCode);
  if (guesses.take(principal) !== 'granted') return answer(commandWords[reader.language].tooManyGuesses);
  const welcome = (stranger: string): string => strangerWords[languages.of({ principal: stranger }).language].welcome;
  const obeyed = await obey(effects.pair(whom, welcome), (person) => {
    if (person === undefined) return words.wrongCode;
    const undo = inlineCode(`/unpair ${person.principal}`);
    return words.letIn({ person: personWords(person), undo, sharesFiles: isSharedFolder(config.workspace) });
  });
  if (obeyed.status === 'done') {
    if (obeyed.result === undefined) return;
    paired.add(obeyed.result.principal);
  }
  guesses.giveBack(principal);
}

async function unpair({ argument, answer, end, reader }: GivenCommand, parts: PeopleParts): Promise<void> {
  const { effects, store, paired, rules, rightsChanged } = parts;
  const words = peopleWords[reader.language];
  const { word } = firstWord(argument);
  if (word === '') return answer(words.whoToUnpair);
  const found = matching(await store.paired(), word);
  const [person] = found;
  if (person === undefined) return answer(rules.isNamed(word) ? words.inConfig : words.notPaired);
  if (found.length > 1) return answer(words.several({ people: found.map(personWords) }));
  const { principal } = person;
  const answered = words.unpaired({
    person: personWords(person),
    isNamed: rules.isNamed(principal),
    isLinkedIn: rules.isLinkedIn(principal),
  });
  await end(effects.unpair(principal), () => answered, {
    held: answered,
    now() {
      paired.delete(principal);
      rightsChanged.tell();
    },
    over: (isStored) => void (isStored || paired.add(principal)),
  });
}

/** The person with this principal, or all with this id on their channels. */
function matching(paired: readonly PairedPerson[], word: string): readonly PairedPerson[] {
  const exact = paired.filter(({ principal }) => principal === word);
  return exact.length > 0 ? exact : paired.filter(({ principal }) => partsOf(principal).senderId === word);
}

/** `/people`: who was let in, who waits, and who was refused; with buttons for the first ones of each. */
async function showPeople(given: GivenCommand, parts: PeopleParts): Promise<void> {
  const { store, clock, groupChoices } = parts;
  const { reader, list, argument } = given;
  const now = clock.now();
  const words = peopleWords[reader.language];
  const paired = await store.paired();
  const { word, rest } = firstWord(argument);
  if (word === 'group') return chooseGroup(given, rest, parts);
  if (word === 'refuse') return refuse(given, rest, parts);
  const leaving = word === 'remove' ? paired.find(({ principal }) => principal === rest) : undefined;
  if (leaving !== undefined) return list(removal(leaving, reader));
  const groups = groupChoices.all();
  const [asking, refused] = [await store.codeHolders(now), await store.refused(now)];
  const lines = {
    people: paired.map((person) => personLine(person, reader)),
    holders: asking.map((holder) => holderLine(holder, now, reader)),
    refused: refused.map((person) =>
      words.refusedLine({ person: personWords(person), until: dayWords(person.until, reader) }),
    ),
  };
  const paragraphs = [
    words.letInList(lines),
    words.holderList(lines),
    ...(refused.length === 0 ? [] : [words.refusedList(lines)]),
    ...(groups.length === 0 ? [] : [groupList(groups, reader)]),
  ];
  const buttons = [
    ...[...asking, ...refused]
      .slice(0, mostButtons)
      .map(({ name, principal }) => actingButton(words.buttonLetIn({ name }), `pair ${principal}`)),
    ...paired
      .slice(-mostButtons)
      .map(({ name, principal }) => leadingButton(words.buttonRemove({ name }), `people remove ${principal}`)),
  ];
  await list({
    markdown: paragraphs.join('\n\n'),
    again: 'people',
    rows: [...groupRows(groups, reader), ...inRows(buttons)],
  });
}

const mostButtons = 3;

/** `/people refuse telegram:7`: owners are not asked about them again for a while. */
async function refuse(given: GivenCommand, written: string, parts: PeopleParts): Promise<void> {
  const { answer, obey, reader } = given;
  const words = peopleWords[reader.language];
  const principal = firstWord(written.replaceAll('`', '')).word;
  if (principal === '') return answer(words.whoToRefuse);
  const until = parts.clock.now() + refusalLasts;
  await obey(parts.effects.refuse({ principal }, until), (person) =>
    person === undefined
      ? words.nobodyAsks
      : words.refusedNow({ person: personWords(person), until: dayWords(until, reader) }),
  );
}

/** Asks before somebody is let in no longer. */
function removal(person: PairedPerson, { language }: Reader): ListAnswer {
  const words = peopleWords[language];
  return {
    markdown: words.removeThem({ person: personWords(person) }),
    again: 'people',
    rows: [
      [
        actingButton(words.buttonRemove({ name: person.name }), `unpair ${person.principal}`, 'danger'),
        leadingButton(words.buttonKeep, 'people'),
      ],
    ],
  };
}

function personLine(person: PairedPerson, reader: Reader): string {
  const by = inlineCode(person.pairedBy);
  const line = { person: personWords(person), by, since: dayWords(person.pairedAt, reader) };
  return peopleWords[reader.language].personLine(line);
}

function holderLine(holder: CodeHolder, now: number, { language }: Reader): string {
  return peopleWords[language].holderLine({
    person: personWords(holder),
    rest: durationWords(holder.expiresAt - now, language),
  });
}

/** `/people group ID everything`: an owner chooses again what holds in a group. */
async function chooseGroup(given: GivenCommand, written: string, parts: PeopleParts): Promise<void> {
  const { answer, obey, reader } = given;
  const words = peopleWords[reader.language];
  const choosing = wishFor(written, parts.groupChoices.all());
  if (choosing === undefined) return answer(words.whichGroup);
  const obeyed = await obey(parts.effects.chooseGroup(choosing), () => words.groupChosen);
  if (obeyed.status === 'done' && obeyed.result !== undefined) chosen(obeyed.result, parts);
}
