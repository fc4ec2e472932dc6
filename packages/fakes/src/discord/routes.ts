import { z } from 'zod';
import type { BotMessages } from './bot-messages.ts';
import type { RouteRequest } from './files.ts';
import type { Interactions } from './interactions.ts';
import type { StoredMessage } from './messages.ts';
import { applicationId, botId, type Channel, type Guild, wireChannel, wireMember } from './places.ts';
import { Refusal, readForm, refusals, type Wire } from './refusal.ts';
import type { DiscordWorld, RegisteredCommand } from './world.ts';

/** Something that Discord can be asked for. */
export interface Route {
  readonly method: string;
  /** Below `/api/v10`, with `:name` for what differs. */
  readonly template: string;
  /** Gives what the answer holds; undefined for 204, without a body. */
  readonly answer: (request: RouteRequest) => unknown;
  /** A token in the path speaks for the bot; nothing limits it with the others. */
  readonly isOpen: boolean;
  /** How many requests in how many milliseconds, before those are scaled. */
  readonly limit: readonly [number, number];
}

/**
 * Whether the request is one of those that the pattern names: `*` for all, or a method and a path such as
 * `POST /channels/:channel/messages`, in which `*` and names with a colon stand for one part of it.
 */
export function matchesRoute(pattern: string, method: string, path: string): boolean {
  const [wantedMethod, wantedPath = ''] = pattern.split(' ');
  return pattern === '*' || (wantedMethod === method && pathParts(wantedPath, path) !== undefined);
}

/** The parts of the path by their names in the template; undefined if it is another path. */
function pathParts(template: string, path: string): Readonly<Record<string, string>> | undefined {
  const [wanted, given] = [template.split('/'), path.split('/')];
  const fits =
    wanted.length === given.length && wanted.every((name, at) => name === given[at] || /^[:*]./.test(`${name}.`));
  if (!fits) return undefined;
  return Object.fromEntries(wanted.map((name, at) => [name.slice(1), given[at] ?? '']));
}

/** The route of a request, and what stands in its path. */
export function findRoute(routes: readonly Route[], method: string, path: string) {
  for (const route of routes) {
    const parts = route.method === method ? pathParts(route.template, path) : undefined;
    if (parts !== undefined) return { route, parts };
  }
  return undefined;
}

const snowflake = z.string().regex(/^\d+$/);
const pageForm = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  after: snowflake.optional(),
});
const threadForm = z.strictObject({ archived: z.boolean() });
const applicationForm = z.strictObject({ flags: z.int() });
/** The only flags that an application can change by itself. */
const limitedFlags = (1 << 13) | (1 << 15) | (1 << 19);
const mostReactions = 20;

const lowerName = z.string().regex(/^[-_\p{Ll}\p{N}]{1,32}$/u);
const description = z.string().min(1).max(100);
const localesForm = z.enum(['zh-CN', 'zh-TW', 'de', 'fr']);
const described = {
  type: z.int(),
  name: lowerName,
  description,
  description_localizations: z.partialRecord(localesForm, description).default({}),
};
const optionForm = z.strictObject({
  ...described,
  required: z.boolean().optional(),
  autocomplete: z.boolean().optional(),
});
const slashForm = z.strictObject({
  ...described,
  type: z.literal(1),
  options: z.array(optionForm).max(25).default([]),
});
const menuName = z.string().min(1).max(32);
/** One in the menu of a message. It is not described. */
const menuForm = z.strictObject({
  type: z.literal(3),
  name: menuName,
  name_localizations: z.partialRecord(localesForm, menuName).default({}),
  description: z.literal(''),
  description_localizations: z.strictObject({}).default({}),
  options: z.array(optionForm).max(0).default([]),
});
const commandsForm = z
  .array(z.discriminatedUnion('type', [slashForm, menuForm]))
  .max(105)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'Command names must be unique');

/** Everything that Discord can be asked for here. */
export function routeTable(
  world: DiscordWorld,
  botMessages: BotMessages,
  interactions: Interactions,
): readonly Route[] {
  return new Answers(world, botMessages).table(interactions);
}

/** What Discord answers. */
class Answers {
  readonly #world: DiscordWorld;
  readonly #botMessages: BotMessages;

  constructor(world: DiscordWorld, botMessages: BotMessages) {
    this.#world = world;
    this.#botMessages = botMessages;
  }

