/*
 * Intake. Messages and edits need access; the approvals check who may press. Presses and commands run at once, since the
 * current run may be waiting for exactly this one; the answer to an open question goes to that question; anything else is a
 * message for the model and is stored. `receive` resolves when the event is stored, so that the channel can acknowledge it.
 */

import { parseAction, parseOffered, parseUnfolding } from '../approval/asking/card-buttons.ts';
import { parseAnswer } from '../approval/question-cards.ts';
import {
  type BareDeletion,
  type Conversation,
  type InboundAction,
  type InboundEdit,
  type InboundEvent,
  type InboundMembership,
  type InboundMessage,
  type OutboundMessage,
  principalOf,
  type Receipt,
} from '../contract.ts';
import type { Reader } from '../lib/time-words.ts';
import type { Language } from '../lib/words.ts';
import { parseCommandAction } from '../words/command-buttons.ts';
import { parseStubAction, type StubAction } from '../words/stub.ts';
import type { CardAnswer } from './answer-card.ts';
import { type ChangeParts, changeMessage, takeBackMessage } from './changed-messages.ts';
import { type ObeyAside, obeyAside } from './command-aside.ts';
import { bypassesAccess, type CommandBoard } from './command-board.ts';
import type { Approvals } from './decide.ts';
import type { Core } from './feature.ts';
import {
  type Access,
  type AccessPolicy,
  type Command,
  foreignSources,
  type Inbox,
  keptQuote,
  noticeFor,
  noticeTo,
  type Origin,
  originOf,
  parseCommand,
  plainlyNamed,
  quietly,
  type SortedMessage,
  type Strangers,
  type TrustInFiles,
} from './message.ts';
import { pressCommand } from './press-command.ts';
import { ReadingTurns } from './reading-turns.ts';
import { engineWords } from './words.ts';

interface IntakeParts extends Core, Pick<ChangeParts, 'supersede'> {
  readonly inbox: Inbox;
  readonly access: AccessPolicy;
  readonly strangers: Strangers;
  readonly commands: CommandBoard;
  readonly approvals: Pick<
    Approvals,
    'decide' | 'openFor' | 'unfold' | 'isApprover' | 'hear' | 'heard' | 'press' | 'answerTo' | 'pointOut'
  >;
  /** Handles a press on a stub. */
  readonly pressStub: (origin: Origin, stub: StubAction) => Promise<string | undefined>;
  /** Somebody added the bot to a chat, or took it out. */
  readonly membershipChanged: (membership: InboundMembership, origin: Origin) => Promise<void>;
  /** Handles a press on a card that asks the owners; undefined for the buttons of others. */
  readonly pressRequest: (origin: Origin, actionId: string) => Promise<string | undefined> | undefined;
  /** Decides what to do with a message and its files. Who reads is asked for only if there is something to say. */
  readonly sort: (message: InboundMessage, reader: () => Reader) => SortedMessage;
  /** Whether documents that an owner sends count as their own words. */
  readonly trustsOwners: () => boolean;
  /** The id of a conversation. A chat keeps its first one when the platform gives it another. */
  readonly idOf: (conversation: Conversation) => string;
  /** A chat got another id. Resolves once that is stored. */
  readonly moved: (from: Conversation, chatId: string) => Promise<void>;
  /** Called when a message is stored, with the platform's id of it. */
  readonly seen: (origin: Origin, messageId: string | undefined) => void;
}

/** Takes in events: checks access, runs commands and presses at once, stores messages. */
export interface Intake {
  /** Resolves once the event is stored, or needs no storing. Never waits for an answer. */
  receive(event: InboundEvent | BareDeletion, channel: string): Promise<Receipt>;
  /** Resolves once it is stored that the chat has another id. */
  moved(from: Conversation, chatId: string): Promise<void>;
  /** See `ObeyAside`. */
  readonly obeyAside: ObeyAside;
}

interface IntakeContext {
  readonly parts: IntakeParts;
  /** Claims and links in progress, by person. */
  readonly claims: Map<string, Promise<void>>;
  /** Timers of messages that arrive in pieces, such as albums, by conversation. */
  readonly pieces: Map<string, () => void>;
  readonly reading: ReadingTurns;
}

