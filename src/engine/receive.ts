/*
 * What comes in. A channel brings events: a message, a press of a button, an edit, a deletion. Who may talk is asked
 * first. Presses and commands are obeyed at once, since the run ahead of them may be waiting for just this one; the
 * answer to a question that was asked goes to that question; all else is a message for the model, which is written
 * down. `receive` resolves when that is stored, so that the channel can tell its platform, and never waits for an
 * answer. What is delivered twice has the same key, and changes nothing.
 */

import { parseAction, parseAnswer } from '../approval/cards.ts';
import {
  type BareDeletion,
  type Conversation,
  conversationId,
  type InboundAction,
  type InboundDeletion,
  type InboundEdit,
  type InboundEvent,
  type InboundMessage,
  principalOf,
  type Receipt,
  type Sender,
} from '../contract.ts';
import { parseStubAction, type StubAction } from '../words/stub.ts';
import type { Approvals } from './decide.ts';
import type { Core } from './feature.ts';
import { type AttachmentDraft, type Command, type Inbox, noticeFor, type Origin, parseCommand } from './message.ts';
import type { Doing } from './turn.ts';

/** Who may talk where, and who may command there. */
export interface AccessPolicy {
  accessOf(event: InboundEvent): Access;
  /** Whether somebody who calls us there would be heard. */
  isWelcome(sender: Sender, conversation: Conversation): boolean;
  /** Whether no mention is needed in a thread of that group which we have taken part in. */
  followsThreads(conversation: Conversation): boolean;
  mayCommand(command: Command, event: InboundEvent): boolean;
  isOwner(principal: string): boolean;
}

export type Access =
  | { readonly type: 'welcome' }
  /** Says nothing: it was not meant for us, or no person said it. */
  | { readonly type: 'ignore'; readonly reason: string }
  /** May not talk here, and is told so. */
  | { readonly type: 'refuse' }
  /** Calls us in a group, and may not talk there: is told so if nobody else has to read it. */
  | { readonly type: 'turn-away' }
  /** An owner calls us in a group that the config does not name, and is told so. */
  | { readonly type: 'unknown-group' };

/** Tells people why they are not heard. */
export interface Strangers {
  /** Answers a stranger who writes directly, with a code if they may have one. */
  refuse(origin: Origin): Promise<void>;
  refuseCommand(origin: Origin): Promise<void>;
  /** Tells an owner how to let the group in. */
  explainGroup(origin: Origin): Promise<void>;
  /** What to say to a stranger who has called us in a group, if nobody else reads it; undefined where they know. */
  turnAway(origin: Origin): string | undefined;
  /** A program has spoken, and was heard or not. */
  noteProgram(origin: Origin, isHeard: boolean): void;
}

/** What people order in the chat, each stored with its effect and its answer. */
interface CommandBoard {
  obey(command: Command, origin: Origin): Promise<void>;
  /** `/approve` or `/deny`. */
  isDecision(command: Command): boolean;
  /** Somebody shows that they are an owner. */
  isClaim(command: Command): boolean;
  claim(command: Command, origin: Origin): Promise<void>;
  /** Somebody shows that they have another account. */
  isJoining(command: Command): boolean;
  admit(command: Command, origin: Origin): Promise<void>;
}

interface IntakeParts extends Core {
  readonly inbox: Inbox;
  readonly access: AccessPolicy;
  readonly strangers: Strangers;
  readonly commands: CommandBoard;
  readonly approvals: Pick<Approvals, 'decide' | 'isApprover' | 'hear' | 'press'>;
  /** Takes a press on what stands in the place of a message that could not be shown. */
  readonly pressStub: (origin: Origin, stub: StubAction) => Promise<string | undefined>;
  /** Decides what becomes of a message with the files that came with it. */
  readonly sort: (message: InboundMessage) => SortedMessage;
  /** A chat has another id now. Resolves once that is stored. */
  readonly moved: (from: Conversation, chatId: string) => Promise<void>;
  /** Told that a message was stored, with the platform's name of it. */
  readonly seen: (origin: Origin, messageId: string | undefined) => void;
  /** Told that a person has said more: what is being written to them and does not show yet may be started again. */
  readonly supersede: (conversationId: string, principal: string, doing: Doing) => void;
}

