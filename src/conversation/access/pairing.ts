/** How people are let in: strangers ask with a code, owners decide, and the first owner claims this Keyturn. */
import { isSharedFolder } from '../../config/workspace.ts';
import { type OutboundMessage, partsOf } from '../../contract.ts';
import { laneOf } from '../../delivery/outbox.ts';
import { firstWord, noticeTo, type Origin, type Strangers } from '../../engine/message.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { inlineCode, personWords } from '../../lib/plain-text.ts';
import { Perishable, Remembered } from '../../lib/remembered.ts';
import { dayWords, durationWords, type Reader } from '../../lib/time-words.ts';
import { type CommandGroup, type GivenCommand, notInGroups, ownersOnly } from '../commands/given-command.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { CommandEffects } from '../effects.ts';
import { type Acquaintance, groupNames } from './access.ts';

interface PairingParts extends ConversationCore {
  readonly store: Pick<PeopleStore, 'knock' | 'hint'>;
}

/** How often each of these messages is repeated. In ms. */
const again = 3_600_000;

const rememberedStrangers = 1000;

/** Of 30 letters and digits that nobody mixes up: 39 bits. */
const codeLength = 8;

/** Tells people why they are ignored. What they wrote is not kept. */
export function strangers({ store, config, owners, clock, log, deliver }: PairingParts): Strangers {
  /** Conversations in which programs are ignored. */
  const unheard = new Set<string>();
  /** The strangers who were told lately that they may not talk in a group. */
  const turnedAway = new Perishable<string, true>({ clock, most: rememberedStrangers });

  async function hint(subject: string, origin: Origin, words: string): Promise<void> {
    const message = noticeTo(origin, words);
    if (await store.hint({ subject, origin, message, at: clock.now(), again })) deliver([origin.conversationId]);
  }

  return {
    /** Offers a code if there are any to give. */
    async refuse(origin) {
      const now = clock.now();
      const { enabled, code_secs, max_codes: most } = config.pairing;
      // Without an owner, nobody could let a stranger in.
      const isOffered = enabled && !owners.isUnclaimed();
      const offer = isOffered ? { code: newId(codeLength), expiresAt: now + code_secs * 1000, most } : undefined;
      const words = (given: GivenCode | undefined) => noticeTo(origin, strangerWords(origin.principal, given, now));
      const knocked = await store.knock({ origin, offer, words, at: now, again });
      if (knocked === 'silent') return;
      log.info({ principal: origin.principal, hasCode: knocked === 'given-code' }, 'a stranger was refused');
      deliver([origin.conversationId]);
    },

    refuseCommand(origin) {
      const words = 'You may talk to me here, but `/help` and `/status` are the only commands for you.';
      return hint(`command ${origin.principal}`, origin, words);
    },

    explainGroup(origin) {
      const [name] = groupNames(origin.conversation);
      const place = inlineCode(`channels.${origin.conversation.channel}.groups`);
      const entry = inlineCode(`${JSON.stringify(name)}: { "require_mention": true }`);
      const words = `This group is not in my config, so I say nothing here. To let me in, add ${entry} to ${place}.`;
      return hint(`group ${laneOf(origin.conversationId)}`, origin, words);
    },

    turnAway({ principal }) {
      if (turnedAway.get(principal)) return undefined;
      turnedAway.set(principal, true, again);
      return `You may not talk to me here. An owner can let you in: your id is ${inlineCode(principal)}.`;
    },

    /** Tells the chat once that programs are ignored, until one is accepted again; over restarts, once an hour. */
    async noteProgram(origin, isHeard) {
      const { conversationId } = origin;
      if (isHeard) unheard.delete(conversationId);
      if (isHeard || unheard.has(conversationId)) return;
      unheard.add(conversationId);
      const message = 'programs are not heard here until a person speaks: they have talked with nobody else';
      log.info({ conversation: conversationId }, message);
      await hint(`programs ${conversationId}`, { ...origin, privateTo: undefined }, unheardWords);
    },
  };
}