export function createIntake(parts: IntakeParts): Intake {
  const reading = new ReadingTurns(parts.prepareReaders);
  const context: IntakeContext = { parts, claims: new Map(), pieces: new Map(), reading };
  return {
    receive: (event, channel) => receive(event, channel, context),
    moved: parts.moved,
    obeyAside: (line, origin) =>
      obeyAside(line, origin, {
        ...parts,
        skipsAccess: (command) => parts.commands.isDecision(command) && parts.approvals.isApprover(origin.principal),
      }),
  };
}

async function receive(event: InboundEvent | BareDeletion, channel: string, context: IntakeContext): Promise<Receipt> {
  const { parts, claims, reading } = context;
  const { inbox, access, approvals, idOf } = parts;
  const principal = event.sender && principalOf(channel, event.sender.id);
  // A message behind a claim or a link waits until its sender is known. Outside threads, nothing else is awaited before a
  // claim stands there, so that the event behind it finds it.
  while (principal !== undefined && claims.has(principal)) await claims.get(principal);
  const conversation = 'conversation' in event ? event.conversation : undefined;
  const id = conversation && idOf(conversation);
  const mayBeFollowed = conversation !== undefined && mayFollow(conversation, access);
  const isFollowed = id !== undefined && mayBeFollowed && (await reading.inTurn(id, () => inbox.isKnown(id)));
  if (event.type === 'deletion') {
    // Its message may stand anywhere, if it names no conversation.
    await (id === undefined ? reading.all() : reading.turn(id));
    await takeBackMessage(event, channel, parts);
    return {};
  }
  const origin = originOf(event, idOf(event.conversation));
  if (event.type === 'action' || event.type === 'membership') await reading.turn(origin.conversationId);
  switch (event.type) {
    case 'action':
      return event.sender.isPerson
        ? { notice: await onPress(event, origin, context) }
        : { notice: wordsFor(origin, parts).toastOnlyPeople };
    case 'message': {
      const receipt = await onMessage({ said: event, origin, isFollowed }, context);
      approvals.heard(origin);
      return receipt;
    }
    case 'edit':
      await onEdit(event, origin, context);
      return {};
    case 'membership':
      await parts.membershipChanged(event, origin);
      return {};
  }
}

function mayFollow(conversation: Conversation, access: AccessPolicy): boolean {
  return conversation.threadId !== undefined && access.followsThreads(conversation);
}

/** Handles a press. The approvals check who may press. */
async function onPress(action: InboundAction, origin: Origin, context: IntakeContext): Promise<string | undefined> {
  const { actionId, text, sender } = action;
  const { parts } = context;
  const { access, approvals, pressStub, crashPoint } = parts;
  const asCommand = parseCommandAction(actionId);
  if (asCommand !== undefined)
    return pressCommand(asCommand, action, origin, {
      ...parts,
      skipsAccess: (command, mayTalk) => bypassesAccess(command, origin, mayTalk, parts),
      obey: (command, typist) => obey(command, typist, context),
    });
  const stub = parseStubAction(actionId);
  if (stub !== undefined) {
    const mayPress = access.isWelcome(sender, origin.conversation);
    return mayPress ? pressStub(origin, stub) : wordsFor(origin, parts).toastOnlyPeopleHere;
  }
  const ofOwners = parts.pressRequest(origin, actionId);
  if (ofOwners !== undefined) return ofOwners;
  const answer = parseAnswer(actionId);
  if (answer !== undefined) return approvals.press(origin, answer.id, answer.index);
  const unfolding = parseUnfolding(actionId);
  if (unfolding !== undefined) return approvals.unfold(origin, unfolding);
  const offered = parseOffered(actionId);
  if (offered !== undefined) return showOffer(offered, origin, context);
  const pressed = parseAction(actionId, text);
  if (pressed === undefined) return wordsFor(origin, parts).toastDeadButton;
  const notice = await approvals.decide(origin, pressed.id, pressed.choice);
  crashPoint?.('decision-stored');
  return notice;
}

/** Shows the rule that a card offers, to somebody who may allow it: as its command would. */
async function showOffer(id: string, { pressed: _pressed, ...origin }: Origin, context: IntakeContext) {
  const { parts } = context;
  const found = await parts.approvals.openFor(origin, id);
  if ('refusal' in found) return found.refusal;
  const { offer } = found.approval.asked ?? {};
  const command = offer && parseCommand(`/${offer.command} ${id}`);
  if (command === undefined) return wordsFor(origin, parts).toastDeadButton;
  await obey(command, origin, context);
  return undefined;
}

