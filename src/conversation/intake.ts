import type { Origin } from '../approval/approval.ts';
import type { ApprovalBroker } from '../approval/broker.ts';
import { parseAction } from '../approval/card.ts';
import {
  type Conversation,
  conversationId,
  type InboundAction,
  type InboundEdit,
  type InboundEvent,
  type InboundMessage,
  principalOf,
  type Receipt,
} from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { type AccessRules, accessOf } from './access.ts';
import { type Command, parseCommand } from './command.ts';
import type { Commands } from './commands.ts';
import type { InboxStore } from './inbox.ts';

export interface IntakeDependencies {
  readonly inbox: InboxStore;
  readonly broker: ApprovalBroker;
  readonly commands: Commands;
  readonly accessRules: (channel: string) => AccessRules;
  readonly isOwner: (principal: string) => boolean;
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

/** A stranger is told once an hour that he may not talk. */
const refuseAgainAfter = 3_600_000;

/** Takes in what the channels bring: decides who may talk, obeys commands and presses at once, stores messages. */
export class Intake {
  readonly #dependencies: IntakeDependencies;
  /** Claims on their way, by person. */
  readonly #claims = new Map<string, Promise<void>>();

  constructor(dependencies: IntakeDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves once the event is stored, or has been found to need no storing. Never waits for an answer. */
  async receive(event: InboundEvent): Promise<Receipt> {
    const origin = this.#originOf(event);
    // What somebody writes behind a claim is judged when it is known whether he is the owner.
    for (let claim = this.#claimOf(origin); claim !== undefined; claim = this.#claimOf(origin)) await claim;
    switch (event.type) {
      case 'action':
        return this.#press(event, origin);
      case 'message':
        await this.#message(event, origin);
        return {};
      case 'edit':
        await this.#edit(event, origin);
        return {};
    }
  }

  /** Resolves once it is stored that the chat goes on under another id. */
  async moved(from: Conversation, chatId: string): Promise<void> {
    const { inbox, log } = this.#dependencies;
    const id = this.idOf(from);
    await inbox.move(id, chatId);
    log.info({ conversation: id, chatId }, 'a chat has another id now');
  }

  /** Who may edit need not be asked again: only what he was allowed to say is there to be changed, and only by him. */
  async #edit(edit: InboundEdit, origin: Origin): Promise<void> {
    const { inbox, clock, wake, supersede } = this.#dependencies;
    const messageKey = `${edit.conversation.channel}:${edit.messageKey}`;
    const edited = await inbox.edit({ origin, messageKey, text: edit.text, at: clock.now() });
    if (edited !== 'replaced') return;
    supersede(origin.conversationId, origin.principal);
    wake([origin.conversationId]);
  }

  async #press(action: InboundAction, origin: Origin): Promise<Receipt> {
    if (!action.sender.isPerson) return { notice: 'Only a person can decide that.' };
    const pressed = parseAction(action.actionId);
    if (pressed === undefined) return { notice: 'This button no longer does anything.' };
    const notice = await this.#dependencies.broker.decide(origin, pressed.id, pressed.choice);
    this.#dependencies.crashPoint('decision-stored');
    return notice === undefined ? {} : { notice };
  }

  async #message(message: InboundMessage, origin: Origin): Promise<void> {
    const { inbox, commands, isOwner, clock, wake, supersede, crashPoint } = this.#dependencies;
    const command = message.addressed ? parseCommand(message.text) : undefined;
    const access = accessOf(message, this.#dependencies.accessRules(message.conversation.channel), isOwner);
    const isDecision = message.sender.isPerson && this.#isDecision(command, origin);
    if (access.type === 'ignore' && !isDecision) return this.#ignore(message, origin, access.reason);
    // Who may talk is not yet an owner: he can claim it like everybody else.
    if (command !== undefined && !isOwner(origin.principal) && commands.isClaim(command))
      return this.#claim(command, origin);
    if (access.type === 'refuse' && !isDecision) return this.#refuse(origin);
    // Nothing is awaited up to here: what a chat delivers together is stored in its order.
    // A command never queues: the run ahead of it may be waiting for just this command.
    if (command !== undefined) return commands.obey(command, origin);
    if (message.text.trim() === '') return;

    const visible = (): void => {
      this.#dependencies.seen(origin, message.messageId);
      supersede(origin.conversationId, origin.principal);
      crashPoint('message-stored');
      wake([origin.conversationId]);
    };
    const draft = {
      origin,
      text: message.text,
      isPerson: message.sender.isPerson,
      ...(message.messageId === undefined ? {} : { messageId: message.messageId }),
      ...(message.quote === undefined ? {} : { quote: message.quote }),
      sentAt: message.sentAt,
      at: clock.now(),
    };
    const accepted = await inbox.accept(draft, visible);
    if (accepted !== 'accepted') crashPoint('message-stored');
  }

  #originOf(event: InboundEvent): Origin {
    return {
      // A channel's keys are its own: another one may use the same.
      key: `${event.conversation.channel}:${event.key}`,
      conversation: event.conversation,
      conversationId: this.idOf(event.conversation),
      principal: principalOf(event.conversation.channel, event.sender.id),
      name: event.sender.name,
    };
  }

  /** The name of a conversation: the same as ever for a chat that was given another id. */
  idOf(conversation: Conversation): string {
    const id = conversationId(conversation);
    return this.#dependencies.inbox.formerly(id) ?? id;
  }

  /** Who decides need not be one who may talk, wherever he reads the card. */
  #isDecision(command: Command | undefined, { principal }: Origin): boolean {
    const { commands, broker } = this.#dependencies;
    return command !== undefined && commands.isDecision(command) && broker.isApprover(principal);
  }

  #ignore({ addressed }: InboundMessage, { principal, conversationId: conversation }: Origin, reason: string): void {
    const { isOwner, log } = this.#dependencies;
    log[addressed && isOwner(principal) ? 'info' : 'debug']({ conversation, reason }, 'a message was ignored');
  }

  #claimOf({ principal }: Origin): Promise<void> | undefined {
    return this.#claims.get(principal);
  }

  async #claim(command: Command, origin: Origin): Promise<void> {
    const claim = this.#dependencies.commands.claim(command, origin);
    // Whoever waits for it only wants to know that it is over; its failure is told to whoever delivered it.
    const over = claim.catch(() => {});
    this.#claims.set(origin.principal, over);
    await over;
    this.#claims.delete(origin.principal);
    await claim;
  }

  async #refuse(origin: Origin): Promise<void> {
    const { inbox, clock, log, deliver } = this.#dependencies;
    const words = `I am a private assistant and only talk with people whom my owner has let in. If that should be you: your id here is \`${origin.principal}\`.`;
    const message = { id: newId(20), kind: 'notice' as const, markdown: words };
    if (await inbox.refuse(origin, message, clock.now(), refuseAgainAfter)) {
      log.info({ principal: origin.principal }, 'a stranger was refused');
      deliver([origin.conversationId]);
    }
  }
}
