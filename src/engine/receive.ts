/*
 * Intake. Messages and edits need access; the approvals check who may press. Presses and commands run at once, since the
 * current run may be waiting for exactly this one; the answer to an open question goes to that question; anything else is a
 * message for the model and is stored. `receive` resolves when the event is stored, so that the channel can acknowledge it.
 */

import { parseAction } from '../approval/cards.ts';
import { parseAnswer } from '../approval/question-cards.ts';
import {
  type BareDeletion,
  type Conversation,
  type InboundAction,
  type InboundDeletion,
  type InboundEdit,
  type InboundEvent,
  type InboundMessage,
  type OutboundMessage,
  principalOf,
  type Receipt,
  type Sender,
} from '../contract.ts';
import { isTimeZone } from '../lib/time-words.ts';
import { languageOf, languageOfText } from '../lib/words.ts';
import { parseStubAction, type StubAction } from '../words/stub.ts';
import type { CardAnswer } from './answer-card.ts';
import type { Approvals } from './decide.ts';
import type { Core } from './feature.ts';
import {
  type AttachmentDraft,
  type Command,
  type Inbox,
  noticeFor,
  noticeTo,
  type Origin,
  parseCommand,
} from './message.ts';
import { foreignSources, keptQuote, plainlyNamed, type TrustInFiles } from './message-sources.ts';
import type { Speech } from './turn.ts';
import { engineWords } from './words.ts';

/** Who may talk and command where. */
export interface AccessPolicy {
  accessOf(event: InboundEvent): Access;
  /** Whether this sender would be heard if they addressed us there. */
  isWelcome(sender: Sender, conversation: Conversation): boolean;
  /** Whether threads of that group that we took part in need no mention. */
  followsThreads(conversation: Conversation): boolean;
  mayCommand(command: Command, event: InboundEvent): boolean;
  isOwner(principal: string): boolean;
}

export type Access =
  | { readonly type: 'welcome' }
  /** Stay silent: not meant for us, or not from a person. */
  | { readonly type: 'ignore'; readonly reason: string }
  /** May not talk here, and is told. */
  | { readonly type: 'refuse' }
  /** Addresses us in a group without access: told only if nobody else reads it. */
  | { readonly type: 'turn-away' }
  /** An owner addresses us in a group that the config does not name: told how to let it in. */
  | { readonly type: 'unknown-group' };

/** Tells people why they are not heard. */
export interface Strangers {
  /** Answers a stranger in a direct chat, with a pairing code if they may have one. */
  refuse(origin: Origin): Promise<void>;
  refuseCommand(origin: Origin): Promise<void>;
  /** Tells an owner how to let the group in. */
  explainGroup(origin: Origin): Promise<void>;
  /** Private words for a stranger in a group; undefined if they know already. */
  turnAway(origin: Origin): string | undefined;
  /** A program spoke, and was heard or not. */
  noteProgram(origin: Origin, isHeard: boolean): Promise<void>;
}

/** Chat commands, each stored with its effect and its answer. */
interface CommandBoard {
  obey(command: Command, origin: Origin): Promise<void>;
  /** `/approve` or `/deny`. */
  isDecision(command: Command): boolean;
  /** Proves ownership. */
  isClaim(command: Command): boolean;
  claim(command: Command, origin: Origin): Promise<void>;
  /** Links another account. */
  isJoining(command: Command): boolean;
  admit(command: Command, origin: Origin): Promise<void>;
}

interface IntakeParts extends Core {
  readonly inbox: Inbox;
  readonly access: AccessPolicy;
  readonly strangers: Strangers;
  readonly commands: CommandBoard;
  readonly approvals: Pick<Approvals, 'decide' | 'isApprover' | 'hear' | 'heard' | 'press' | 'answerTo' | 'pointOut'>;
  /** Handles a press on a stub. */
  readonly pressStub: (origin: Origin, stub: StubAction) => Promise<string | undefined>;
  /** Decides what to do with a message and its files. */
  readonly sort: (message: InboundMessage) => SortedMessage;
  /** Whether documents that an owner sends count as their own words. */
  readonly trustsOwners: () => boolean;
  /** The id of a conversation. A chat keeps its first one when the platform gives it another. */
  readonly idOf: (conversation: Conversation) => string;
  /** A chat got another id. Resolves once that is stored. */
  readonly moved: (from: Conversation, chatId: string) => Promise<void>;
  /** Called when a message is stored, with the platform's id of it. */
  readonly seen: (origin: Origin, messageId: string | undefined) => void;
  /** Called when a person said more: an unshown answer may be restarted. */
  readonly supersede: (conversationId: string, principal: string, speech: Speech) => void;
}