/** Decides a card by words. The sender is told what a press would tell. */
async function carryOut(
  answer: CardAnswer,
  notice: (words: string) => OutboundMessage,
  origin: Origin,
  { inbox, clock, deliver, crashPoint }: IntakeParts,
): Promise<void> {
  const words = await answer.carryOut();
  crashPoint?.('decision-stored');
  if (words !== undefined && (await inbox.decline(origin, notice(words), clock.now())))
    deliver([origin.conversationId]);
}

/** Edits only messages that were accepted, and only while their sender may still talk. */
async function onEdit(edit: InboundEdit, origin: Origin, { parts, reading }: IntakeContext): Promise<void> {
  const { approvals, access } = parts;
  const answer = await reading.inTurn(origin.conversationId, () => approvals.answerTo(origin, edit));
  if (answer?.mayDecide === true) return carryOut(answer, (words) => noticeTo(origin, words), origin, parts);
  if (access.accessOf(edit).type !== 'welcome') return;
  await changeMessage(edit, { origin, untrusted: foreignSources(edit, trustIn(origin, parts)) }, parts);
}

/** `isFollowed`: in a thread that we take part in, any person may mean us. */
interface ReceivedMessage {
  readonly said: InboundMessage;
  readonly origin: Origin;
  readonly isFollowed: boolean;
}

async function onMessage({ said, origin, isFollowed }: ReceivedMessage, context: IntakeContext): Promise<Receipt> {
  const { parts, reading } = context;
  const { approvals, strangers, commands } = parts;
  const isMeant = isFollowed && said.isThreadReply === true && said.sender.isPerson;
  const message = isMeant ? { ...said, addressed: true } : said;
  const command = message.addressed ? (commands.claimIn(message) ?? parseCommand(message.text)) : undefined;
  const access = parts.access.accessOf(message);
  const answering = reading.inTurn(origin.conversationId, () => approvals.answerTo(origin, message));
  if (command !== undefined && message.sender.isPerson && bypassesAccess(command, origin, access, parts)) {
    await obey(command, origin, context, answering);
    return {};
  }
  const answer = await answering;
  // No other await until the message is to be stored: see `ReadingTurns`.
  if (answer !== undefined && (answer.mayDecide || access.type === 'welcome')) {
    await carryOut(answer, noticeFor.bind(undefined, message), origin, parts);
    return {};
  }
  // In a thread that we follow, people talking to each other have not addressed us.
  if (access.type === 'turn-away') return said.addressed ? { notice: strangers.turnAway(origin) } : {};
  await admit({ message, command, origin }, access, context);
  return {};
}

/** A message that may be for us, with the command in it, if there is one. */
interface ReadMessage {
  readonly message: InboundMessage;
  readonly command: Command | undefined;
  readonly origin: Origin;
}

async function admit(
  { message, command, origin }: ReadMessage,
  access: Exclude<Access, { type: 'turn-away' }>,
  context: IntakeContext,
): Promise<void> {
  const { parts } = context;
  switch (access.type) {
    case 'ignore':
      return ignore(message, origin, access, parts);
    case 'unknown-group':
      return parts.strangers.explainGroup(origin);
    case 'refuse':
      return parts.strangers.refuse(origin);
    case 'welcome':
      break;
  }
  if (command !== undefined) return onCommand(command, message, origin, parts);
  const answer = answers(message, origin, parts);
  return answer !== false && (await answer) ? undefined : storeMessage(message, origin, context);
}

/** Whether it answers an open question. Synchronously false if none is open. */
function answers(
  { text, sender, shared, attachments = [] }: InboundMessage,
  origin: Origin,
  { approvals }: IntakeParts,
): Promise<boolean> | false {
  return sender.isPerson && shared === undefined && attachments.length === 0 && approvals.hear(origin, text);
}

