import { type BotMessages, createBotMessages } from './discord/bot-messages.ts';
import type { Gateway } from './discord/gateway.ts';
import {
  type ApiCall,
  createHttpDoor,
  describeCall,
  type FaultKind,
  type FaultRule,
  type ReleasableFault,
} from './discord/http-door.ts';
import {
  type CommandOptions,
  createInteractions,
  type InteractionAnswer,
  type Interactions,
  type PressOptions,
  type ShownInteraction,
} from './discord/interactions.ts';
import { createPeople, createScenery, type DiscordPeople, type SayOptions, type Scenery } from './discord/people.ts';
import type { Person, User } from './discord/places.ts';
import type { Wire } from './discord/refusal.ts';
import { routeTable } from './discord/routes.ts';
import {
  describeMessage,
  isWanted,
  type ShownMessage,
  showMessage,
  type WantedMessage,
} from './discord/shown-message.ts';
import {
  type Application,
  type DiscordOptions,
  DiscordWorld,
  type MessageEvent,
  type RegisteredCommand,
} from './discord/world.ts';
import type { Found, WaitOptions } from './wait-for.ts';

export type { DiscordOptions };

/** A press of a button, a command or a form, and what the bot says to it. */
export interface Interaction {
  readonly id: string;
  /** What the event carries. */
  readonly event: Wire;
  /** Waits, from when it is first asked for, until the bot answers for the first time. */
  readonly answered: Promise<InteractionAnswer>;
}

const callsToTell = 12;

/**
 * A Discord of our own, as strict as the real one, with the people at the other end: the HTTP side, the gateway, and
 * the addresses of files. It listens on this machine only; each test starts its own.
 */
export class DiscordServer {
  readonly bot: User;
  /** What the bot is given at first; nothing says whether it still holds. */
  readonly token: string;
  /** Its flags can be changed, as its owner does it. */
  readonly application: Application;
  /** What people do beside saying, editing and pressing. */
  readonly people: DiscordPeople;
  /** Guilds, channels, roles and permissions. */
  readonly scenery: Scenery;
  /** The WebSocket side, and what can go wrong with it. */
  readonly gateway: Gateway;
  readonly #world: DiscordWorld;
  readonly #botMessages: BotMessages;
  readonly #interactions: Interactions;
  readonly #door: ReturnType<typeof createHttpDoor>;

  private constructor(world: DiscordWorld) {
    this.#world = world;
    this.bot = world.account.user;
    this.token = world.account.first;
    this.application = world.application;
    this.people = createPeople(world);
    this.scenery = createScenery(world);
    this.gateway = world.gateway;
    this.#botMessages = createBotMessages(world);
    this.#interactions = createInteractions(world, this.#botMessages);
    this.#door = createHttpDoor(world, routeTable(world, this.#botMessages, this.#interactions));
  }

  static async start(options: DiscordOptions = {}): Promise<DiscordServer> {
    const world = new DiscordWorld(options);
    const server = new DiscordServer(world);
    const place = `127.0.0.1:${await server.#door.server.open()}`;
    world.gateway.origin = `ws://${place}`;
    world.attachments.origin = `http://${place}`;
    return server;
  }

