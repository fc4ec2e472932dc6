import { describe, expect, test } from 'vitest';
import type { ChannelSetting } from './channel-setting.ts';
import { connected, opened, start, stopped } from './connected-adapter.ts';

/** An adapter begins and ends when it is told to, whatever the platform does: a test that waits for it runs out of time. */
export function adapterLifecycle({ open, confirming, networked }: ChannelSetting): void {
  describe('start and stop', () => {
    test('it starts, says that it is connected, and stops, also a second time, and where it was never started', async () => {
      const { platform, adapter, host } = await connected(open);
      expect(host.health?.status).toBe('connected');
      await adapter.stop();
      await adapter.stop();
      await platform.connect().stop();
    });

    test('it stops while an event is being stored', async () => {
      const { platform, adapter, host } = await connected(open);
      host.store = () => new Promise(() => {});
      platform.say('hello');
      await host.hears('hello');
      await stopped(adapter, host);
    });

    test('once stopped, it tells nothing any more, and the next one receives', async () => {
      const { platform, adapter, host } = await connected(open);
      platform.say('before');
      await host.hears('before');
      await adapter.stop();
      const told = host.healths.length;
      const next = await start(platform);
      await next.host.is('connected');
      platform.say('after');
      await next.host.hears('after');
      expect(host.words).toEqual(['before']);
      expect(host.healths).toHaveLength(told);
    });

    if (confirming !== undefined) {
      test('what people do while nobody receives arrives after the next start', async () => {
        const { platform, adapter } = await connected(confirming);
        await adapter.stop();
        platform.say('in between');
        const next = await start(platform);
        await next.host.hears('in between');
      });

      test('what was not stored when it was stopped arrives after the next start', async () => {
        const { platform, adapter, host } = await connected(confirming);
        host.store = () => new Promise(() => {});
        platform.say('hello');
        await host.hears('hello');
        await stopped(adapter, host);
        expect(platform.isConfirmed()).toBe(false);
        const next = await start(platform);
        await next.host.hears('hello');
      });
    }

    if (networked !== undefined) {
      test('it starts though nobody can be reached, says so, and connects when somebody can be', async () => {
        const platform = await opened(networked);
        platform.outage(true);
        const { host } = await start(platform);
        await host.is('failing');
        platform.outage(false);
        await host.is('connected');
        platform.say('hello');
        await host.hears('hello');
      });

      test('it stops while nobody can be reached', async () => {
        const platform = await opened(networked);
        platform.outage(true);
        const { adapter, host } = await start(platform);
        await host.is('failing');
        await adapter.stop();
      });

      test('it starts though nobody answers, and stops', async () => {
        const platform = await opened(networked);
        platform.fallSilent();
        const { adapter, host } = await start(platform);
        expect(host.health?.status).not.toBe('connected');
        await adapter.stop();
      });
    }
  });
}
