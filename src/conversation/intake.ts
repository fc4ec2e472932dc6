import type { Origin } from '../approval/approval.ts';
import type { ApprovalBroker } from '../approval/broker.ts';
import type { Questions } from '../approval/questions.ts';
import {
  type Conversation,
  conversationId,
  type InboundDeletion,
  type InboundEdit,
  type InboundEvent,
  type InboundMessage,
  type Receipt,
} from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import type { Log } from '../lib/log.ts';
import type { Access } from './access/access.ts';
import type { ChatMoves } from './access/chat-moves.ts';
import { ClaimsUnderWay } from './access/claims-under-way.ts';
import type { Doorkeeper } from './access/doorkeeper.ts';
import type { HouseRules } from './access/house-rules.ts';
import { type AttachmentRules, sortMessage } from './attachments/sort-attachments.ts';
import { type Command, parseCommand } from './command.ts';
import type { Commands } from './commands/commands.ts';
import type { InboxStore } from './inbox.ts';
import { noticeFor } from './notice.ts';
import { originOf } from './origin-of.ts';
import { Pieces } from './pieces.ts';
import { Presses } from './presses.ts';

export interface IntakeDependencies {
  readonly inbox: InboxStore;
  readonly broker: ApprovalBroker;
  readonly questions: Questions;
  readonly commands: Commands;
  readonly rules: HouseRules;
  readonly door: Doorkeeper;
  readonly moves: ChatMoves;
  readonly attachmentRules: AttachmentRules;
  readonly clock: Clock;
  readonly log: Log;
  readonly crashPoint: CrashPoints;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** Told after something was stored that lets these conversations go on. */
  readonly wake: (conversationIds: readonly string[]) => void;
  /** Told that a message was stored, with the platform's name of it. */
  readonly seen: (origin: Origin, messageId: string | undefined) => void;
  /** Told that a person has said more: what is being written to him and does not show yet may be begun anew. */
  readonly supersede: (conversationId: string, principal: string) => void;
}

/** Takes in what the channels bring: decides who may talk, obeys commands and presses at once, stores messages. */
export class Intake {
  readonly #dependencies: IntakeDependencies;
  readonly #claims = new ClaimsUnderWay();
  readonly #pieces: Pieces;
  readonly #presses: Presses;

  constructor(dependencies: IntakeDependencies) {
    this.#dependencies = dependencies;
    this.#pieces = new Pieces(dependencies);
    this.#presses = new Presses(dependencies);
  }

  /** Resolves once the event is stored, or has been found to need no storing. Never waits for an answer. */
  async receive(event: InboundEvent): Promise<Receipt> {
    const origin = originOf(event, this.idOf(event.conversation));
    // What somebody writes behind a claim or a link is judged when it is known who he is.
    const { principal } = origin;
    for (let claim = this.#claims.of(principal); claim !== undefined; claim = this.#claims.of(principal)) await claim;
    switch (event.type) {
      case 'action':
        return this.#presses.obey(event, origin);
      case 'message':
        return this.#message(event, origin);
      case 'edit':
        await this.#edit(event, origin);
        return {};
      case 'deletion':
        await this.#withdraw(event, origin);
        return {};
    }
  }

  /** Resolves once it is stored that the chat goes on under another id. */
  async moved(from: Conversation, chatId: string): Promise<void> {
    await this.#dependencies.moves.moved(from, this.idOf(from), chatId);
  }

  /** Only what its sender was allowed to say is there to be changed; and he must still be one who may talk. */
  async #edit(edit: InboundEdit, origin: Origin): Promise<void> {
    const { inbox, rules, clock, wake, supersede } = this.#dependencies;
    if (rules.accessOf(edit).type !== 'welcome') return;
    const messageKey = `${edit.conversation.channel}:${edit.messageKey}`;
    const edited = await inbox.edit({ origin, messageKey, text: edit.text, at: clock.now() });
    if (edited !== 'replaced') return;
    supersede(origin.conversationId, origin.principal);
    wake([origin.conversationId]);
  }