  table(interactions: Interactions): readonly Route[] {
    const channel = '/channels/:channel';
    const message = `${channel}/messages/:message`;
    const commands = `/applications/${applicationId}/commands`;
    const webhook = '/webhooks/:application/:token';
    const [five, often, seldom] = [
      [5, 5_000],
      [5, 1_000],
      [1, 250],
    ] as const;
    return [
      route('GET /gateway/bot', () => this.#gatewayForBot()),
      route('GET /applications/@me', () => this.#wireApplication()),
      route('PATCH /applications/@me', (request) => this.#changeApplication(request)),
      route('GET /users/@me', () => this.#world.account.user),
      route('POST /users/@me/channels', (request) => this.#openDirectChat(request)),
      route('GET /guilds/:guild/threads/active', (request) => this.#activeThreads(request)),
      route('GET /guilds/:guild/members/:user', (request) => this.#memberIn(request)),
      route(`GET ${commands}`, (request) => this.#listCommands(request)),
      route(`PUT ${commands}`, (request) => this.#replaceCommands(request)),
      route(`GET ${channel}`, (request) => wireChannel(this.#channelIn(request))),
      route(`PATCH ${channel}`, (request) => this.#changeThread(request), five),
      route(`GET ${channel}/messages`, (request) => this.#history(request), often),
      route(`GET ${message}`, (request) => this.#world.wire(this.#messageIn(request).message), often),
      route(
        `POST ${channel}/messages`,
        (request) => this.#world.wire(this.#botMessages.send(this.#channelIn(request), request)),
        five,
      ),
      route(
        `PATCH ${message}`,
        (request) => {
          const { channel: place, message: before } = this.#ownMessageIn(request);
          return this.#world.wire(this.#botMessages.change(place, before, request));
        },
        five,
      ),
      route(`DELETE ${message}`, (request) => this.#world.remove(this.#ownMessageIn(request).message), often),
      route(`PUT ${message}/reactions/:emoji/@me`, (request) => this.#react(request, true), seldom),
      route(`DELETE ${message}/reactions/:emoji/@me`, (request) => this.#react(request, false), seldom),
      route(`POST ${channel}/typing`, (request) => this.#botMessages.checkMayWrite(this.#channelIn(request)), five),
      route('POST /interactions/:interaction/:token/callback', (request) => interactions.callback(request), 'open'),
      route(`POST ${webhook}`, (request) => interactions.followUp(request), 'open'),
      route(`GET ${webhook}/messages/:message`, (request) => interactions.getMessage(request), 'open'),
      route(`PATCH ${webhook}/messages/:message`, (request) => interactions.changeMessage(request), 'open'),
      route(`DELETE ${webhook}/messages/:message`, (request) => interactions.deleteMessage(request), 'open'),
    ];
  }

  #channelIn({ path }: RouteRequest): Channel {
    return this.#world.places.visible(path.channel ?? '');
  }

  #messageIn(request: RouteRequest): { readonly channel: Channel; readonly message: StoredMessage } {
    const channel = this.#channelIn(request);
    const message = this.#world.messages.find(channel.id, request.path.message);
    if (message === undefined) throw refusals.unknown(10008, 'Message');
    return { channel, message };
  }

  /** One of the bot's own, in a thread that is open. */
  #ownMessageIn(request: RouteRequest) {
    const { channel, message } = this.#messageIn(request);
    if (message.author.id !== botId) throw new Refusal(403, 50005, 'Cannot edit a message authored by another user');
    if (channel.thread?.archived === true) throw refusals.archived();
    return { channel, message };
  }

  #guildIn({ path }: RouteRequest): Guild {
    const guild = this.#world.places.guilds.get(path.guild ?? '');
    if (guild === undefined) throw refusals.missingAccess();
    return guild;
  }

  #wireApplication(): Wire {
    const { id, flags, interactionsEndpoint } = this.#world.application;
    return {
      id,
      name: 'Keyturn',
      description: '',
      bot_public: true,
      flags,
      interactions_endpoint_url: interactionsEndpoint,
    };
  }

  #changeApplication({ json }: RouteRequest): Wire {
    const { flags } = readForm(applicationForm, json);
    if (((flags ^ this.#world.application.flags) & ~limitedFlags) !== 0)
      throw new Refusal(400, 50035, 'Invalid Form Body');
    this.#world.application.flags = flags;
    return this.#wireApplication();
  }

  #gatewayForBot(): Wire {
    const {
      total,
      remaining,
      resetAfter: reset_after,
      maxConcurrency: max_concurrency,
    } = this.#world.gateway.startLimit;
    return {
      url: this.#world.gateway.url,
      shards: 1,
      session_start_limit: { total, remaining, reset_after, max_concurrency },
    };
  }

  #openDirectChat({ json }: RouteRequest): Wire {
    const { recipient_id: id } = readForm(z.strictObject({ recipient_id: snowflake }), json);
    if (!this.#world.places.people.has(id)) throw new Refusal(400, 50033, 'Invalid Recipient(s)');
    return wireChannel(this.#world.places.direct(id));
  }

  #activeThreads(request: RouteRequest): Wire {
    const { id } = this.#guildIn(request);
    const threads = this.#world.places.channels.filter(
      (channel) =>
        channel.guildId === id &&
        channel.thread?.archived === false &&
        this.#world.places.allows(channel, ['VIEW_CHANNEL']),
    );
    const lastIn = (channelId: string) => this.#world.messages.in(channelId).at(-1)?.id ?? null;
    return { threads: threads.map((thread) => ({ ...wireChannel(thread), last_message_id: lastIn(thread.id) })) };
  }

  #memberIn(request: RouteRequest): Wire {
    const member = wireMember(this.#guildIn(request), request.path.user ?? '');
    if (member === undefined) throw refusals.unknown(10007, 'Member');
    return member;
  }

  /** In all languages only if that is asked for. */
  #listCommands({ query }: RouteRequest): readonly Wire[] {
    const about = { application_id: applicationId, version: '1', default_member_permissions: null, nsfw: false };
    const bare = { description_localizations: null, name_localizations: null };
    const isWhole = query.with_localizations === 'true';
    return this.#world.commands.map((command) => {
      const told = { ...command, ...bare, options: command.options.map((option) => ({ ...option, ...bare })) };
      return { name_localizations: null, ...(isWhole ? command : told), ...about };
    });
  }

  /** Puts a list in the place of the one there was. A command that has the same name keeps its id. */
  #replaceCommands(request: RouteRequest): readonly Wire[] {
    const list = readForm(commandsForm, request.json);
    this.#world.commandWrites += 1;
    this.#world.commands = list.map((command): RegisteredCommand => {
      const known = this.#world.commands.find(({ name }) => name === command.name);
      return { ...command, id: known?.id ?? this.#world.nextId() };
    });
    return this.#listCommands(request);
  }

  /** Anybody who may write there opens a thread that is archived; the rest is for managers. */
  #changeThread(request: RouteRequest): Wire {
    const channel = this.#channelIn(request);
    const { archived } = readForm(threadForm, request.json);
    if (channel.thread === undefined || channel.thread.locked || archived) throw refusals.missingPermissions();
    return wireChannel(this.#world.changeThread(channel, { archived }));
  }

  /** Always the newest first; `after` takes those next to it. */
  #history(request: RouteRequest): readonly Wire[] {
    const channel = this.#channelIn(request);
    const { limit, after } = readForm(pageForm, request.query);
    // Without this permission the list is empty, and nobody says why.
    if (!this.#world.places.allows(channel, ['READ_MESSAGE_HISTORY'])) return [];
    const sorted = this.#world.messages
      .in(channel.id)
      .toSorted((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1));
    const later = sorted.filter(({ id }) => after === undefined || BigInt(id) > BigInt(after));
    const page = after === undefined ? later.slice(-limit) : later.slice(0, limit);
    return page.toReversed().map((message) => this.#world.wire(message));
  }

  #react(request: RouteRequest, isOn: boolean): undefined {
    const { channel, message } = this.#messageIn(request);
    const { emoji = '' } = request.path;
    if (!/^\p{RGI_Emoji}$/v.test(emoji)) throw refusals.unknown(10014, 'Emoji');
    if (isOn && !this.#world.places.allows(channel, ['ADD_REACTIONS', 'READ_MESSAGE_HISTORY']))
      throw refusals.missingPermissions();
    if (channel.thread?.archived === true) throw refusals.archived();
    const others = message.reactions.filter((name) => name !== emoji);
    if (isOn && others.length >= mostReactions)
      throw new Refusal(400, 30010, `Maximum number of reactions reached (${mostReactions})`);
    this.#world.messages.put({ ...message, reactions: isOn ? [...others, emoji] : others });
  }
}

function route(name: string, answer: Route['answer'], limit: Route['limit'] | 'open' = [20, 1_000]): Route {
  const [method = '', template = ''] = name.split(' ');
  const isOpen = limit === 'open';
  return { method, template, answer, isOpen, limit: isOpen ? [Number.POSITIVE_INFINITY, 0] : limit };
}
