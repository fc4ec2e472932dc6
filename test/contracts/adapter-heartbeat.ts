import { describe, expect, test } from 'vitest';
import { RecordingHost } from '../support/recording-host.ts';
import { waitUntil } from '../support/wait-for.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { connected, stopped } from './connected-adapter.ts';

/** Who promises to say how it is, says so, and does not say that all is well when it is not. */
export function adapterHeartbeat({ beating }: ChannelSetting): void {
  if (beating === undefined) return;
  describe('the heartbeat', () => {
    test('is kept while nothing happens', async () => {
      const { adapter, host } = await connected(beating);
      const { heartbeat = 0 } = adapter.capabilities;
      expect(heartbeat).toBeGreaterThan(0);
      for (let beat = 0; beat < 2; beat += 1) {
        const said = host.healths.length;
        await waitUntil(() => host.healths.length > said, { what: 'a sign of life', timeoutMs: heartbeat });
        expect(host.health?.status).toBe('connected');
      }
    });

    test('ceases where it is stuck, and stopped and started again it receives what it had', async () => {
      const { platform, adapter, host } = await connected(beating);
      host.store = () => new Promise(() => {});
      platform.say('hello');
      await host.hears('hello');
      const said = host.healths.length;
      host.clock.advance(3 * (adapter.capabilities.heartbeat ?? 0));
      await stopped(adapter, host);
      expect(host.healths.slice(said).map(({ status }) => status)).not.toContain('connected');
      const next = new RecordingHost();
      await adapter.start(next);
      await next.hears('hello');
      await waitUntil(() => platform.isConfirmed(), { what: 'the message to be acknowledged' });
    });
  });
}
