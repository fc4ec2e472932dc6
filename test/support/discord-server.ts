import type { APIUser } from 'discord.js';
import type { Person } from './discord/bot-user.ts';
import type { ApiCall } from './discord/call-log.ts';
import type { RegisteredCommand } from './discord/commands.ts';
import { describeState } from './discord/describe.ts';
import { type DiscordOptions, type DiscordParts, makeParts } from './discord/discord-parts.ts';
import type { FaultKind, FaultRule, ReleasableFault } from './discord/faults.ts';
import type { Gateway } from './discord/gateway.ts';
import type { CommandOptions, OpenedInteraction, PressOptions } from './discord/interacting-people.ts';
import type { InteractionAnswer, ShownInteraction } from './discord/interactions.ts';
import type { MessageEvent } from './discord/message-wire.ts';
import type { People, SayOptions } from './discord/people.ts';
import type { Channel } from './discord/places.ts';
import type { Scenery } from './discord/scenery.ts';
import { type ShownMessage, showMessage } from './discord/shown-message.ts';
import { isWanted, type WantedMessage } from './discord/wanted-message.ts';
import type { Wire } from './discord/wire.ts';
import type { Found, WaitOptions } from './wait-for.ts';

/** A press of a button, a command or a form, and what the bot says to it. */
export interface Interaction {
  readonly id: string;
  /** What the event carries. */
  readonly event: Wire;
  /** Waits, from when it is first asked for, until the bot answers for the first time. */
  readonly answered: Promise<InteractionAnswer>;
}

/**
 * A Discord of our own, as strict as the real one, with the people at the other end: the HTTP side, the gateway, and
 * the addresses of files. It listens on this machine only; each test starts its own.
 */
export class DiscordServer {
  /** What the channel takes as `api_url`. */
  readonly apiUrl: string;
  readonly bot: APIUser;
  /** What people do beside saying, editing and pressing. */
  readonly people: People;
  /** Guilds, channels, roles and permissions. */
  readonly scenery: Scenery;
  /** The WebSocket side, and what can go wrong with it. */
  readonly gateway: Gateway;
  readonly #parts: DiscordParts;

  private constructor(parts: DiscordParts, port: number) {
    this.apiUrl = `http://127.0.0.1:${port}/api`;
    this.bot = parts.account.user;
    this.people = parts.people;
    this.scenery = parts.scenery;
    this.gateway = parts.gateway;
    this.#parts = parts;
    parts.gateway.origin = `ws://127.0.0.1:${port}`;
    parts.attachments.origin = `http://127.0.0.1:${port}`;
  }

  static async start(options: DiscordOptions = {}): Promise<DiscordServer> {
    const parts = makeParts(options);
    return new DiscordServer(parts, await parts.door.server.open());
  }

