import { telegram } from '../../../channels/telegram/index.ts';
import type { ChannelAdapter } from '../../../src/contract.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import type { RecordingHost } from '../../support/recording-host.ts';
import { TelegramServer } from '../../support/telegram-server.ts';
import { waitUntil } from '../../support/wait-for.ts';

/** A fake Telegram and the adapters that a test connects to it. */
export class Bench {
  readonly server: TelegramServer;
  readonly #adapters: ChannelAdapter[] = [];
  readonly #hosts = new Set<RecordingHost>();

  constructor(server: TelegramServer) {
    this.server = server;
  }

  static async open(): Promise<Bench> {
    return new Bench(await TelegramServer.start());
  }

  async close(): Promise<void> {
    const stopped = this.#adapters.map((adapter) => adapter.stop());
    // Nobody waits for what hangs.
    for (const { clock } of this.#hosts) clock.advance(2_000);
    await Promise.all(stopped);
    await this.server.close();
  }

  async connect(host: RecordingHost, overrides: object = {}): Promise<ChannelAdapter> {
    const { token, root } = this.server;
    const adapter = telegram.create({ enabled: true, token, api_root: root, ...overrides });
    this.#adapters.push(adapter);
    this.#hosts.add(host);
    await adapter.start(host);
    return adapter;
  }
}

export function connected(host: RecordingHost): Promise<unknown> {
  const describe = (): string => JSON.stringify(host.healths);
  return waitUntil(() => host.health?.status === 'connected', { what: 'the connection', describe });
}

/** Waits until the adapter waits that long, and lets it pass. */
export async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  await clock.waitsFor(milliseconds);
  clock.advance(milliseconds);
}
