import { discord } from '../../../channels/discord/index.ts';
import { type DiscordOptions, DiscordServer } from '../../../packages/fakes/src/discord-server.ts';
import type { ChannelAdapter } from '../../../src/contract.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';

/** The person of the direct chat. */
export const ada = '1001000000000000042';

export type GatewayBench = Awaited<ReturnType<typeof open>>;
export const GatewayBench = { open } as const;

/** A fake Discord, hundred times as fast as the real one, and the adapters that a test connects to it. */
async function open(options: DiscordOptions = {}) {
  const server = await DiscordServer.start({ timeScale: 0.01, ...options });
  const host = new RecordingHost();
  host.knownConversations = [{ channel: 'discord', chatId: server.direct(ada), kind: 'direct' }];
  const adapters: ChannelAdapter[] = [];

  /** An adapter that is not started. */
  function create(overrides: object = {}): ChannelAdapter {
    const { token, apiUrl } = server;
    const adapter = discord.create({ enabled: true, token, api_url: apiUrl, request_timeout_secs: 2, ...overrides });
    adapters.push(adapter);
    return adapter;
  }

  /** An adapter that is started, and can't be expected to be connected. */
  async function start(overrides: object = {}): Promise<ChannelAdapter> {
    const adapter = create(overrides);
    await adapter.start(host);
    return adapter;
  }

  /** Time passes faster meanwhile: nobody waits for a back-off. */
  async function comesIn(text: string): Promise<void> {
    const describe = (): string => `${host.words.join(' | ')}\n${JSON.stringify(host.healths.slice(-5))}`;
    const meanwhile = (): void => host.clock.advance(250);
    await waitUntil(() => host.words.includes(text), { what: text, describe, meanwhile });
  }

  return {
    ...{ server, host, create, start, comesIn },

    async connect(overrides: object = {}): Promise<ChannelAdapter> {
      const adapter = await start(overrides);
      await host.is('connected');
      return adapter;
    },

    /** Ada says something to the bot, and it comes in, sooner or later. */
    async hears(text: string): Promise<void> {
      server.say(server.direct(ada), text);
      await comesIn(text);
    },

    /** How often something came in that said this. */
    timesHeard: (text: string): number => host.words.filter((words) => words === text).length,

    async close(): Promise<void> {
      for (const adapter of adapters) await adapter.stop();
      await server.close();
    },
  };
}
