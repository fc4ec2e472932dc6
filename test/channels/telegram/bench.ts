import { onTestFinished } from 'vitest';
import { telegram } from '../../../channels/telegram/index.ts';
import { TelegramServer } from '../../../packages/fakes/src/telegram-server.ts';
import type { ChannelAdapter } from '../../../src/contract.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';

/** A fake Telegram, and how a test connects adapters to it. The time of the host passes only when the test says so. */
export async function openBench() {
  const server = await TelegramServer.start();
  const clock = new ManualClock();
  const adapters: ChannelAdapter[] = [];
  onTestFinished(async () => {
    const stopped = adapters.map((adapter) => adapter.stop());
    // Nobody waits for what hangs.
    clock.advance(2_000);
    await Promise.all(stopped);
    await server.close();
  });
  const host = new RecordingHost(clock);
  const connect = async (overrides: object = {}, to = host): Promise<ChannelAdapter> => {
    const { token, root } = server;
    const adapter = telegram.create({ enabled: true, token, api_root: root, ...overrides });
    adapters.push(adapter);
    await adapter.start(to);
    return adapter;
  };
  return { server, clock, host, connect };
}

export type Bench = Awaited<ReturnType<typeof openBench>>;

export function connected(host: RecordingHost): Promise<unknown> {
  const describe = (): string => JSON.stringify(host.healths);
  return waitUntil(() => host.health?.status === 'connected', { what: 'the connection', describe });
}

/** Waits until the adapter waits that long, and lets it pass. */
export async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  await clock.waitsFor(milliseconds);
  clock.advance(milliseconds);
}
