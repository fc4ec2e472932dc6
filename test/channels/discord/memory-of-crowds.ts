import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { waitUntil } from '../../support/wait-for.ts';
import { GatewayBench } from './gateway-bench.ts';

const guild = '1002000000000000001';
const channel = '1002000000000000002';
/** So many are heard between two looks. */
const batch = 500;
/** The first ones, in which caches fill and code is compiled. */
const warmUp = 4;

/** Lets so many people, each another one, write to the bot, join and go, and looks whether that stays in the memory. */
export async function crowdsAreForgotten({
  people,
  mostGrowth,
}: {
  people: number;
  mostGrowth: number;
}): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // Discord's own times: a machine that takes seconds for a batch is not to lose the session meanwhile.
  const bench = await GatewayBench.open({ timeScale: 1, times: { rateScale: 0, identify: 0 } });
  const { server, host } = bench;
  await bench.connect();
  let count = 0;

  const meet = async (): Promise<void> => {
    for (let index = 0; index < batch; index += 1, count += 1) {
      const user = { id: String(2_000_000_000_000_000_000n + BigInt(count)), username: `user${count}`, avatar: null };
      const member = { user, roles: [], nick: `nick ${'y'.repeat(200)} ${count}` };
      server.dispatch('GUILD_MEMBER_ADD', { guild_id: guild, ...member });
      server.dispatch('PRESENCE_UPDATE', { guild_id: guild, user, activities: [{ name: 'z'.repeat(200) }] });
      const message = { id: String(3_000_000_000_000_000_000n + BigInt(count)), channel_id: channel, guild_id: guild };
      const content = `words ${'x'.repeat(500)} ${count}`;
      server.dispatch('MESSAGE_CREATE', { ...message, author: user, member, content, type: 0, channel_type: 0 });
    }
    // The clock stands still meanwhile: a slow machine is no silent Discord.
    await waitUntil(() => host.words.includes(`words ${'x'.repeat(500)} ${count - 1}`), {
      what: `message ${count - 1}`,
    });
    // What the test itself remembers is not the adapter's.
    for (const list of [host.received, host.healths, host.logged]) list.length = 0;
    server.forget();
  };
  const work = async (batches: number): Promise<number> => {
    for (let index = 0; index < batches; index += 1) await meet();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await work(warmUp);
  const after = await work(people / batch);
  expect(after - before).toBeLessThan(mostGrowth);
  await bench.close();
}
