/** How strangers are answered: they are told why they are ignored, and may get a code with which an owner lets them in. */
import { isSharedFolder } from '../../config/workspace.ts';
import type { OutboundMessage } from '../../contract.ts';
import { laneOf } from '../../delivery/outbox.ts';
import { noticeTo, type Origin, type OutboxDraft, type Strangers } from '../../engine/message.ts';
import { newId } from '../../lib/ids.ts';
import type { Signal } from '../../lib/live.ts';
import { inlineCode, nameCode, oneLine } from '../../lib/plain-text.ts';
import { Perishable } from '../../lib/remembered.ts';
import type { Reader } from '../../lib/time-words.ts';
import type { Language } from '../../lib/words.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { Acquaintance } from './access.ts';
import { groupNames } from './access-rules.ts';
import type { GroupRequests } from './group-requests.ts';
import { type CardWords, cardsForOwners, newRequestId, requestButton } from './owner-requests.ts';
import { groupWords, requestWords, strangerWords } from './words.ts';

interface PairingParts extends ConversationCore {
  readonly store: Pick<PeopleStore, 'knock' | 'hint'>;
  readonly groups: Pick<GroupRequests, 'called'>;
  /** Told when the owners were asked something that ends by itself. */
  readonly asked: Signal<void>;
}

/** How often each of these messages is repeated. In ms. */
const again = 3_600_000;

const rememberedStrangers = 1000;

/** Of 30 letters and digits that nobody mixes up: 39 bits. */
const codeLength = 8;

/** An owner may sleep. In ms. */
const requestLasts = 24 * 3_600_000;

/** So many cards about strangers are open at a time: others get a code. */
const mostRequests = 3;

interface StrangersContext extends PairingParts {
  /** Conversations in which programs are ignored. */
  readonly unheard: Set<string>;
  /** The strangers who were told lately that they may not talk in a group. */
  readonly turnedAway: Perishable<string, true>;
}

/** Tells people why they are ignored. What they wrote is not kept. */
export function strangers(parts: PairingParts): Strangers {
  const turnedAway = new Perishable<string, true>({ clock: parts.clock, most: rememberedStrangers });
  const context: StrangersContext = { ...parts, unheard: new Set(), turnedAway };
  return {
    refuse: (origin) => refuse(origin, context),
    refuseCommand: (origin) =>
      hint(`command ${origin.principal}`, origin, strangerWords[parts.readerOf(origin).language].noCommand, context),
    explainGroup: (origin) => explainGroup(origin, context),
    turnAway: (origin) => turnAway(origin, context),
    noteProgram: (origin, isHeard) => noteProgram(origin, isHeard, context),
  };
}

/** Offers a code if there are any to give. */
async function refuse(origin: Origin, context: StrangersContext): Promise<void> {
  const { store, config, owners, readerOf, clock, log, deliver } = context;
  const now = clock.now();
  const { enabled, code_secs, max_codes: most } = config.pairing;
  // Without an owner, nobody could let a stranger in.
  const isOffered = enabled && !owners.isUnclaimed();
  const offer = isOffered ? { code: newId(codeLength), expiresAt: now + code_secs * 1000, most } : undefined;
  const { language } = readerOf(origin);
  const words = (given: Given) => noticeTo(origin, refusal(origin, given, context, language));
  const request = isOffered ? await requestFor(origin, now, context) : undefined;
  const { type, conversationIds } = await store.knock({ origin, offer, request, words, at: now, again });
  deliver(conversationIds);
  if (type === 'silent') return;
  log.info({ principal: origin.principal, answer: type }, 'a stranger was refused');
  if (type === 'asked') context.asked.tell();
}

async function hint(
  subject: string,
  origin: Origin,
  words: string,
  { store, clock, deliver }: StrangersContext,
): Promise<void> {
  const message = noticeTo(origin, words);
  if (await store.hint({ subject, origin, message, at: clock.now(), again })) deliver([origin.conversationId]);
}

async function explainGroup(origin: Origin, context: StrangersContext): Promise<void> {
  if (await context.groups.called(origin)) {
    const asked = groupWords[context.readerOf(origin).language].askedYou;
    return hint(`group ${laneOf(origin.conversationId)}`, origin, asked, context);
  }
  const [name] = groupNames(origin.conversation);
  const key = inlineCode(`channels.${origin.conversation.channel}.groups`);
  const entry = inlineCode(`${JSON.stringify(name)}: { "require_mention": true }`);
  const words = strangerWords[context.readerOf(origin).language].unknownGroup({ entry, key });
  return hint(`group ${laneOf(origin.conversationId)}`, origin, words, context);
}

function turnAway(origin: Origin, { turnedAway, readerOf }: StrangersContext): string | undefined {
  const { principal } = origin;
  if (turnedAway.get(principal)) return undefined;
  turnedAway.set(principal, true, again);
  return strangerWords[readerOf(origin).language].turnedAway({ id: inlineCode(principal) });
}

