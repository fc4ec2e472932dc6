import { expect, test } from 'vitest';
import type { ChannelHealth, Receipt } from '../../../src/contract.ts';
import { ChannelWatch } from '../../../src/conversation/health/channel-watch.ts';
import { HealthBoard } from '../../../src/conversation/health/health-board.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { SkippingClock } from '../../support/skipping-clock.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { ada, GatewayBench } from './gateway-bench.ts';

/** A host whose health is seen by the watch. */
class WatchedHost extends RecordingHost {
  onHealth: (health: ChannelHealth) => void = () => {};

  override reportHealth(health: ChannelHealth): void {
    super.reportHealth(health);
    this.onHealth(health);
  }
}

test('an adapter that has fallen silent is connected anew, and brings what it had not stored', async () => {
  const bench = await GatewayBench.open({ times: { heartbeat: 20 } });
  const { server } = bench;
  const clock = new SkippingClock();
  const health = new HealthBoard({ clock, log: silentLog });
  const hosts = [new WatchedHost(clock), new WatchedHost(clock)] as const;
  const [first, second] = hosts;
  for (const host of hosts) host.onHealth = (state) => health.report('discord', state);
  let sessions = 0;
  const watch = new ChannelWatch({
    adapters: new Map([['discord', bench.create()]]),
    health,
    hostOf: () => (sessions++ === 0 ? first : second),
    clock,
    log: silentLog,
  });
  await watch.start('discord');
  watch.begin();
  await waitUntil(() => first.health?.status === 'connected');

  first.store = () => new Promise<Receipt>(() => {});
  server.say(server.direct(ada), 'hello');
  await first.hears('hello');
  const begun = clock.now();
  const look = (): boolean => {
    if (second.words.includes('hello') && second.health?.status === 'connected') return true;
    clock.advance(1_000);
    return false;
  };
  await waitUntil(look, { timeoutMs: 10_000 });
  expect(clock.now() - begun).toBeLessThan(90_000);
  expect(sessions).toBe(2);
  expect(server.gateway.identifies).toHaveLength(1);
  await watch.stop();
  await bench.close();
});

test('one whose connection is silent is healed within 90 s, without anybody having to start it anew', async () => {
  const bench = await GatewayBench.open({ times: { heartbeat: 41_250 } });
  const { server, host } = bench;
  await bench.connect();
  server.gateway.isSilent = true;
  server.say(server.direct(ada), 'hello');
  const begun = host.clock.now();
  const look = (): boolean => {
    if (host.health?.status === 'failing') return true;
    host.clock.advance(1_000);
    return false;
  };
  await waitUntil(look, { timeoutMs: 10_000 });
  server.gateway.isSilent = false;
  await bench.comesIn('hello');
  expect(host.clock.now() - begun).toBeLessThan(90_000);
  expect(server.gateway.resumes).toHaveLength(1);
  await bench.close();
});
