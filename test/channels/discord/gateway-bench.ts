import { discord } from '../../../channels/discord/index.ts';
import type { ChannelAdapter } from '../../../src/contract.ts';
import { type DiscordOptions, DiscordServer } from '../../support/discord-server.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';

/** The person of the direct chat. */
export const ada = '1001000000000000042';

/** A fake Discord, hundred times as fast as the real one, and the adapters that a test connects to it. */
export class GatewayBench {
  readonly server: DiscordServer;
  readonly host = new RecordingHost();
  readonly #adapters: ChannelAdapter[] = [];

  private constructor(server: DiscordServer) {
    this.server = server;
    this.host.knownPlaces = [{ channel: 'discord', chatId: server.direct(ada), kind: 'direct' }];
  }

  static async open(options: DiscordOptions = {}): Promise<GatewayBench> {
    return new GatewayBench(await DiscordServer.start({ timeScale: 0.01, ...options }));
  }

  async close(): Promise<void> {
    for (const adapter of this.#adapters) await adapter.stop();
    await this.server.close();
  }

  /** An adapter that is not started. */
  create(overrides: object = {}): ChannelAdapter {
    const { token, apiUrl } = this.server;
    const adapter = discord.create({ enabled: true, token, api_url: apiUrl, request_timeout_secs: 2, ...overrides });
    this.#adapters.push(adapter);
    return adapter;
  }

  /** An adapter that is started, and can't be expected to be connected. */
  async start(overrides: object = {}): Promise<ChannelAdapter> {
    const adapter = this.create(overrides);
    await adapter.start(this.host);
    return adapter;
  }

  async connect(overrides: object = {}): Promise<ChannelAdapter> {
    const adapter = await this.start(overrides);
    await this.host.is('connected');
    return adapter;
  }

  /** Ada says something to the bot, and it comes in, sooner or later. */
  async hears(text: string): Promise<void> {
    this.server.say(this.server.direct(ada), text);
    await this.comesIn(text);
  }

  /** Time passes faster meanwhile: nobody waits for a back-off. */
  async comesIn(text: string): Promise<void> {
    const describe = (): string => `${this.host.words.join(' | ')}\n${JSON.stringify(this.host.healths.slice(-5))}`;
    const meanwhile = (): void => this.host.clock.advance(250);
    await waitUntil(() => this.host.words.includes(text), { what: text, describe, meanwhile });
  }

  /** How often something came in that said this. */
  timesHeard(text: string): number {
    return this.host.words.filter((words) => words === text).length;
  }
}
