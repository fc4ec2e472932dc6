import { telegram } from '../../../channels/telegram/index.ts';
import { TelegramServer } from '../../../packages/fakes/src/telegram-server.ts';
import type { ChannelAdapter, OutboundFile, OutboundMessage } from '../../../src/contract.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { faultOf } from '../kit/request-faults.ts';

/** The person of the direct chat. */
export const ada = 42;
/** The direct chat. */
export const to = { channel: 'telegram', chatId: String(ada), kind: 'direct' } as const;

export type AdapterSetting = Awaited<ReturnType<typeof start>>;
export const AdapterSetting = { start } as const;

/** An adapter that is connected to a strict Telegram of its own, in which time passes only when a test says so. */
async function start(settings: object = {}) {
  const clock = new ManualClock();
  const host = new RecordingHost(clock);
  const server = await TelegramServer.start({ now: () => clock.now() });
  server.addChat(ada);
  const adapter = create(server, settings);
  await adapter.start(host);
  return {
    ...{ clock, host, server, adapter },

    /** Another adapter for the same bot, which is not started. */
    another: (given: object): ChannelAdapter => create(server, given),

    async close(): Promise<void> {
      const stopped = adapter.stop();
      clock.advance(2_000);
      await stopped;
      await server.close();
    },

    /** How the request fails. Throws if it does not, and if the error tells a secret or what was said. */
    faultOf: (request: Promise<unknown> | undefined) => faultOf(request, [server.token, 'hello']),
  };
}

/** A reply with this text. */
export function reply(markdown: string, rest: Partial<OutboundMessage> = {}): OutboundMessage {
  return { id: 'm1', kind: 'reply', markdown, ...rest };
}

/** A message that shows a file. */
export function withFile(file: OutboundFile, markdown = '', rest: Partial<OutboundMessage> = {}): OutboundMessage {
  return reply(markdown, { file, ...rest });
}

function create(server: TelegramServer, settings: object): ChannelAdapter {
  return telegram.create({ enabled: true, token: server.token, api_root: server.root, ...settings });
}