const unheardWords =
  '🔇 I do not read what bots write here any more: they have written several messages in a row, and no person did. As soon as a person writes to me here, I read them again.';

function strangerWords(principal: string, given: GivenCode | undefined, now: number): string {
  const start = 'I am a private assistant and only talk to people my owner has let in.';
  if (given === undefined) return `${start} If that should be you: your id here is ${inlineCode(principal)}.`;
  return [
    `${start} If you know my owner, ask them: they let you in by writing ${inlineCode(`/pair ${given.code}`)} to me.`,
    `That code is good for ${durationWords(given.expiresAt - now)}. Tell nobody else.`,
    `I have not kept what you wrote: write it again once you are let in. Your id here is ${inlineCode(principal)}.`,
  ].join('\n\n');
}

interface PeopleCommandParts extends ConversationCore {
  readonly effects: Pick<CommandEffects, 'pair' | 'unpair'>;
  readonly store: Pick<PeopleStore, 'paired' | 'codeHolders'>;
  readonly paired: Set<string>;
}

/** The owners' commands about who may talk. Wrong codes are limited to five an hour per owner. */
export function peopleCommands({
  effects,
  store,
  paired,
  rules,
  config,
  rightsChanged,
  readers,
  clock,
}: PeopleCommandParts): CommandGroup {
  const guesses = createGuesses(clock);
  return {
    help: { section: 'owners', text: '`/pair CODE`, `/people`, `/unpair ID`: who may talk to me' },
    takes: ({ name }) => name === 'pair' || name === 'people' || name === 'unpair',
    async obey(given) {
      const { conversation, principal } = given.origin;
      if (!rules.isOwner(principal)) return given.answer(ownersOnly);
      if (given.name === 'unpair') return unpair(given);
      if (conversation.kind === 'group') return given.answer(notInGroups);
      if (given.name === 'pair') return pair(given);
      const now = clock.now();
      const moment = { now, reader: readers.forAnswer(given.origin) };
      await given.answer(peopleReport(await store.paired(), await store.codeHolders(now), moment));
    },
  };

  async function pair({ argument, origin: { principal }, answer, obey }: GivenCommand): Promise<void> {
    const code = argument.replaceAll(/[\s`-]/g, '').toLowerCase();
    if (code === '') return answer(whichCode);
    if (guesses.take(principal) !== 'granted') return answer(tooManyGuesses);
    const obeyed = await obey(effects.pair(code), (person) =>
      person === undefined ? wrongCode : pairedWords(person, isSharedFolder(config.workspace)),
    );
    if (obeyed.status === 'done') {
      if (obeyed.result === undefined) return;
      paired.add(obeyed.result.principal);
    }
    guesses.giveBack(principal);
  }

  async function unpair({ argument, answer, end }: GivenCommand): Promise<void> {
    const { word } = firstWord(argument);
    if (word === '') return answer('Say who: `/unpair ID`. `/people` shows the ids.');
    const found = matching(await store.paired(), word);
    const [person] = found;
    if (person === undefined) return answer(rules.isNamed(word) ? inConfig : notPaired);
    if (found.length > 1) return answer(severalWords(found));
    const { principal } = person;
    const words = `${unpairedWords(person, rules.isNamed(principal))}${rules.isLinkedIn(principal) ? linkedIn : ''}`;
    await end(effects.unpair(principal), () => words, {
      held: words,
      now() {
        paired.delete(principal);
        rightsChanged.tell();
      },
      over: (isStored) => void (isStored || paired.add(principal)),
    });
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
export const tooManyGuesses = 'Too many wrong codes. Try again in an hour.';
const notPaired = 'Nobody with that id was let in with a code. `/people` shows who was.';
const inConfig = 'The config lets them talk: remove them there.';

export const welcomeWords = '🔑 You are let in. Write to me whenever you like; `/help` shows what I know.';

function pairedWords(person: Acquaintance, sharesFiles: boolean): string {
  const files = sharesFiles
    ? ' They work in the same folder as you, and can read what is in it. To give people separate folders, put `{sender}` into `workspace` in my config.'
    : '';
  return `🔑 Let in: ${personWords(person)}. ${inlineCode(`/unpair ${person.principal}`)} undoes it.${files}`;
}

function peopleReport(
  paired: readonly PairedPerson[],
  holders: readonly CodeHolder[],
  { now, reader }: { readonly now: number; readonly reader: Reader },
): string {
  const people = paired.map(
    (person) =>
      `- ${personWords(person)}, by ${inlineCode(person.pairedBy)} since ${dayWords(person.pairedAt, reader)}`,
  );
  const asking = holders.map(
    (holder) => `- ${personWords(holder)}, for another ${durationWords(holder.expiresAt - now)}`,
  );
  return [
    people.length === 0
      ? 'Nobody was let in with a code. Owners and people named in the config may talk anyway.'
      : ['Let in with a code:', ...people, '', 'End it with `/unpair ID`.'].join('\n'),
    asking.length === 0
      ? 'Nobody has a code.'
      : ['Have a code, and ask to be let in:', ...asking, '', 'Let one in with `/pair CODE`: they have it.'].join('\n'),
  ].join('\n\n');
}

export interface PairedPerson extends Acquaintance {
  readonly pairedBy: string;
  readonly pairedAt: number;
}

/** A stranger with a valid code. */
export interface CodeHolder extends Acquaintance {
  readonly expiresAt: number;
}

export interface GivenCode {
  readonly code: string;
  readonly expiresAt: number;
}

/** A stranger has written: what to offer and tell them. */
export interface Knock {
  readonly origin: Origin;
  /** Missing if strangers get no codes. */
  readonly offer?: {
    /** Given unless they have a valid one. */
    readonly code: string;
    readonly expiresAt: number;
    /** How many codes may be valid at a time. */
    readonly most: number;
  };
  /** The answer, without a code if they get none. Called inside the transaction. */
  readonly words: (given: GivenCode | undefined) => OutboundMessage;
  readonly at: number;
  /** They are answered at most once in this time, unless their code has expired. In ms. */
  readonly again: number;
}

/** A message that is sent at most once per subject in `again` ms. */
export interface Hint {
  readonly subject: string;
  readonly origin: Origin;
  readonly message: OutboundMessage;
  readonly at: number;
  readonly again: number;
}

/** Stores who was let in, and who asks to be. Each method is one transaction. */
export interface PeopleStore {
  paired(): Promise<readonly PairedPerson[]>;
  /** The strangers with valid codes, oldest first. */
  codeHolders(now: number): Promise<readonly CodeHolder[]>;
  /** Invalidates the codes of these people. */
  dropCodes(principals: readonly string[]): Promise<void>;
  /** Answers a stranger. `silent`: they were answered recently. */
  knock(knock: Knock): Promise<'silent' | 'refused' | 'given-code'>;
  /** Resolves with true if the message was stored. */
  hint(hint: Hint): Promise<boolean>;
}

const guessesPerHour = 5;
const hour = 3_600_000;
const rememberedGuessers = 1000;

/** `too-many`: the first guess beyond the limit · `ignored`: all after it, so that a person is told once. */
type Guess = 'granted' | 'too-many' | 'ignored';

/** Limits guesses at a secret: five an hour per person. */
export function createGuesses(clock: Pick<Clock, 'now'>) {
  /** The times of each person's guesses. Bounded: a crowd of strangers must not fill the memory. */
  const guesses = new Remembered<string, number[]>(rememberedGuessers);
  return {
    /** Counts a guess before it is checked, so that concurrent guesses count too. */
    take(principal: string): Guess {
      const now = clock.now();
      const recent = (guesses.get(principal) ?? []).filter((at) => now - at < hour);
      if (recent.length > guessesPerHour) return 'ignored';
      guesses.set(principal, [...recent, now]);
      return recent.length === guessesPerHour ? 'too-many' : 'granted';
    },

    /** Uncounts the newest guess: it was right, or a redelivery. */
    giveBack: (principal: string): void => void guesses.get(principal)?.pop(),
  };
}