  /** Whoever may not talk any more may still take back what he said. */
  async #withdraw({ messageKey, conversation }: InboundDeletion, origin: Origin): Promise<void> {
    const { inbox, clock, wake, supersede } = this.#dependencies;
    const key = `${conversation.channel}:${messageKey}`;
    if ((await inbox.withdraw({ origin, messageKey: key, at: clock.now() })) !== 'removed') return;
    supersede(origin.conversationId, origin.principal);
    wake([origin.conversationId]);
  }

  /** In a thread that we have taken part in, whatever a person says may be meant for us. */
  #heeded(message: InboundMessage, { conversationId }: Origin): InboundMessage {
    const { inbox, rules } = this.#dependencies;
    if (message.addressed || message.isThreadReply !== true || !message.sender.isPerson) return message;
    const isFollowed = rules.followsThreads(message.conversation) && inbox.placeOf(conversationId) !== undefined;
    return isFollowed ? { ...message, addressed: true } : message;
  }

  async #message(said: InboundMessage, origin: Origin): Promise<Receipt> {
    const message = this.#heeded(said, origin);
    const command = message.addressed ? parseCommand(message.text) : undefined;
    const access = this.#dependencies.rules.accessOf(message);
    // Nothing is awaited up to here: what a chat delivers together is stored in its order.
    if (command !== undefined && message.sender.isPerson && this.#isPressing(command, origin, access)) {
      await this.#obey(command, origin);
      return {};
    }
    // Who only talks with others in a thread that we follow has not called us.
    if (access.type === 'turn-away') return said.addressed ? receiptWith(this.#dependencies.door.turnAway(origin)) : {};
    await this.#take(message, command, origin, access);
    return {};
  }

  async #take(
    message: InboundMessage,
    command: Command | undefined,
    origin: Origin,
    access: Exclude<Access, { type: 'turn-away' }>,
  ): Promise<void> {
    const { door } = this.#dependencies;
    switch (access.type) {
      case 'ignore':
        return this.#ignore(message, origin, access.reason);
      case 'unknown-group':
        return door.explainGroup(origin);
      case 'refuse':
        return door.refuse(origin);
      case 'welcome':
        break;
    }
    if (command !== undefined) return this.#command(command, message, origin);
    const answer = this.#answers(message, origin);
    return answer !== false && (await answer) ? undefined : this.#hear(message, origin);
  }

  /** Whether it was the answer to what the model has asked this person here. Where nothing is asked, known at once. */
  #answers({ text, sender, attachments = [] }: InboundMessage, origin: Origin): Promise<boolean> | false {
    return sender.isPerson && attachments.length === 0 && this.#dependencies.questions.hear(origin, text);
  }

  /** Stores what the model is to read. */
  async #hear(message: InboundMessage, origin: Origin): Promise<void> {
    const { inbox, door, clock, wake, supersede, crashPoint } = this.#dependencies;
    const sorted = sortMessage(message, this.#dependencies.attachmentRules);
    if (sorted.type === 'empty') return;
    if (sorted.type === 'decline') return this.#decline(message, origin, sorted.words);

    const visible = (): void => {
      this.#dependencies.seen(origin, message.messageId);
      supersede(origin.conversationId, origin.principal);
      crashPoint('message-stored');
      if (message.isPiece === true) this.#pieces.came(origin.conversationId);
      else wake([origin.conversationId]);
    };
    const draft = {
      origin,
      text: message.text,
      isPerson: message.sender.isPerson,
      ...(message.messageId === undefined ? {} : { messageId: message.messageId }),
      ...(message.quote === undefined ? {} : { quote: message.quote }),
      attachments: sorted.attachments,
      ...(sorted.words === undefined ? {} : { notice: noticeFor(message, sorted.words) }),
      sentAt: message.sentAt,
      at: clock.now(),
    };
    const accepted = await inbox.accept(draft, visible);
    if (accepted === 'repeated') crashPoint('message-stored');
    if (!message.sender.isPerson) door.noteProgram(origin, accepted !== 'unheard');
    if (sorted.words !== undefined) this.#dependencies.deliver([origin.conversationId]);
  }

  /** The sender is told once, however often the platform delivers it. */
  async #decline(message: InboundMessage, origin: Origin, words: string): Promise<void> {
    // A program would answer the answer.
    if (!message.sender.isPerson) return this.#ignore(message, origin, words);
    const { inbox, clock, deliver } = this.#dependencies;
    if (await inbox.decline(origin, noticeFor(message, words), clock.now())) deliver([origin.conversationId]);
  }

  /** The name of a conversation: the same as ever for a chat that was given another id. */
  idOf(conversation: Conversation): string {
    const id = conversationId(conversation);
    return this.#dependencies.inbox.formerly(id) ?? id;
  }

  /** A command never queues: the run ahead of it may be waiting for just this command. */
  async #command(command: Command, message: InboundMessage, origin: Origin): Promise<void> {
    const { commands, rules, door } = this.#dependencies;
    if (!message.sender.isPerson) return this.#ignore(message, origin, 'a program gives no commands');
    return rules.mayCommand(command, message) ? commands.obey(command, origin) : door.refuseCommand(origin);
  }

  /**
   * Whether it is obeyed whoever may talk or command here: who decides need not be one of them, wherever he reads the card;
   * whoever may not talk yet may show that he has another account; and while nobody owns this Keyturn, everybody who is
   * not ignored may claim it.
   */
  #isPressing(command: Command, { principal }: Origin, access: Access): boolean {
    const { commands, broker, rules } = this.#dependencies;
    if (commands.isDecision(command)) return broker.isApprover(principal);
    if (access.type === 'refuse' && commands.isJoining(command)) return true;
    const isHeard = access.type === 'welcome' || access.type === 'refuse';
    return isHeard && commands.isClaim(command) && !rules.isOwner(principal);
  }

  #obey(command: Command, origin: Origin): Promise<void> {
    const { commands } = this.#dependencies;
    const { principal } = origin;
    if (commands.isClaim(command)) return this.#claims.follow(principal, commands.claim(command, origin));
    if (commands.isJoining(command)) return this.#claims.follow(principal, commands.admit(command, origin));
    return commands.obey(command, origin);
  }

  #ignore({ addressed }: InboundMessage, { principal, conversationId: conversation }: Origin, reason: string): void {
    const { rules, log } = this.#dependencies;
    log[addressed && rules.isOwner(principal) ? 'info' : 'debug']({ conversation, reason }, 'a message was ignored');
  }
}

function receiptWith(notice: string | undefined): Receipt {
  return notice === undefined ? {} : { notice };
}
