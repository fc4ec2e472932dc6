import { Changes } from '../wait-for.ts';
import { Application } from './application.ts';
import { Attachments } from './attachments.ts';
import { BotAccount } from './bot-account.ts';
import { BotMessages } from './bot-messages.ts';
import { BotRoutes } from './bot-routes.ts';
import { makeToken } from './bot-user.ts';
import { makeCallLog } from './call-log.ts';
import { Commands } from './commands.ts';
import { DirectChats } from './direct-chats.ts';
import { Faults } from './faults.ts';
import { Gateway } from './gateway.ts';
import { HttpDoor } from './http-door.ts';
import type { Dispatch } from './intents.ts';
import { InteractingPeople } from './interacting-people.ts';
import { InteractionRoutes } from './interaction-routes.ts';
import { Interactions } from './interactions.ts';
import { MessageRoutes } from './message-routes.ts';
import { MessageWire } from './message-wire.ts';
import { Messages } from './messages.ts';
import { People } from './people.ts';
import { Places } from './places.ts';
import { Posts } from './posts.ts';
import { RateLimits } from './rate-limits.ts';
import { routeTable } from './route-table.ts';
import { Scenery } from './scenery.ts';
import { Snowflakes } from './snowflakes.ts';
import { ThreadRoutes } from './thread-routes.ts';
import { Threads } from './threads.ts';
import { type DiscordTimes, makeTimes } from './times.ts';
import { Typing } from './typing.ts';

export interface DiscordOptions {
  /** In milliseconds since 1970. Everything goes by it. */
  readonly now?: () => number;
  /** By it all of Discord's times are multiplied; 1 if not set. */
  readonly timeScale?: number;
  /** Some of the times, in milliseconds, whatever the scale is. */
  readonly times?: Partial<DiscordTimes>;
  readonly username?: string;
}

export type DiscordParts = ReturnType<typeof makeParts>;

/** The parts of the fake, each given to those that need it. */
export function makeParts({ now = Date.now, timeScale = 1, times: given, username = 'keyturn_test' }: DiscordOptions) {
  const base = { now, times: makeTimes(timeScale, given), changes: new Changes(), snowflakes: new Snowflakes(now) };
  const core = { ...base, application: new Application(), account: new BotAccount(username), places: new Places() };
  const messages = new Messages();
  const attachments = new Attachments(core);
  const wire = new MessageWire({ ...core, messages, attachments });
  const gateway = new Gateway(core);
  const publish = (dispatch: Dispatch): void => gateway.publish(dispatch);
  const directChats = new DirectChats(core);
  const commands = new Commands(core.snowflakes);
  const interactions = new Interactions(core);
  const typing = new Typing(core);
  const stores = {
    ...core,
    messages,
    attachments,
    wire,
    gateway,
    publish,
    directChats,
    commands,
    interactions,
    typing,
  };
  const posts = new Posts(stores);
  const threads = new Threads({ ...stores, posts });
  const botMessages = new BotMessages({ ...stores, posts });
  const actors = { ...stores, posts, threads, botMessages };
  const routes = routeTable({
    bot: new BotRoutes(actors),
    interactions: new InteractionRoutes(actors),
    messages: new MessageRoutes(actors),
    threads: new ThreadRoutes(actors),
    typing,
  });
  const surface = { ...actors, routes, faults: new Faults(), calls: makeCallLog(), limits: new RateLimits(core) };
  return {
    ...surface,
    token: makeToken(),
    people: new People(actors),
    interactingPeople: new InteractingPeople(actors),
    scenery: new Scenery(actors),
    door: new HttpDoor(surface),
  };
}