export type Intake = ReturnType<typeof createIntake>;

/** Takes in what the channels bring: decides who may talk, obeys commands and presses at once, stores messages. */
export function createIntake(parts: IntakeParts) {
  const { inbox, access: policy, strangers, commands, approvals, clock, log, crashPoint, deliver, wake } = parts;
  const { pressStub, sort, moved, seen, supersede } = parts;
  const claims = new ClaimsUnderWay();
  /** Messages that come in pieces, as albums do: calls off the timer of each conversation. */
  const pieces = new Map<string, () => void>();

  /** Resolves once the event is stored, or has been found to need no storing. Never waits for an answer. */
  async function receive(event: InboundEvent | BareDeletion, channel: string): Promise<Receipt> {
    const principal = event.sender && principalOf(channel, event.sender.id);
    // What somebody writes behind a claim or a link is judged when it is known who they are. Nothing else is awaited here, so
    // that a claim is under way before what was delivered right behind it is looked at.
    while (principal !== undefined && claims.of(principal) !== undefined) await claims.of(principal);
    if (event.type === 'deletion') {
      await onDeletion(event, channel);
      return {};
    }
    const origin = originOf(event, idOf(event.conversation));
    switch (event.type) {
      case 'action':
        return event.sender.isPerson
          ? { notice: await onPress(event, origin) }
          : { notice: 'Only a person can decide that.' };
      case 'message':
        return onMessage(event, origin);
      case 'edit':
        await onEdit(event, origin);
        return {};
    }
  }

  /** The name of a conversation: the same as ever for a chat that was given another id. */
  function idOf(conversation: Conversation): string {
    const id = conversationId(conversation);
    return inbox.formerly(id) ?? id;
  }

  /** Obeys the button of a card. The approvals and questions say who may press which. */
  async function onPress({ actionId, text, sender }: InboundAction, origin: Origin): Promise<string | undefined> {
    const stub = parseStubAction(actionId);
    if (stub !== undefined) {
      const mayPress = policy.isWelcome(sender, origin.conversation);
      return mayPress ? pressStub(origin, stub) : 'Only those whom I talk with here can decide that.';
    }
    const answer = parseAnswer(actionId);
    if (answer !== undefined) return approvals.press(origin, answer.id, answer.index);
    const pressed = parseAction(actionId, text);
    if (pressed === undefined) return 'This button no longer does anything.';
    const notice = await approvals.decide(origin, pressed.id, pressed.choice);
    crashPoint('decision-stored');
    return notice;
  }

  /** Only what its sender was allowed to say is there to be changed; and they must still be one who may talk. */
  async function onEdit(edit: InboundEdit, origin: Origin): Promise<void> {
    if (policy.accessOf(edit).type !== 'welcome') return;
    const messageKey = `${edit.conversation.channel}:${edit.messageKey}`;
    const { text, shared } = edit;
    const untrusted = untrustedIn(edit, policy.isOwner(origin.principal));
    const edited = await inbox.edit({ origin, messageKey, text, shared, untrusted, at: clock.now() });
    if (edited.type === 'replaced') beginAgain(origin, { type: 'changed', seq: edited.seq });
  }

  /** People who may not talk any more may still take back what they said. */
  async function onDeletion({ messageKey, sender }: InboundDeletion | BareDeletion, channel: string): Promise<void> {
    const principal = sender && principalOf(channel, sender.id);
    const withdrawn = await inbox.withdraw({ messageKey: `${channel}:${messageKey}`, principal, at: clock.now() });
    if (withdrawn.type === 'removed') beginAgain(withdrawn, { type: 'taken-back' });
  }

  /** No turn has seen what was there before: an answer that is being written is of no use. */
  function beginAgain({ conversationId, principal }: Pick<Origin, 'conversationId' | 'principal'>, doing: Doing): void {
    supersede(conversationId, principal, doing);
    wake([conversationId]);
  }

  /** In a thread that we have taken part in, whatever a person says may be meant for us. */
  function heeded(message: InboundMessage, { conversationId }: Origin): InboundMessage {
    if (message.addressed || message.isThreadReply !== true || !message.sender.isPerson) return message;
    const isFollowed = policy.followsThreads(message.conversation) && inbox.placeOf(conversationId) !== undefined;
    return isFollowed ? { ...message, addressed: true } : message;
  }

  async function onMessage(said: InboundMessage, origin: Origin): Promise<Receipt> {
    const message = heeded(said, origin);
    const command = message.addressed ? parseCommand(message.text) : undefined;
    const access = policy.accessOf(message);
    // Nothing is awaited up to here: what a chat delivers together is stored in its order.
    if (command !== undefined && message.sender.isPerson && isPressing(command, origin, access)) {
      await obey(command, origin);
      return {};
    }
    // People who only talk with others in a thread that we follow have not called us.
    if (access.type === 'turn-away') return said.addressed ? { notice: strangers.turnAway(origin) } : {};
    await take(message, command, origin, access);
    return {};
  }

  async function take(
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
    return answer !== false && (await answer) ? undefined : hear(message, origin);
  }

  /** Whether it was the answer to what the model has asked this person here. Where nothing is asked, known at once. */
  function answers(
    { text, sender, shared, attachments = [] }: InboundMessage,
    origin: Origin,
  ): Promise<boolean> | false {
    return sender.isPerson && shared === undefined && attachments.length === 0 && approvals.hear(origin, text);
  }

  /** Stores what the model is to read. */
  async function hear(message: InboundMessage, origin: Origin): Promise<void> {
    const sorted = sort(message);
    if (sorted.type === 'empty') return;
    if (sorted.type === 'decline') return decline(message, origin, sorted.words);

    const visible = (): void => {
      seen(origin, message.messageId);
      supersede(origin.conversationId, origin.principal, { type: 'said' });
      crashPoint('message-stored');
      if (message.isPiece === true) wakeWhenWhole(origin.conversationId);
      else wake([origin.conversationId]);
    };
    const draft = {
      origin,
      text: message.text,
      isPerson: message.sender.isPerson,
      messageId: message.messageId,
      quote: message.quote,
      shared: message.shared,
      attachments: sorted.attachments,
      untrusted: untrustedIn(message, policy.isOwner(origin.principal)),
      isTrusted: policy.isOwner.bind(policy),
      notice: sorted.words === undefined ? undefined : noticeFor(message, sorted.words),
      sentAt: message.sentAt,
      at: clock.now(),
    };
    const accepted = await inbox.accept(draft, visible);
    if (accepted === 'repeated') crashPoint('message-stored');
    if (!message.sender.isPerson) strangers.noteProgram(origin, accepted !== 'unheard');
    if (sorted.words !== undefined) deliver([origin.conversationId]);
  }

  /** The sender is told once, however often the platform delivers it. */
  async function decline(message: InboundMessage, origin: Origin, words: string): Promise<void> {
    // A program would answer the answer.
    if (!message.sender.isPerson) return ignore(message, origin, words);
    if (await inbox.decline(origin, noticeFor(message, words), clock.now())) deliver([origin.conversationId]);
  }

  /** A command never queues: the run ahead of it may be waiting for just this command. */
  async function onCommand(command: Command, message: InboundMessage, origin: Origin): Promise<void> {
    if (!message.sender.isPerson) return ignore(message, origin, 'a program gives no commands');
    return policy.mayCommand(command, message) ? commands.obey(command, origin) : strangers.refuseCommand(origin);
  }

  /**
   * Whether it is obeyed no matter who may talk or command here: an approver need not be one of them, wherever they read the card;
   * a stranger may show that they have another account; and while nobody owns this Keyturn, everybody who is
   * not ignored may claim it.
   */
  function isPressing(command: Command, { principal }: Origin, access: Access): boolean {
    if (commands.isDecision(command)) return approvals.isApprover(principal);
    if (access.type === 'refuse' && commands.isJoining(command)) return true;
    const isHeard = access.type === 'welcome' || access.type === 'refuse';
    return isHeard && commands.isClaim(command) && !policy.isOwner(principal);
  }

  function obey(command: Command, origin: Origin): Promise<void> {
    if (commands.isClaim(command)) return claims.follow(origin.principal, commands.claim(command, origin));
    if (commands.isJoining(command)) return claims.follow(origin.principal, commands.admit(command, origin));
    return commands.obey(command, origin);
  }

  function ignore(
    { addressed }: InboundMessage,
    { principal, conversationId: conversation }: Origin,
    reason: string,
  ): void {
    log[addressed && policy.isOwner(principal) ? 'info' : 'debug']({ conversation, reason }, 'a message was ignored');
  }

  /** Wakes the conversation when a message that comes in pieces, as an album does, seems to be whole. */
  function wakeWhenWhole(conversationId: string): void {
    pieces.get(conversationId)?.();
    const cancel = clock.after(settles, () => {
      pieces.delete(conversationId);
      wake([conversationId]);
    });
    pieces.set(conversationId, cancel);
  }

  return {
    receive,
    /** Resolves once it is stored that the chat goes on under another id. */
    moved,
    idOf,
  };
}

