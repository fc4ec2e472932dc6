import type { z } from 'zod';
import { DaemonProcess } from '../support/daemon-process.ts';
import type { ShownMessage } from '../support/discord/shown-message.ts';
import { type DiscordOptions, DiscordServer } from '../support/discord-server.ts';
import { ModelServer } from '../support/model-server.ts';
import { patienceMs } from '../support/wait-for.ts';
import { daemonConfig, modelEnvironment, variable } from './daemon-config.ts';
import { daemonRows } from './daemon-rows.ts';

/** A guild in which the config lets the bot talk, with everybody who is let in. */
export interface GuildScene {
  readonly guildId: string;
  readonly channelId: string;
  readonly threadId: string;
  /** The role that came with the bot. */
  readonly botRoleId: string;
}

export interface DiscordSettingOptions {
  /** Stands in the config beside the model and the channel, or in their place. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Stands in the channel's block beside the token and the address, or in their place. */
  readonly channel?: Readonly<Record<string, unknown>> | ((scene: GuildScene, discord: DiscordServer) => object);
  readonly server?: DiscordOptions;
  /** Does something to the server before the daemon starts. Then nobody waits for the daemon to connect. */
  readonly prepare?: (discord: DiscordServer) => void;
}

/** Owners in the config of every setting: a test takes one whom no other test takes, and so has a chat of its own. */
const ownerCount = 60;

/** Discord's limits are over twenty times as soon, and one session may follow the other at once. */
const times = { rateScale: 0.05, identify: 0 } as const;

/** The daemon as a process of its own, between a Discord and a model that speak the real protocols. */
export class DiscordSetting {
  readonly discord: DiscordServer;
  readonly model: ModelServer;
  readonly daemon: DaemonProcess;
  readonly scene: GuildScene;
  #owners = 0;

  private constructor(parts: Pick<DiscordSetting, 'discord' | 'model' | 'daemon' | 'scene'>) {
    this.discord = parts.discord;
    this.model = parts.model;
    this.daemon = parts.daemon;
    this.scene = parts.scene;
  }

  /** Resolves when the daemon receives, unless it was prepared otherwise. */
  static async start(options: DiscordSettingOptions = {}): Promise<DiscordSetting> {
    const server = { ...options.server, times: { ...times, ...options.server?.times } };
    const [discord, model] = await Promise.all([DiscordServer.start(server), ModelServer.start()]);
    const scene = makeScene(discord);
    options.prepare?.(discord);
    const daemon = DaemonProcess.start({
      config: configOf({ discord, model, scene }, options),
      env: { ...modelEnvironment, TEST_DISCORD_TOKEN: discord.token },
    });
    const setting = new DiscordSetting({ discord, model, daemon, scene });
    if (options.prepare === undefined) await setting.connected();
    return setting;
  }

  async dispose(): Promise<void> {
    await this.daemon.dispose();
    await Promise.all([this.discord.close(), this.model.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** Resolves when more sessions were begun than that, and the last of them is heard. */
  async connected(begun = 0): Promise<void> {
    const isHeard = (): boolean => this.sessions > begun && this.discord.gateway.isReady;
    await this.discord.waitFor(isHeard, { what: 'a session' });
  }

  /** How many sessions were begun so far. */
  get sessions(): number {
    return this.discord.gateway.identifies.filter(({ outcome }) => outcome === 'ready').length;
  }

  /** Kills the process and starts it again. Resolves when it receives. */
  async restart(): Promise<void> {
    await this.daemon.kill();
    const { sessions } = this;
    await this.daemon.restart();
    await this.connected(sessions);
  }

  /** What mentions the bot. */
  get mention(): string {
    return `<@${this.discord.bot.id}>`;
  }

  /** An owner, by their id. */
  newOwner(): string {
    if (this.#owners === ownerCount) throw new Error('There are no more owners in the config of the setting.');
    this.#owners += 1;
    return ownerId(this.#owners - 1);
  }

  /** What the bot has said there, the oldest first. */
  said(channelId: string): readonly string[] {
    const messages = this.discord.chat(channelId).filter(({ from }) => from === 'bot');
    return messages.map(({ text }) => text);
  }

  /** Says something, and waits for the card that asks for an approval because of it. */
  async askFor(channelId: string, text: string, from?: string): Promise<ShownMessage> {
    const { id } = this.discord.say(channelId, text, from === undefined ? {} : { from });
    return this.cardAfter(channelId, id);
  }

  /** The first message with buttons after this one. */
  cardAfter(channelId: string, messageId: string): Promise<ShownMessage> {
    const isCard = ({ id, buttons }: ShownMessage): boolean => BigInt(id) > BigInt(messageId) && buttons.length > 0;
    return this.discord.waitFor(() => this.discord.chat(channelId).find(isCard), { what: `a card in ${channelId}` });
  }

  /** Waits until a message of the bot there shows this. */
  shows(channelId: string, wanted: string | RegExp, timeoutMs = patienceMs): Promise<ShownMessage> {
    return this.discord.waitForMessage(channelId, wanted, timeoutMs);
  }

  /** Waits until the person of the interaction is told this alone. */
  async told(interactionId: string, words: string): Promise<void> {
    const look = (): boolean => this.discord.interaction(interactionId).ephemeral.some((text) => text.includes(words));
    const describe = (): string => JSON.stringify(this.discord.interaction(interactionId));
    await this.discord.waitFor(look, { what: `somebody to be told ${words}`, describe });
  }

  rows<Shape extends z.ZodType>(shape: Shape, sql: string, ...parameters: unknown[]): readonly z.output<Shape>[] {
    return daemonRows(this.daemon, shape, sql, ...parameters);
  }
}

/** The user id of an owner, from 0 on. */
function ownerId(index: number): string {
  return `10010000000000001${String(index).padStart(2, '0')}`;
}

function makeScene({ scenery, people }: DiscordServer): GuildScene {
  const { id: guildId, botRoleId } = scenery.addGuild({ name: 'Team', owner: '1001000000000000900' });
  const channelId = scenery.addChannel(guildId, { name: 'team' });
  return { guildId, channelId, threadId: people.startThread(channelId, 'plans'), botRoleId };
}

function configOf(
  { discord, model, scene }: { discord: DiscordServer; model: ModelServer; scene: GuildScene },
  { config = {}, channel = {} }: DiscordSettingOptions,
): Record<string, unknown> {
  const block = {
    enabled: true,
    api_url: discord.apiUrl,
    token: variable('TEST_DISCORD_TOKEN'),
    groups: { [scene.guildId]: { allow_from: ['*'] } },
    ...(typeof channel === 'function' ? channel(scene, discord) : channel),
  };
  const owners = Array.from({ length: ownerCount }, (_, index) => `discord:${ownerId(index)}`);
  return daemonConfig({ model, owners, channels: { discord: block }, config });
}