/** Tells the chat once that programs are ignored, until one is accepted again; over restarts, once an hour. */
async function noteProgram(origin: Origin, isHeard: boolean, context: StrangersContext): Promise<void> {
  const { unheard, readerIn, log } = context;
  const { conversationId } = origin;
  if (isHeard) unheard.delete(conversationId);
  if (isHeard || unheard.has(conversationId)) return;
  unheard.add(conversationId);
  log.info(
    { conversation: conversationId },
    'programs are not heard here until a person speaks: they have talked with nobody else',
  );
  const words = strangerWords[readerIn(conversationId).language].programsUnheard;
  await hint(`programs ${conversationId}`, { ...origin, privateTo: undefined }, words, context);
}

/** The cards by which an owner can let them in; undefined if no owner can be asked. */
async function requestFor(origin: Origin, now: number, context: StrangersContext): Promise<Knock['request']> {
  const requestId = newRequestId();
  const expiresAt = now + requestLasts;
  const cards = await cardsForOwners(
    (reader) => personCard(origin, { requestId, expiresAt, reader }, context),
    context,
  );
  return cards.length === 0 ? undefined : { id: requestId, cards, expiresAt, most: mostRequests };
}

interface RequestFacts {
  readonly requestId: string;
  readonly expiresAt: number;
  readonly reader: Reader;
}

function personCard(
  { principal, name }: Origin,
  { requestId, expiresAt: until, reader }: RequestFacts,
  { config }: Pick<StrangersContext, 'config'>,
): CardWords {
  const words = requestWords[reader.language];
  const asking = { name: nameCode(name), id: inlineCode(oneLine(principal, 100)) };
  const { buttonLetIn, buttonNo } = words;
  return {
    markdown: words.wantsToTalk({ ...asking, until, reader, sharesFiles: isSharedFolder(config.workspace) }),
    buttons: [
      [
        requestButton({ requestId, verb: 'let-in' }, { label: buttonLetIn, shortcut: 'y', style: 'primary' }),
        requestButton({ requestId, verb: 'refuse' }, { label: buttonNo, shortcut: 'n', style: 'plain' }),
      ],
    ],
  };
}

function refusal(
  { principal, conversation }: Origin,
  given: Given,
  { owners, adapters, clock }: StrangersContext,
  language: Language,
): string {
  const words = strangerWords[language];
  if (owners.isUnclaimed())
    return words.unclaimed({
      command: `${adapters.get(conversation.channel)?.capabilities.commandPrefix ?? '/'}claim`,
    });
  const id = inlineCode(principal);
  if (given === 'asked') return words.ownerAsked;
  if (given === undefined) return words.unknown({ id });
  const command = inlineCode(`/pair ${given.code}`);
  return words.unknownWithCode({ id, command, milliseconds: given.expiresAt - clock.now() });
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

/** A code, or the owners were asked; undefined for neither. */
export type Given = GivenCode | 'asked' | undefined;

/** Somebody whom an owner did not want to let in. */
export interface RefusedPerson extends Acquaintance {
  readonly until: number;
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
  /** The owners are asked, and no code is given, if fewer than `most` requests are open. */
  readonly request?:
    | {
        readonly id: string;
        readonly cards: readonly OutboxDraft[];
        readonly expiresAt: number;
        readonly most: number;
      }
    | undefined;
  /** The answer. Called inside the transaction. */
  readonly words: (given: Given) => OutboundMessage;
  readonly at: number;
  /** They are answered at most once in this time, unless their code has expired. In ms. */
  readonly again: number;
}

export interface Knocked {
  readonly type: 'silent' | 'refused' | 'given-code' | 'asked';
  /** The conversations with something new to show. */
  readonly conversationIds: readonly string[];
}

export interface Ended {
  readonly conversationIds: readonly string[];
  /** When the next request ends. */
  readonly next: number | undefined;
}

/** A message that is sent at most once per subject in `again` ms. */
export interface Hint {
  readonly subject: string;
  readonly origin: Origin;
  readonly message: OutboundMessage;
  readonly at: number;
  readonly again: number;
}

/** A conversation in which programs are not heard. */
export interface UnheardPrograms {
  readonly conversationId: string;
  readonly title?: string | undefined;
  readonly channel: string;
}

/** Stores who was let in, and who asks to be. Each method is one transaction. */
export interface PeopleStore {
  paired(): Promise<readonly PairedPerson[]>;
  /** The strangers with valid codes, oldest first. */
  codeHolders(now: number): Promise<readonly CodeHolder[]>;
  /** Invalidates the codes of these people, and ends the requests about them. Resolves with the conversations to show that in. */
  dropCodes(principals: readonly string[]): Promise<readonly string[]>;
  /** Those whom nobody is asked about, and until when. */
  refused(now: number): Promise<readonly RefusedPerson[]>;
  /** Answers a stranger. `silent`: they were answered recently. */
  knock(knock: Knock): Promise<Knocked>;
  /** Ends the requests and codes that are too old. */
  endLate(now: number): Promise<Ended>;
  /** Where programs are not heard now, because they have talked with nobody else. */
  unheardPrograms(): Promise<readonly UnheardPrograms[]>;
  /** Resolves with true if the message was stored. */
  hint(hint: Hint): Promise<boolean>;
}
