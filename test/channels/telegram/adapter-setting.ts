import { expect } from 'vitest';
import { telegram } from '../../../channels/telegram/index.ts';
import type { ChannelAdapter, ChannelFault, OutboundFile, OutboundMessage } from '../../../src/contract.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { TelegramServer } from '../../support/telegram-server.ts';
import { allOf, failureOf } from '../kit/request-faults.ts';

/** The person of the direct chat. */
export const ada = 42;
/** The direct chat. */
export const to = { channel: 'telegram', chatId: String(ada), kind: 'direct' } as const;

/** An adapter that is connected to a strict Telegram of its own, in which time passes only when a test says so. */
export class AdapterSetting {
  readonly clock = new ManualClock();
  readonly host = new RecordingHost(this.clock);
  readonly server: TelegramServer;
  readonly adapter: ChannelAdapter;

  private constructor(server: TelegramServer, adapter: ChannelAdapter) {
    this.server = server;
    this.adapter = adapter;
  }

  static async start(settings: object = {}): Promise<AdapterSetting> {
    let now = (): number => 0;
    const server = await TelegramServer.start({ now: () => now() });
    const setting = new AdapterSetting(server, create(server, settings));
    now = () => setting.clock.now();
    server.addChat(ada);
    await setting.adapter.start(setting.host);
    return setting;
  }

  /** Another adapter for the same bot, which is not started. */
  another(settings: object): ChannelAdapter {
    return create(this.server, settings);
  }

  async close(): Promise<void> {
    const stopped = this.adapter.stop();
    this.clock.advance(2_000);
    await stopped;
    await this.server.close();
  }

  /** How the request fails. Throws if it does not, and if the error tells a secret or what was said. */
  async faultOf(request: Promise<unknown> | undefined): Promise<ChannelFault & { readonly message: string }> {
    const error = await failureOf(Promise.resolve(request));
    for (const secret of [this.server.token, 'hello']) expect(allOf(error)).not.toContain(secret);
    return { ...error.fault, message: error.message };
  }
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