  async close(): Promise<void> {
    await this.#door.close();
    const { mistakes } = this.#door.server;
    if (mistakes.length > 0) throw new AggregateError(mistakes, 'The fake Discord is wrong.');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What the channel takes as `api_url`. */
  get apiUrl(): string {
    return `${this.#world.attachments.origin}/api`;
  }

  /** How often Discord has taken the token away. */
  get tokenResets(): number {
    return this.#world.account.resets;
  }

  /** The token holds no more, and who came with it is sent away. */
  revokeToken(): void {
    this.#world.account.reset();
    this.gateway.closeWith(4004, 'Authentication failed.');
  }

  /** The token that it began with holds again. */
  restoreToken(): void {
    this.#world.account.token = this.token;
  }

  /** How often a message of more than an hour may be changed. */
  set mostLateEdits(count: number) {
    this.#world.mostLateEdits = count;
  }

  /** What stands in the channel, thread or direct chat now, the oldest first. */
  chat(channelId: string): readonly ShownMessage[] {
    return this.#world.messages.in(channelId).map(showMessage);
  }

  /** The id of the chat that the person and the bot have alone. */
  direct(person: Person): string {
    return this.#world.places.direct(person).id;
  }

  commands(): readonly RegisteredCommand[] {
    return this.#world.commands;
  }

  /** How often a list of commands was written. */
  get commandWrites(): number {
    return this.#world.commandWrites;
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
    return this.#follow(this.#interactions.press(channelId, messageId, idOrLabel, options));
  }

  /** Uses a slash command. Throws if nobody has registered it, unless it is forged. */
  command(channelId: string, name: string, options: CommandOptions = {}): Interaction {
    return this.#follow(this.#interactions.command(channelId, name, options));
  }

  /** Sends the form that answered an interaction, by the custom ids of its fields. */
  submit(interactionId: string, values: Readonly<Record<string, string>>): Interaction {
    return this.#follow(this.#interactions.submit(interactionId, values));
  }

  /** A press, a command or a form as its person sees it now. */
  interaction(id: string): ShownInteraction {
    return this.#interactions.shown(id);
  }

  /** Tells every session anything, whether or not Discord would. */
  dispatch(event: string, data: unknown): void {
    this.gateway.publish(event, 0, data);
  }

  /** Waits until the bot shows such a message in the channel. */
  waitForMessage(channelId: string, wanted: WantedMessage, timeoutMs?: number): Promise<ShownMessage> {
    const look = () => this.chat(channelId).findLast((message) => message.from === 'bot' && isWanted(message, wanted));
    const what = `a message of the bot with ${wanted} in the channel ${channelId}`;
    return this.waitFor(look, { what, ...(timeoutMs !== undefined && { timeoutMs }) });
  }

  /** Waits until the gateway has a session with a connection. */
  async waitUntilReady(): Promise<void> {
    await this.waitFor(() => this.gateway.isReady, { what: 'a session' });
  }

  /** Looks again after every request, every message on the gateway, and everything that a person does. */
  waitFor<T>(look: () => T, options: WaitOptions = {}): Promise<Found<T>> {
    return this.#world.changes.waitFor(look, { describe: () => this.#describe(), ...options });
  }

  get calls(): readonly ApiCall[] {
    return this.#door.calls.all;
  }

  /** Those that match `*`, or a method and a path such as `POST /channels/:channel/messages`. */
  callsOf(route: string): readonly ApiCall[] {
    return this.#door.calls.of(route);
  }

  /** Makes requests go wrong. The rules are tried in the order in which they came. */
  fault(rule: FaultRule): ReleasableFault {
    return this.#door.fault(rule);
  }

  clearFaults(): void {
    this.#door.rules.clear();
  }

  /** How many requests went wrong in that way. */
  faultsFired(kind: FaultKind): number {
    return this.#door.rules.fired(kind);
  }

  /** Resets every connection, old and new, until it is over. */
  outage(on: boolean): void {
    this.#door.server.outage(on);
  }

  /** Forgets what stands in the channels, what was uploaded, pressed and asked for. */
  forget(): void {
    const { messages, attachments } = this.#world;
    const parts = [messages, attachments, this.#interactions, this.#door.calls, this.#botMessages, this.gateway];
    for (const part of parts) part.forget();
  }

  #follow({ id, event }: Pick<Interaction, 'id' | 'event'>): Interaction {
    const answer = (): Promise<InteractionAnswer> =>
      this.waitFor(() => this.interaction(id).answer, { what: 'an answer to an interaction' });
    let answered: Promise<InteractionAnswer> | undefined;
    return {
      id,
      event,
      get answered() {
        answered ??= answer();
        return answered;
      },
    };
  }

  #describe(): string {
    const { places } = this.#world;
    const { mistakes } = this.#door.server;
    return [
      ...places.channels.flatMap(({ id, name }) => [`${name} ${id}:`, ...this.chat(id).map(describeMessage)]),
      `${this.gateway.openConnections} connections to the gateway, ready: ${this.gateway.isReady}`,
      ...['Last calls:', ...this.calls.slice(-callsToTell).map(describeCall)],
      ...mistakes.map((mistake) => `The fake itself failed: ${mistake}`),
    ].join('\n');
  }
}