/** Where content of a message comes from that its sender did not write, or that an owner did not send. */
function untrustedIn(
  { quote, shared = [], attachments = [], sender }: Pick<InboundMessage, 'quote' | 'shared' | 'attachments' | 'sender'>,
  isOwner: boolean,
): readonly string[] {
  const words = [...(quote === undefined ? [] : [quote]), ...shared].filter(({ isOwn }) => !isOwn);
  const files = attachments.filter(({ isShared }) => isShared === true || !isOwner);
  return [
    ...words.map(({ name }) => (name === '' ? 'words of somebody else' : `words of ${name}`)),
    ...(files.length === 0 ? [] : [`a file that ${sender.name} sent`]),
  ];
}

/** After a piece, the next one may still come for so long, in milliseconds. */
const settles = 1_000;

/** Claims of ownership that are being decided, by person. */
class ClaimsUnderWay {
  readonly #claims = new Map<string, Promise<void>>();

  /** Resolves once a claim of the person's is decided, of which there may be another one then; undefined if there is none. */
  of(principal: string): Promise<void> | undefined {
    return this.#claims.get(principal);
  }

  /** Resolves or rejects as the claim does. */
  async follow(principal: string, claim: Promise<void>): Promise<void> {
    // Those who wait for it only need to know that it is over; its failure is told to the caller that delivered it.
    const over = claim.catch(() => {});
    this.#claims.set(principal, over);
    await over;
    this.#claims.delete(principal);
    await claim;
  }
}

/** Who did what comes in, and where: in the conversation that has this name here. */
function originOf(event: InboundEvent, conversationId: string): Origin {
  const { conversation, sender } = event;
  return {
    // A channel's keys are its own: another one may use the same.
    key: `${conversation.channel}:${event.key}`,
    conversation,
    conversationId,
    principal: principalOf(conversation.channel, sender.id),
    name: sender.name,
    roles: sender.roles,
    pressed: event.type === 'action' ? event.messageRef : undefined,
    privateTo: event.type === 'message' ? event.privateTo : undefined,
  };
}

export type SortedMessage =
  /** Nothing was sent that could be read. */
  | { readonly type: 'empty' }
  /** The words are for the sender, at once. */
  | { readonly type: 'take'; readonly attachments: readonly AttachmentDraft[]; readonly words?: string }
  /** Nothing can be done with any of it. */
  | { readonly type: 'decline'; readonly words: string };
