import type { BotRoutes } from './bot-routes.ts';
import type { InteractionRoutes } from './interaction-routes.ts';
import type { MessageRoutes } from './message-routes.ts';
import type { Route, RouteLimit, RouteRequest } from './route.ts';
import { pathParts } from './route-pattern.ts';
import type { ThreadRoutes } from './thread-routes.ts';
import type { Typing } from './typing.ts';

export interface RouteGroups {
  readonly bot: BotRoutes;
  readonly interactions: InteractionRoutes;
  readonly messages: MessageRoutes;
  readonly threads: ThreadRoutes;
  readonly typing: Typing;
}

const fivePerFiveSeconds: RouteLimit = { requests: 5, windowMs: 5_000 };
const fivePerSecond: RouteLimit = { requests: 5, windowMs: 1_000 };
const reactionLimit: RouteLimit = { requests: 1, windowMs: 250 };

/** Everything that Discord can be asked for here. */
export function routeTable(groups: RouteGroups): readonly Route[] {
  return [...botRoutes(groups), ...channelRoutes(groups), ...interactionRoutes(groups)];
}

/** The route of a request, and what stands in its path. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly parts: Readonly<Record<string, string>> } | undefined {
  for (const route of routes) {
    const parts = route.method === method ? pathParts(route.template, path) : undefined;
    if (parts !== undefined) return { route, parts };
  }
  return undefined;
}

function botRoutes({ bot }: RouteGroups): readonly Route[] {
  const commands = '/applications/:application/commands';
  const guildCommands = '/applications/:application/guilds/:guild/commands';
  return [
    make('GET /gateway', () => bot.gatewayAddress(), { isOpen: true }),
    make('GET /gateway/bot', () => bot.gatewayForBot()),
    make('GET /applications/@me', () => bot.application()),
    make('PATCH /applications/@me', (request) => bot.changeApplication(request)),
    make('GET /users/@me', () => bot.me()),
    make('GET /users/@me/guilds', () => bot.guilds()),
    make('POST /users/@me/channels', (request) => bot.openDirectChat(request)),
    make('GET /users/:user', (request) => bot.user(request)),
    make('GET /guilds/:guild', (request) => bot.guild(request)),
    make('GET /guilds/:guild/channels', (request) => bot.channels(request)),
    make('GET /guilds/:guild/threads/active', (request) => bot.activeThreads(request)),
    make('GET /guilds/:guild/members/:user', (request) => bot.member(request)),
    make(`GET ${commands}`, (request) => bot.commands(request)),
    make(`PUT ${commands}`, (request) => bot.replaceCommands(request)),
    make(`GET ${guildCommands}`, (request) => bot.commands(request)),
    make(`PUT ${guildCommands}`, (request) => bot.replaceCommands(request)),
  ];
}

function channelRoutes({ messages, threads, typing }: RouteGroups): readonly Route[] {
  const channel = '/channels/:channel';
  const message = `${channel}/messages/:message`;
  const limit = fivePerFiveSeconds;
  return [
    make(`GET ${channel}`, (request) => threads.get(request)),
    make(`PATCH ${channel}`, (request) => threads.change(request), { limit }),
    make(`GET ${channel}/messages`, (request) => messages.list(request), { limit: fivePerSecond }),
    make(`GET ${message}`, (request) => messages.get(request), { limit: fivePerSecond }),
    make(`POST ${channel}/messages`, (request) => messages.create(request), { limit }),
    make(`PATCH ${message}`, (request) => messages.change(request), { limit }),
    make(`DELETE ${message}`, (request) => messages.delete(request), { limit: fivePerSecond }),
    make(`PUT ${message}/reactions/:emoji/@me`, (request) => messages.addReaction(request), { limit: reactionLimit }),
    make(`DELETE ${message}/reactions/:emoji/@me`, (request) => messages.removeReaction(request), {
      limit: reactionLimit,
    }),
    make(`POST ${channel}/typing`, (request) => typing.begin(request), { limit }),
    make(`POST ${message}/threads`, (request) => threads.fromMessage(request), { limit }),
    make(`POST ${channel}/threads`, (request) => threads.create(request), { limit }),
  ];
}

function interactionRoutes({ interactions }: RouteGroups): readonly Route[] {
  const isOpen = true;
  const webhook = '/webhooks/:application/:token';
  const message = `${webhook}/messages/:message`;
  return [
    make('POST /interactions/:interaction/:token/callback', (request) => interactions.callback(request), { isOpen }),
    make(`POST ${webhook}`, (request) => interactions.followUp(request), { isOpen }),
    make(`GET ${message}`, (request) => interactions.getMessage(request), { isOpen }),
    make(`PATCH ${message}`, (request) => interactions.changeMessage(request), { isOpen }),
    make(`DELETE ${message}`, (request) => interactions.deleteMessage(request), { isOpen }),
  ];
}

function make(
  name: string,
  answer: (request: RouteRequest) => unknown,
  rest: Pick<Route, 'isOpen' | 'limit'> = {},
): Route {
  const [method = '', template = ''] = name.split(' ');
  return { method, template, answer, ...rest };
}