export type Intake = ReturnType<typeof createIntake>;

/** Takes in events: checks access, runs commands and presses at once, stores messages. */
export function createIntake(parts: IntakeParts) {
  const { inbox, access: policy, strangers, commands, approvals, clock, log, crashPoint, deliver, wake } = parts;
  const { pressStub, sort, trustsOwners, idOf, moved, seen, supersede } = parts;
  const wordsFor = (origin: Origin) => engineWords[parts.readerOf(origin).language];
  /** Claims and links in progress, by person. */
  const claims = new Map<string, Promise<void>>();
  /** Timers of messages that arrive in pieces, such as albums, by conversation. */
  const pieces = new Map<string, () => void>();

  /** Resolves once the event is stored, or needs no storing. Never waits for an answer. */
  async function receive(event: InboundEvent | BareDeletion, channel: string): Promise<Receipt> {
    const principal = event.sender && principalOf(channel, event.sender.id);
    // A message behind a claim or a link waits until its sender is known. Outside threads, nothing else is awaited here,
    // so that a claim starts before the event behind it is looked at.
    while (principal !== undefined && claims.has(principal)) await claims.get(principal);
    const place = 'conversation' in event ? event.conversation : undefined;
    // All events of a place wait alike, or none: what is delivered together is stored in order. A deletion that names no
    // place waits as long as others in such a thread, where its message may stand.
    const isFollowed = (place === undefined || mayFollow(place)) && (await inbox.isKnown(place && idOf(place)));
    if (event.type === 'deletion') {
      await onDeletion(event, channel);
      return {};
    }
    const origin = originOf(event, idOf(event.conversation));
    switch (event.type) {
      case 'action':
        return event.sender.isPerson
          ? { notice: await onPress(event, origin) }
          : { notice: wordsFor(origin).toastOnlyPeople };
      case 'message': {
        const receipt = await onMessage(event, origin, isFollowed);
        approvals.heard(origin);
        return receipt;
      }
      case 'edit':
        await onEdit(event, origin);
        return {};
    }
  }

  /** Handles a press. The approvals check who may press. */
  async function onPress({ actionId, text, sender }: InboundAction, origin: Origin): Promise<string | undefined> {
    const stub = parseStubAction(actionId);
    if (stub !== undefined) {
      const mayPress = policy.isWelcome(sender, origin.conversation);
      return mayPress ? pressStub(origin, stub) : wordsFor(origin).toastOnlyPeopleHere;
    }
    const answer = parseAnswer(actionId);
    if (answer !== undefined) return approvals.press(origin, answer.id, answer.index);
    const pressed = parseAction(actionId, text);
    if (pressed === undefined) return wordsFor(origin).toastDeadButton;
    const notice = await approvals.decide(origin, pressed.id, pressed.choice);
    crashPoint?.('decision-stored');
    return notice;
  }

  /** Decides a card by words. The sender is told what a press would tell. */
  async function carryOut(
    answer: CardAnswer,
    notice: (words: string) => OutboundMessage,
    origin: Origin,
  ): Promise<void> {
    const words = await answer.carryOut();
    crashPoint?.('decision-stored');
    if (words !== undefined && (await inbox.decline(origin, notice(words), clock.now())))
      deliver([origin.conversationId]);
  }

  /** Edits only messages that were accepted, and only while their sender may still talk. */
  async function onEdit(edit: InboundEdit, origin: Origin): Promise<void> {
    const answer = approvals.answerTo(origin, edit);
    if (answer?.mayDecide === true) return carryOut(answer, (words) => noticeTo(origin, words), origin);
    if (policy.accessOf(edit).type !== 'welcome') return;
    const messageKey = `${edit.conversation.channel}:${edit.messageKey}`;
    const { text, shared } = edit;
    const untrusted = foreignSources(edit, trustIn(origin));
    const edited = await inbox.edit({ origin, messageKey, text, shared, untrusted, at: clock.now() });
    if (edited.type === 'replaced') beginAgain(origin, { type: 'changed', seq: edited.seq });
  }

  /** People who may no longer talk can still take back what they said. */
  async function onDeletion({ messageKey, sender }: InboundDeletion | BareDeletion, channel: string): Promise<void> {
    const principal = sender && principalOf(channel, sender.id);
    const withdrawn = await inbox.withdraw({ messageKey: `${channel}:${messageKey}`, principal, at: clock.now() });
    if (withdrawn.type === 'removed') beginAgain(withdrawn, { type: 'taken-back' });
  }

  /** No turn has seen the old text, so an unshown answer to it restarts. One that comes later is outdated. */
  function beginAgain(
    { conversationId, principal }: Pick<Origin, 'conversationId' | 'principal'>,
    speech: Speech,
  ): void {
    supersede(conversationId, principal, speech);
    wake([conversationId]);
  }

  function mayFollow(place: Conversation): boolean {
    return place.threadId !== undefined && policy.followsThreads(place);
  }

  /** `isFollowed`: in a thread that we take part in, any person may mean us. */
  async function onMessage(said: InboundMessage, origin: Origin, isFollowed: boolean): Promise<Receipt> {
    const isMeant = isFollowed && said.isThreadReply === true && said.sender.isPerson;
    const message = isMeant ? { ...said, addressed: true } : said;
    const command = message.addressed ? parseCommand(message.text) : undefined;
    const access = policy.accessOf(message);
    const answer = (message.attachments ?? []).length === 0 ? approvals.answerTo(origin, message) : undefined;
    // No await above this line: what is delivered together is stored in order.
    if (command !== undefined && message.sender.isPerson && bypassesAccess(command, origin, access)) {
      await obey(command, origin);
      return {};
    }
    if (answer !== undefined && (answer.mayDecide || access.type === 'welcome')) {
      await carryOut(answer, noticeFor.bind(undefined, message), origin);
      return {};
    }
    // In a thread that we follow, people talking to each other have not addressed us.
    if (access.type === 'turn-away') return said.addressed ? { notice: strangers.turnAway(origin) } : {};
    await admit(message, command, origin, access);
    return {};
  }

  async function admit(
    message: InboundMessage,
    command: Command | undefined,
    origin: Origin,
    access: Exclude<Access, { type: 'turn-away' }>,
  ): Promise<void> {
    switch (access.type) {
      case 'ignore':
        return ignore(message, origin, access.reason);
      case 'unknown-group':
        return strangers.explainGroup(origin);
      case 'refuse':
        return strangers.refuse(origin);
      case 'welcome':
        break;
    }
    if (command !== undefined) return onCommand(command, message, origin);
    const answer = answers(message, origin);
    return answer !== false && (await answer) ? undefined : storeMessage(message, origin);
  }

  /** Whether it answers an open question. Synchronously false if none is open. */
  function answers(
    { text, sender, shared, attachments = [] }: InboundMessage,
    origin: Origin,
  ): Promise<boolean> | false {
    return sender.isPerson && shared === undefined && attachments.length === 0 && approvals.hear(origin, text);
  }

  /** Stores a message for the model. */
  async function storeMessage(message: InboundMessage, origin: Origin): Promise<void> {
    const sorted = sort(message);
    if (sorted.type === 'empty') return;
    if (sorted.type === 'decline') return decline(message, origin, sorted.words);

    const onStored = (): void => {
      seen(origin, message.messageId);
      supersede(origin.conversationId, origin.principal, { type: 'said' });
      crashPoint?.('message-stored');
      if (message.isPiece === true) wakeWhenWhole(origin.conversationId);
      else wake([origin.conversationId]);
    };
    const draft = {
      origin,
      text: message.text,
      isPerson: message.sender.isPerson,
      messageId: message.messageId,
      quote: keptQuote(message),
      shared: message.shared,
      attachments: [...plainlyNamed(sorted.attachments, trustIn(origin)), ...sorted.quoted],
      untrusted: foreignSources(message, trustIn(origin)),
      isTrusted: policy.isOwner.bind(policy),
      notice: sorted.words === undefined ? undefined : noticeFor(message, sorted.words),
      sentAt: message.sentAt,
      at: clock.now(),
    };
    const accepted = await inbox.accept(draft, onStored);
    if (accepted === 'repeated') crashPoint?.('message-stored');
    if (!message.sender.isPerson) await strangers.noteProgram(origin, accepted !== 'unheard');
    if (sorted.words !== undefined) deliver([origin.conversationId]);
    if (accepted === 'accepted') await approvals.pointOut(origin, message);
  }

  function trustIn({ principal }: Origin): TrustInFiles {
    if (!policy.isOwner(principal)) return 'none';
    return trustsOwners() ? 'all' : 'own';
  }

  /** The sender is told once, however often the platform delivers it. */
  async function decline(message: InboundMessage, origin: Origin, words: string): Promise<void> {
    // A program would answer the answer.
    if (!message.sender.isPerson) return ignore(message, origin, words);
    if (await inbox.decline(origin, noticeFor(message, words), clock.now())) deliver([origin.conversationId]);
  }

  /** A command never queues: the current run may be waiting for it. */
  async function onCommand(command: Command, message: InboundMessage, origin: Origin): Promise<void> {
    if (!message.sender.isPerson) return ignore(message, origin, 'a program gives no commands');
    return policy.mayCommand(command, message) ? commands.obey(command, origin) : strangers.refuseCommand(origin);
  }

  /**
   * Commands that skip the access check: an approver's decision, wherever they read the card; a stranger linking their
   * account; and a claim while nobody owns this Keyturn.
   */
  function bypassesAccess(command: Command, { principal }: Origin, access: Access): boolean {
    if (commands.isDecision(command)) return approvals.isApprover(principal);
    if (access.type === 'refuse' && commands.isJoining(command)) return true;
    const isHeard = access.type === 'welcome' || access.type === 'refuse';
    return isHeard && commands.isClaim(command) && !policy.isOwner(principal);
  }

  function obey(command: Command, origin: Origin): Promise<void> {
    if (commands.isClaim(command)) return whileClaiming(origin, commands.claim(command, origin));
    if (commands.isJoining(command)) return whileClaiming(origin, commands.admit(command, origin));
    return commands.obey(command, origin);
  }

  /** Settles as the claim does. Later events of the person wait only until it is over. */
  async function whileClaiming({ principal }: Origin, claim: Promise<void>): Promise<void> {
    const over = claim.catch(() => {}).finally(() => claims.delete(principal));
    claims.set(principal, over);
    await over;
    await claim;
  }

  function ignore(
    { addressed }: InboundMessage,
    { principal, conversationId: conversation }: Origin,
    reason: string,
  ): void {
    log[addressed && policy.isOwner(principal) ? 'info' : 'debug']({ conversation, reason }, 'a message was ignored');
  }

  /** Wakes the conversation when a message in pieces, such as an album, seems complete. */
  function wakeWhenWhole(conversationId: string): void {
    pieces.get(conversationId)?.();
    const cancel = clock.after(pieceGap, () => {
      pieces.delete(conversationId);
      wake([conversationId]);
    });
    pieces.set(conversationId, cancel);
  }

  return {
    receive,
    /** Resolves once it is stored that the chat has another id. */
    moved,
  };
}

/** How long to wait for the next piece, in ms. */
const pieceGap = 1_000;

function originOf(event: InboundEvent, conversationId: string): Origin {
  const { conversation, sender } = event;
  return {
    // Keys are unique within a channel only.
    key: `${conversation.channel}:${event.key}`,
    conversation,
    conversationId,
    principal: principalOf(conversation.channel, sender.id),
    name: sender.name,
    roles: sender.roles,
    timeZone: sender.timeZone !== undefined && isTimeZone(sender.timeZone) ? sender.timeZone : undefined,
    language: languageOf(sender.language),
    writes: sender.isPerson && event.type === 'message' ? languageOfText(event.text) : undefined,
    pressed: event.type === 'action' ? event.messageRef : undefined,
    privateTo: event.type === 'message' ? event.privateTo : undefined,
  };
}

export type SortedMessage =
  /** Nothing readable was sent. */
  | { readonly type: 'empty' }
  /** `words`: for the sender, at once. */
  | {
      readonly type: 'take';
      readonly attachments: readonly AttachmentDraft[];
      /** The files of the quoted message. */
      readonly quoted: readonly AttachmentDraft[];
      readonly words?: string;
    }
  /** Nothing in it can be used. */
  | { readonly type: 'decline'; readonly words: string };
