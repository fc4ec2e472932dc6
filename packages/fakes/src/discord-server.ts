import { contains, type Found, type WaitOptions } from './changes.ts';
import { createBotMessages } from './discord/bot-messages.ts';
import {
  type ApiCall,
  describeCall,
  type FaultKind,
  type FaultRule,
  HttpDoor,
  type ReleasableFault,
} from './discord/http-door.ts';
import { type InteractionAnswer, Interactions, type ShownInteraction } from './discord/interactions.ts';
import { createPeople, createScenery } from './discord/people.ts';
import type { Person } from './discord/places.ts';
import type { Wire } from './discord/refusal.ts';
import { routeTable } from './discord/routes.ts';
import { describeMessage, type ShownMessage, showMessage } from './discord/shown-message.ts';
import { type DiscordOptions, DiscordWorld, type RegisteredCommand } from './discord/world.ts';

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

export type DiscordServer = Awaited<ReturnType<typeof start>>;
export const DiscordServer = { start } as const;

/**
 * A Discord of our own, as strict as the real one, with the people at the other end: the HTTP side, the gateway, and
 * the addresses of files. It listens on this machine only; each test starts its own.
 */
async function start(options: DiscordOptions = {}) {
  const world = new DiscordWorld(options);
  const { account, gateway, places, messages, attachments, changes } = world;
  const botMessages = createBotMessages(world);
  const interactions = new Interactions(world, botMessages);
  const door = new HttpDoor(world, routeTable(world, botMessages, interactions));
  const { server, calls, rules } = door;
  const people = createPeople(world);
  const port = await server.open();
  const host = `127.0.0.1:${port}`;
  const { shownAs } = options;
  attachments.origin = shownAs === undefined ? `http://${host}` : `https://${shownAs}`;
  gateway.origin = attachments.origin.replace(/^http/, 'ws');

  /** What stands in the channel, thread or direct chat now, the oldest first. */
  function chat(channelId: string): readonly ShownMessage[] {
    return messages.in(channelId).map(showMessage);
  }

  /** Looks again after every request, every message on the gateway, and everything that a person does. */
  function waitFor<T>(look: () => T, waiting: WaitOptions = {}): Promise<Found<T>> {
    return changes.waitFor(look, { describe, ...waiting });
  }

  function describe(): string {
    return [
      ...places.channels.flatMap(({ id, name }) => [`${name} ${id}:`, ...chat(id).map(describeMessage)]),
      `${gateway.openConnections} connections to the gateway, ready: ${gateway.isReady}`,
      'Last calls:',
      ...calls.all.slice(-callsToTell).map(describeCall),
      ...server.mistakes.map((mistake) => `The fake itself failed: ${mistake}`),
    ].join('\n');
  }

  function follow({ id, event }: Pick<Interaction, 'id' | 'event'>): Interaction {
    const answer = (): Promise<InteractionAnswer> =>
      waitFor(() => interactions.shown(id).answer, { what: 'an answer to an interaction' });
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

  return {
    bot: account.user,
    /** What the bot is given at first; nothing says whether it still holds. */
    token: account.first,
    /** Its flags can be changed, as its owner does it. */
    application: world.application,
    /** What people do beside pressing. */
    people,
    /** Guilds, channels, roles and permissions. */
    scenery: createScenery(world),
    /** The WebSocket side, and what can go wrong with it. */
    gateway,
    port,
    /** What the channel takes as `api_url`. */
    apiUrl: `${attachments.origin}/api`,
    close: (): Promise<void> => door.close(),
    [Symbol.asyncDispose]: (): Promise<void> => door.close(),
    chat,
    waitFor,
    say: people.say,
    edit: people.edit,

    /** How often Discord has taken the token away. */
    get tokenResets(): number {
      return account.resets;
    },

    /** The token holds no more, and who came with it is sent away. */
    revokeToken(): void {
      account.reset();
      gateway.closeWith(4004, 'Authentication failed.');
    },

    /** The token that it began with holds again. */
    restoreToken(): void {
      account.token = account.first;
    },

    /** How often a message of more than an hour may be changed. */
    set mostLateEdits(count: number) {
      world.mostLateEdits = count;
    },

    /** The id of the chat that the person and the bot have alone. */
    direct: (person: Person): string => places.direct(person).id,
    commands: (): readonly RegisteredCommand[] => world.commands,

    /** How often a list of commands was written. */
    get commandWrites(): number {
      return world.commandWrites;
    },

    /** Presses a button of a message, by its custom id or its label. Throws if it is not there, unless it is forged. */
    press: (...pressed: Parameters<Interactions['press']>): Interaction => follow(interactions.press(...pressed)),
    /** Uses a slash command. Throws if nobody has registered it, unless it is forged. */
    suggest: (...given: Parameters<Interactions['suggest']>): Interaction => follow(interactions.suggest(...given)),
    /** Chooses a command in the menu of a message. Throws if nobody has registered it, unless it is forged. */
    choose: (...given: Parameters<Interactions['choose']>): Interaction => follow(interactions.choose(...given)),
    command: (...given: Parameters<Interactions['command']>): Interaction => follow(interactions.command(...given)),
    /** Sends the form that answered an interaction, by the custom ids of its fields. */
    submit: (...sent: Parameters<Interactions['submit']>): Interaction => follow(interactions.submit(...sent)),
    /** A press, a command or a form as its person sees it now. */
    interaction: (id: string): ShownInteraction => interactions.shown(id),
    /** Tells every session anything, whether or not Discord would. */
    dispatch: (event: string, data: unknown): void => gateway.publish(event, 0, data),

    /** Waits until the bot shows such a message in the channel. */
    waitForMessage(channelId: string, wanted: string | RegExp, timeoutMs?: number): Promise<ShownMessage> {
      const look = () =>
        chat(channelId).findLast((message) => message.from === 'bot' && contains(message.text, wanted));
      const what = `a message of the bot with ${wanted} in the channel ${channelId}`;
      return waitFor(look, { what, ...(timeoutMs !== undefined && { timeoutMs }) });
    },

    /** Waits until the gateway has a session with a connection. */
    async waitUntilReady(): Promise<void> {
      await waitFor(() => gateway.isReady, { what: 'a session' });
    },

    get calls(): readonly ApiCall[] {
      return calls.all;
    },
    /** Those that match `*`, or a method and a path such as `POST /channels/:channel/messages`. */
    callsOf: (route: string): readonly ApiCall[] => calls.of(route),
    /** Makes requests go wrong. The rules are tried in the order in which they came. */
    fault: (rule: FaultRule): ReleasableFault => door.fault(rule),
    clearFaults: (): void => rules.clear(),
    /** How many requests went wrong in that way. */
    faultsFired: (kind: FaultKind): number => rules.fired(kind),
    /** Resets every connection, old and new, until it is over. */
    outage: (on: boolean): void => server.outage(on),

    /** Forgets what stands in the channels, what was uploaded, pressed and asked for. */
    forget(): void {
      for (const part of [messages, attachments, interactions, calls, botMessages, gateway]) part.forget();
    },
  };
}
