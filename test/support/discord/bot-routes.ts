import type { APIUser } from 'discord.js';
import { z } from 'zod';
import type { Application } from './application.ts';
import type { BotAccount } from './bot-account.ts';
import { applicationId } from './bot-user.ts';
import type { Commands } from './commands.ts';
import type { DirectChats } from './direct-chats.ts';
import { readForm } from './form.ts';
import type { Gateway } from './gateway.ts';
import { gatewayPaths } from './gateway-address.ts';
import { wireChannel, wireGuild, wireMember } from './place-wire.ts';
import type { Guild, Places } from './places.ts';
import { missingAccess, Refusal, unknownThing } from './refusal.ts';
import { pathPart, type RouteRequest } from './route.ts';
import type { Wire } from './wire.ts';

interface Dependencies {
  readonly account: BotAccount;
  readonly application: Application;
  readonly commands: Commands;
  readonly directChats: DirectChats;
  readonly gateway: Gateway;
  readonly places: Places;
}

/** The routes about the bot itself, its guilds and the people in them. */
export class BotRoutes {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  me(): APIUser {
    return this.#dependencies.account.user;
  }

  application(): Wire {
    return this.#dependencies.application.wire();
  }

  changeApplication({ json }: RouteRequest): Wire {
    return this.#dependencies.application.change(json);
  }

  gatewayAddress(): Wire {
    return { url: `${this.#dependencies.gateway.origin}${gatewayPaths.first}` };
  }

  gatewayForBot(): Wire {
    const { total, remaining, resetAfter, maxConcurrency } = this.#dependencies.gateway.startLimit;
    const limit = { total, remaining, reset_after: resetAfter, max_concurrency: maxConcurrency };
    return { ...this.gatewayAddress(), shards: 1, session_start_limit: limit };
  }

  openDirectChat({ json }: RouteRequest): Wire {
    const { recipient_id: id } = readForm(z.object({ recipient_id: z.string().regex(/^\d+$/) }), json);
    const { account, directChats } = this.#dependencies;
    if (id === account.user.id || !directChats.knows(id)) throw new Refusal(400, 50033, 'Invalid Recipient(s)');
    return wireChannel(directChats.open(id));
  }

  user(request: RouteRequest): APIUser {
    const id = pathPart(request, 'user');
    const { account, directChats } = this.#dependencies;
    if (id === account.user.id) return account.user;
    const user = directChats.person(id);
    if (user === undefined) throw unknownThing(10013, 'User');
    return user;
  }

  guilds(): readonly Wire[] {
    const { places } = this.#dependencies;
    return [...places.guilds.values()].map(({ id, name }) => ({ id, name, icon: null, owner: false, features: [] }));
  }

  guild(request: RouteRequest): Wire {
    return wireGuild(this.#guild(request));
  }

  channels(request: RouteRequest): readonly Wire[] {
    return this.#channelsOf(request)
      .filter(({ thread }) => thread === undefined)
      .map(wireChannel);
  }

  activeThreads(request: RouteRequest): Wire {
    const threads = this.#channelsOf(request).filter(({ thread }) => thread?.archived === false);
    return { threads: threads.map(wireChannel), members: [] };
  }

  member(request: RouteRequest): Wire {
    const guild = this.#guild(request);
    const member = guild.members.get(pathPart(request, 'user'));
    if (member === undefined) throw unknownThing(10007, 'Member');
    return wireMember(member, guild);
  }

  commands(request: RouteRequest): readonly Wire[] {
    this.#checkApplication(request);
    return this.#dependencies.commands.wire(request.path.guild);
  }

  replaceCommands(request: RouteRequest): readonly Wire[] {
    this.#checkApplication(request);
    if (request.path.guild !== undefined) this.#guild(request);
    return this.#dependencies.commands.replace(request.json, request.path.guild);
  }

  #guild(request: RouteRequest): Guild {
    const id = pathPart(request, 'guild');
    if (!/^\d+$/.test(id)) throw unknownThing(10004, 'Guild');
    const guild = this.#dependencies.places.guilds.get(id);
    if (guild === undefined) throw missingAccess();
    return guild;
  }

  #channelsOf(request: RouteRequest) {
    const { places } = this.#dependencies;
    const { id } = this.#guild(request);
    return places.channels.filter((channel) => channel.guildId === id && places.isVisible(channel));
  }

  #checkApplication(request: RouteRequest): void {
    if (pathPart(request, 'application') !== applicationId) throw unknownThing(10002, 'Application');
  }
}
