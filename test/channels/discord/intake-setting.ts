import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { DiscordApi } from '../../../channels/discord/api.ts';
import { Directory } from '../../../channels/discord/directory.ts';
import { Continuity } from '../../../channels/discord/gateway-socket.ts';
import { createIntake, type DiscordIntake } from '../../../channels/discord/intake.ts';
import { createInteractions } from '../../../channels/discord/interactions.ts';
import type { Runtime } from '../../../channels/discord/runtime.ts';
import { settings } from '../../../channels/discord/settings.ts';
import { DiscordServer } from '../../../packages/fakes/src/discord-server.ts';
import { directNetwork, type InboundEvent, type InboundMessage } from '../../../src/contract.ts';
import { lazyParser } from '../../../src/lib/markdown-parser.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';

const identify = 2;
const hello = 10;
/** Guilds, their messages, direct messages, and what stands in them. */
const intents = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);
const frameShape = z.object({ op: z.int(), t: z.string().nullish(), d: z.unknown() });

/** What the gateway of a fake Discord dispatches, taken in for a host that writes it down. */
export class IntakeSetting {
  /** Itself, for tests that take it apart. */
  readonly setting = this;
  readonly server: DiscordServer;
  readonly host = new RecordingHost();
  readonly api: DiscordApi;
  readonly interactions = createInteractions(this.host.clock);
  readonly runtime: Runtime;
  readonly intake: DiscordIntake;
  readonly over = new AbortController();
  /** All that was dispatched, in its order. */
  readonly dispatched: { readonly event: string; readonly data: unknown; readonly taken: Promise<void> }[] = [];
  readonly #socket: WebSocket;

  constructor(server: DiscordServer) {
    this.server = server;
    const { token, apiUrl } = server;
    this.api = new DiscordApi({ token, api_url: apiUrl, request_timeout_secs: 5 }, this.host.clock);
    this.runtime = {
      ...{ api: this.api, host: this.host, interactions: this.interactions, signal: this.over.signal },
      settings: settings.parse({}),
      network: directNetwork,
      continuity: new Continuity(),
      directory: new Directory(),
      parse: lazyParser(),
      since: this.host.clock.now(),
      self: () => ({ userId: server.bot.id, applicationId: server.application.id }),
    };
    this.intake = createIntake(this.runtime);
    this.#socket = new WebSocket(`${server.gateway.origin}/gw/?v=10&encoding=json`);
    this.#socket.on('message', (frame) => this.#receive(String(frame)));
  }

  /** Where a person and the bot are alone. */
  get chat(): string {
    return this.server.direct('1001');
  }

  close(): void {
    this.over.abort();
    this.#socket.close();
  }

  /** Hears nothing more from the gateway. */
  stopListening(): void {
    this.#socket.removeAllListeners('message');
  }

  /** A guild with a channel, of which the gateway has told. */
  addChannel(name = 'general') {
    const guild = this.server.scenery.addGuild();
    return { guild, channel: this.server.scenery.addChannel(guild.id, { name }) };
  }

  /** Lets the bot say something. Gives the id of the message. */
  async answer(channelId: string, body: object): Promise<string> {
    return z.object({ id: z.string() }).parse(await this.api.call('POST', `/channels/${channelId}/messages`, { body }))
      .id;
  }

  /** What a person says there, as the host is told of it. */
  async hears(channelId: string, text: string, options?: Parameters<DiscordServer['say']>[2]): Promise<InboundMessage> {
    const { id } = this.server.say(channelId, text, options);
    return this.message(id);
  }

  message(id: string): Promise<InboundMessage> {
    const look = (): InboundMessage | undefined =>
      this.host.received.flatMap((event) => (event.type === 'message' && event.key === id ? [event] : []))[0];
    return waitUntil(look, { what: `the message ${id}`, describe: () => this.host.logged.join('\n') });
  }

  /** Resolves when all that was dispatched so far was taken in. Throws if that was rejected. */
  async settles(event: string): Promise<void> {
    await this.dispatches(event);
    await Promise.all(this.dispatched.map(({ taken }) => taken));
  }

  /** Resolves when such an event was dispatched. */
  async dispatches(event: string): Promise<void> {
    await waitUntil(() => this.dispatched.some((dispatch) => dispatch.event === event), { what: event });
  }

  /** Resolves when it is so. Time passes faster meanwhile. */
  async passes(look: () => boolean): Promise<void> {
    const describe = (): string => this.host.logged.join('\n');
    await waitUntil(look, { what: 'what is looked for', describe, meanwhile: () => this.host.clock.advance(500) });
  }

  /** Takes in what has no gateway behind it. */
  async take(event: string, data: unknown): Promise<readonly InboundEvent[]> {
    const before = this.host.received.length;
    await this.intake.take(event, data);
    return this.host.received.slice(before);
  }

  #receive(text: string): void {
    const { op, t: event, d: data } = frameShape.parse(JSON.parse(text));
    const properties = { os: 'linux', browser: 'test', device: 'test' };
    if (op === hello)
      this.#socket.send(JSON.stringify({ op: identify, d: { token: this.server.token, intents, properties } }));
    if (op === 0 && typeof event === 'string')
      this.dispatched.push({ event, data, taken: this.intake.take(event, data) });
  }
}

/** A setting that is ready to hear, and ends with the test. */
export async function intakeSetting(): Promise<IntakeSetting> {
  const server = await DiscordServer.start();
  const setting = new IntakeSetting(server);
  onTestFinished(async () => {
    setting.close();
    await server.close();
  });
  await server.waitUntilReady();
  return setting;
}
