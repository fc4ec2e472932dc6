import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Receipt } from '../../src/contract.ts';
import type { ChannelSetting, Open } from './channel-setting.ts';
import { card, connected, reply } from './connected-adapter.ts';
import type { ForgettingPlatform } from './platform.ts';

/** So many rounds at first, in which what remembers the latest fills, and code is compiled. */
const warmUp = 300;

/** What is over is forgotten. */
export function adapterMemory({ forgetting }: ChannelSetting): void {
  if (forgetting === undefined) return;
  test('some hundred messages back and forth leave the memory as it was', async () => {
    await adapterStaysSteady(forgetting, { rounds: 200, mostGrowth: 400_000 });
  });
}

/** Lets people write, press and be answered so often, and looks whether the memory of the adapter grows with that. */
export async function adapterStaysSteady(
  open: Open<ForgettingPlatform>,
  { rounds, mostGrowth }: { readonly rounds: number; readonly mostGrowth: number },
): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const { platform, adapter, host } = await connected(open);

  /** Resolves when what is done then has come in. */
  const comesIn = (deed: () => void): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    host.store = async (): Promise<Receipt> => {
      resolve();
      return {};
    };
    deed();
    return promise;
  };
  const round = async (index: number): Promise<void> => {
    const words = `message ${index} ${'y'.repeat(1_000)}`;
    await comesIn(() => platform.say(words));
    await adapter.showTyping?.(platform.home);
    await adapter.send(platform.home, reply(`answer to ${words}`, { id: `m${index}` }));
    const ref = await adapter.send(platform.home, { ...card(`May I? ${index}`), id: `c${index}` });
    await comesIn(() => platform.press('Approve'));
    await adapter.edit?.(platform.home, ref, reply(`Approved: ${words}`));
    // What the test itself remembers is not the adapter's.
    for (const list of [host.received, host.healths, host.logged]) list.length = 0;
    platform.forget();
  };
  const work = async (count: number): Promise<number> => {
    for (let index = 0; index < count; index += 1) await round(index);
    // What was just done leaves something behind until the next turn of the loop.
    for (let turn = 0; turn < 3; turn += 1) {
      await pause(20);
      collect();
    }
    return process.memoryUsage().heapUsed;
  };
  const before = await work(warmUp);
  const after = await work(rounds);
  expect(after - before).toBeLessThan(mostGrowth);
}