  async close(): Promise<void> {
    const { door } = this.#parts;
    await door.close();
    const { mistakes } = door.server;
    if (mistakes.length > 0) throw new AggregateError(mistakes, 'The fake Discord is wrong.');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What the bot is given at first; nothing says whether it still holds. */
  get token(): string {
    return this.#parts.token;
  }

  /** The application: its flags can be changed, as its owner does it. */
  get application() {
    return this.#parts.application;
  }

  /** The limits of the HTTP side, which can be changed, and how many invalid requests count towards the ban. */
  get limits() {
    return this.#parts.limits;
  }

  /** How often Discord has taken the token away. */
  get tokenResets(): number {
    return this.#parts.account.resets;
  }

  /** The token holds no more, and who came with it is sent away. */
  revokeToken(): void {
    this.#parts.account.resetToken();
    this.gateway.closeWith(4004, 'Authentication failed.');
  }

  /** The token that it began with holds again. */
  restoreToken(): void {
    this.#parts.account.restoreToken();
  }

  /** How often a message of more than an hour may be changed. */
  set mostLateEdits(count: number) {
    this.#parts.botMessages.mostLateEdits = count;
  }

  /** What stands in the channel, thread or direct chat now, the oldest first. */
  chat(channelId: string): readonly ShownMessage[] {
    return this.#parts.messages.in(channelId).map(showMessage);
  }

  /** The channel, thread or direct chat itself. Throws if there is none. */
  channel(channelId: string): Channel {
    return this.#parts.places.get(channelId);
  }

  threadsIn(channelId: string): readonly Channel[] {
    return this.#parts.places.threadsIn(channelId);
  }

  /** The id of the chat that the person and the bot have alone. */
  direct(person: Person): string {
    return this.#parts.directChats.open(person).id;
  }

  /** The commands for everybody, or those of a guild. */
  commands(guildId?: string): readonly RegisteredCommand[] {
    return this.#parts.commands.list(guildId);
  }

  /** How often a list of commands was written. */
  get commandWrites(): number {
    return this.#parts.commands.writes;
  }

  say(channelId: string, text: string, options: SayOptions = {}): MessageEvent {
    return this.people.say(channelId, text, options);
  }

  /** Changes what a person said. */
  edit(channelId: string, messageId: string, text: string): MessageEvent {
    return this.people.edit(channelId, messageId, text);
  }

  /** Presses a button of a message, by its custom id or its label. Throws if it is not there, unless it is forged. */
  press(channelId: string, messageId: string, idOrLabel: string, options: PressOptions = {}): Interaction {
    const opened = this.#parts.interactingPeople.press(channelId, messageId, idOrLabel, options);
    return this.#follow(opened, `the press of "${idOrLabel}"`);
  }

  /** Uses a slash command. Throws if nobody has registered it, unless it is forged. */
  command(channelId: string, name: string, options: CommandOptions = {}): Interaction {
    return this.#follow(this.#parts.interactingPeople.command(channelId, name, options), `the command "${name}"`);
  }

  /** Sends the form that answered an interaction, by the custom ids of its fields. */
  submit(interactionId: string, values: Readonly<Record<string, string>>): Interaction {
    return this.#follow(this.#parts.interactingPeople.submit(interactionId, values), 'the form');
  }

  /** A press, a command or a form as its person sees it now. */
  interaction(id: string): ShownInteraction {
    return this.#parts.interactions.shown(id);
  }

  /** All of them, the oldest first. */
  get interactions(): readonly ShownInteraction[] {
    return this.#parts.interactions.ids.map((id) => this.interaction(id));
  }

  /** Tells every session anything, whether or not Discord would. */
  dispatch(event: string, data: unknown): void {
    this.gateway.dispatch(event, data);
  }

  /** Waits until the bot shows such a message in the channel: a text that it contains, a pattern, or a condition. */
  waitForMessage(channelId: string, wanted: WantedMessage, timeoutMs?: number): Promise<ShownMessage> {
    const what = typeof wanted === 'function' ? 'a message of the bot' : `a message of the bot with ${wanted}`;
    return this.waitFor(
      () => this.chat(channelId).findLast((message) => message.from === 'bot' && isWanted(message, wanted)),
      { what: `${what} in the channel ${channelId}`, ...(timeoutMs !== undefined && { timeoutMs }) },
    );
  }

  /** Waits until the gateway has a session with a connection. */
  async waitUntilReady(timeoutMs?: number): Promise<void> {
    const options = { what: 'a session', ...(timeoutMs !== undefined && { timeoutMs }) };
    await this.waitFor(() => this.gateway.isReady, options);
  }

  /** Looks again after every request, every message on the gateway, and everything that a person does. */
  waitFor<T>(look: () => T, options: WaitOptions = {}): Promise<Found<T>> {
    return this.#parts.changes.waitFor(look, { describe: () => describeState(this.#parts), ...options });
  }

  get calls(): readonly ApiCall[] {
    return this.#parts.calls.all;
  }

  /** Those that match `*`, or a method and a path such as `POST /channels/:channel/messages`. */
  callsOf(route: string): readonly ApiCall[] {
    return this.#parts.calls.of(route);
  }

  /** How many connections the bot has made so far, of HTTP and of the gateway together. */
  get connections(): number {
    return this.#parts.door.server.connections;
  }

  /** Makes requests go wrong. The rules are tried in the order in which they came. */
  fault(rule: FaultRule): ReleasableFault {
    return this.#parts.faults.add(rule);
  }

  clearFaults(): void {
    this.#parts.faults.clear();
  }

  /** How many requests went wrong in that way. */
  faultsFired(kind: FaultKind): number {
    return this.#parts.faults.fired(kind);
  }

  /** Resets every connection, old and new, until it is over. */
  outage(on: boolean): void {
    this.#parts.door.server.outage(on);
  }

  /** Forgets what stands in the channels, what was uploaded, pressed and asked for. */
  forget(): void {
    const { messages, attachments, interactions, calls, botMessages } = this.#parts;
    for (const part of [messages, attachments, interactions, calls, botMessages, this.gateway]) part.forget();
  }

  #follow({ id, event }: OpenedInteraction, what: string): Interaction {
    const answer = (): Promise<InteractionAnswer> =>
      this.waitFor(() => this.interaction(id).answer, { what: `an answer to ${what}` });
    let answered: Promise<InteractionAnswer> | undefined;
    this.#parts.changes.notify();
    return {
      id,
      event,
      get answered() {
        answered ??= answer();
        return answered;
      },
    };
  }
}