/** Stores a message for the model. */
async function storeMessage(message: InboundMessage, origin: Origin, context: IntakeContext): Promise<void> {
  const { parts } = context;
  const { inbox, access, approvals, strangers, clock, crashPoint, deliver } = parts;
  const sorted = parts.sort(message, () => parts.readerOf(origin));
  if (sorted.type === 'empty') return;
  if (sorted.type === 'decline') return decline(message, origin, sorted, parts);

  const draft = {
    origin,
    text: message.text,
    isPerson: message.sender.isPerson,
    messageId: message.messageId,
    quote: keptQuote(message),
    shared: message.shared,
    attachments: [...plainlyNamed(sorted.attachments, trustIn(origin, parts)), ...sorted.quoted],
    untrusted: foreignSources(message, trustIn(origin, parts)),
    isTrusted: access.isOwner.bind(access),
    notice: sorted.words === undefined ? undefined : quietly(noticeFor(message, sorted.words)),
    sentAt: message.sentAt,
    at: clock.now(),
  };
  const accepted = await inbox.accept(draft, () => messageStored(message, origin, context));
  if (accepted === 'repeated') crashPoint?.('message-stored');
  if (!message.sender.isPerson) await strangers.noteProgram(origin, accepted !== 'unheard');
  if (sorted.words !== undefined) deliver([origin.conversationId]);
  if (accepted === 'accepted') await approvals.pointOut(origin, message);
}

function messageStored(message: InboundMessage, origin: Origin, context: IntakeContext): void {
  const { seen, supersede, crashPoint, wake } = context.parts;
  seen(origin, message.messageId);
  supersede(origin.conversationId, origin.principal, { type: 'said' });
  crashPoint?.('message-stored');
  if (message.isPiece === true) wakeWhenWhole(origin.conversationId, context);
  else wake([origin.conversationId]);
}

/** Wakes the conversation when a message in pieces, such as an album, seems complete. */
function wakeWhenWhole(conversationId: string, { parts, pieces }: IntakeContext): void {
  pieces.get(conversationId)?.();
  const cancel = parts.clock.after(pieceGap, () => {
    pieces.delete(conversationId);
    parts.wake([conversationId]);
  });
  pieces.set(conversationId, cancel);
}

/** How long to wait for the next piece, in ms. */
const pieceGap = 1_000;

function trustIn({ principal }: Origin, { access, trustsOwners }: IntakeParts): TrustInFiles {
  if (!access.isOwner(principal)) return 'none';
  return trustsOwners() ? 'all' : 'own';
}

/** The sender is told once, however often the platform delivers it. */
async function decline(
  message: InboundMessage,
  origin: Origin,
  { words, kind }: Extract<SortedMessage, { type: 'decline' }>,
  parts: IntakeParts,
): Promise<void> {
  // A program would answer the answer.
  if (!message.sender.isPerson) return ignore(message, origin, { reason: 'a program sent what cannot be used' }, parts);
  const { inbox, clock, deliver } = parts;
  const isTold = await inbox.decline(origin, noticeFor(message, words), clock.now(), kind);
  if (isTold) deliver([origin.conversationId]);
}

/** A command never queues: the current run may be waiting for it. */
async function onCommand(command: Command, message: InboundMessage, origin: Origin, parts: IntakeParts): Promise<void> {
  const { access, commands, strangers } = parts;
  if (!message.sender.isPerson) return ignore(message, origin, { reason: 'a program gives no commands' }, parts);
  return access.mayCommand(command, message) ? commands.obey(command, origin) : strangers.refuseCommand(origin);
}

/** `turn`: it is obeyed after this. What its sender says behind a claim waits from now on. */
function obey(command: Command, origin: Origin, context: IntakeContext, turn?: Promise<unknown>): Promise<void> {
  const { commands } = context.parts;
  const joining = commands.isJoining(command) ? commands.admit : undefined;
  const claim = commands.isClaim(command) ? commands.claim : joining;
  const obeyed = after(turn, () => (claim ?? commands.obey)(command, origin));
  return claim === undefined ? obeyed : whileClaiming(origin, obeyed, context);
}

async function after(turn: Promise<unknown> | undefined, work: () => Promise<void>): Promise<void> {
  await turn;
  return work();
}

/** Settles as the claim does. Later events of the person wait only until it is over. */
async function whileClaiming({ principal }: Origin, claim: Promise<void>, { claims }: IntakeContext): Promise<void> {
  const over = claim.catch(() => {}).finally(() => claims.delete(principal));
  claims.set(principal, over);
  await over;
  await claim;
}

function ignore(
  { addressed }: InboundMessage,
  { principal, conversationId: conversation }: Origin,
  { reason }: { readonly reason: string },
  { log, access }: IntakeParts,
): void {
  log[addressed && access.isOwner(principal) ? 'info' : 'debug']({ conversation, reason }, 'a message was ignored');
}

function wordsFor(origin: Origin, { readerOf }: IntakeParts): (typeof engineWords)[Language] {
  return engineWords[readerOf(origin).language];
}
