import { describe, expect, test } from 'vitest';
import { ChannelError, type ChannelFault } from '../../src/contract.ts';
import { RecordingHost } from '../support/recording-host.ts';
import { waitUntil } from '../support/wait-for.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { connected, opened, reply, sees, start, stopped, timesSeen } from './connected-adapter.ts';
import { type NetworkedPlatform, platformLimit } from './platform.ts';

const faults: readonly Exclude<ChannelFault, { type: 'moved' }>[] = [
  { type: 'rate-limited', retryAfter: platformLimit },
  { type: 'transient' },
  { type: 'permanent' },
  { type: 'auth' },
  { type: 'ambiguous' },
];

/** What goes wrong is said, and ends nothing that can go on. */
export function adapterFaults({ networked }: ChannelSetting): void {
  if (networked === undefined) return;
  describe('faults', () => {
    test.each(faults)(
      'a message that meets %j says just that, is not tried again, and the next one goes',
      async (fault) => {
        const { platform, adapter, host } = await connected(networked);
        platform.fail(fault.type);
        const words = 'a text for nobody else';
        const error: unknown = await adapter.send(platform.home, reply(words)).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(ChannelError);
        expect(error).toMatchObject({ fault: expectedOn(platform, fault) });
        if (fault.type !== 'ambiguous') expect(platform.seen()).not.toContain(words);
        // Who was refused for its credentials may wait for a moment.
        host.clock.advance(1_000);
        await adapter.send(platform.home, reply('the next', { id: 'm2' }));
        await sees(platform, 'the next');
        expect(timesSeen(platform, words)).toBe(fault.type === 'ambiguous' ? 1 : 0);
        const told = host.logged.join('\n') + allOf(error);
        expect(told).not.toContain(words);
        expect(told).not.toContain(platform.secret);
      },
    );

    test('credentials that hold no more are the end, with advice, and are not tried again and again', async () => {
      const platform = await opened(networked);
      platform.revoke();
      const { host } = await start(platform);
      await host.is('dead');
      expect(host.health).toMatchObject({ reason: expect.stringContaining(`channels.${platform.channel}`) });
      const attempts = platform.attempts();
      expect(attempts).toBeLessThan(10);
      for (let minute = 0; minute < 60; minute += 1) host.clock.advance(60_000);
      // A whole exchange later nothing has been tried.
      const other = await start(platform);
      await other.host.is('dead');
      expect(platform.attempts()).toBeLessThanOrEqual(attempts * 2);
      expect(host.healths.filter(({ status }) => status === 'dead')).toHaveLength(1);
      expect(JSON.stringify(host.healths) + host.logged.join('\n')).not.toContain(platform.secret);
    });

    test('credentials that are revoked while it receives are the end, too; begun again, it hears what is said then', async () => {
      const { platform, adapter, host } = await connected(networked);
      platform.revoke();
      platform.say('wake');
      await host.is('dead');
      platform.restore();
      await stopped(adapter, host);
      const next = new RecordingHost();
      next.knownConversations = [platform.home];
      await adapter.start(next);
      await next.is('connected');
      await platform.ready?.();
      platform.say('can you hear me?');
      await next.hears('can you hear me?');
      await adapter.send(platform.home, reply('I can'));
      await sees(platform, 'I can');
    });

    test('an outage is said, and when it is over it is connected again and what was said meanwhile arrives', async () => {
      const { platform, adapter, host } = await connected(networked);
      platform.outage(true);
      await host.is('failing');
      expect(host.health).toMatchObject({ reason: expect.stringMatching(/\w+ \w+/) });
      platform.say('are you there?');
      for (let minute = 0; minute < 10; minute += 1) host.clock.advance(60_000);
      platform.outage(false);
      await host.is('connected');
      await host.hears('are you there?');
      await adapter.send(platform.home, reply('I am'));
      await sees(platform, 'I am');
      expect(host.healths.map(({ status }) => status)).not.toContain('dead');
    });

    test('it does not say that it is connected while what comes in cannot be stored', async () => {
      const { platform, host } = await connected(networked);
      host.store = () => Promise.reject(new Error('the disk is full'));
      platform.say('hello');
      await host.is('failing');
      host.store = async () => ({});
      await host.is('connected');
    });

    test('a platform that falls silent is noticed within 90 s', async () => {
      const { platform, host } = await connected(networked);
      platform.fallSilent();
      platform.say('wake');
      const begun = host.clock.now();
      const meanwhile = (): void => host.clock.advance(2_500);
      await waitUntil(() => host.health?.status === 'failing', { what: 'the silence to be noticed', meanwhile });
      expect(host.clock.now() - begun).toBeLessThan(90_000);
    });
  });
}

/** Where a message that is sent again is not shown again, a lost answer is a fault that passes. */
function expectedOn({ mergesRepeats = false }: NetworkedPlatform, fault: ChannelFault): object {
  if (fault.type === 'ambiguous' && mergesRepeats) return { type: 'transient' };
  return fault.type === 'rate-limited' ? { ...fault, retryAfter: expect.closeTo(platformLimit, -3) } : fault;
}

/** All that an error says, with what it holds and what caused it. */
function allOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.stack} ${JSON.stringify(error)} ${error.cause === undefined ? '' : allOf(error.cause)}`;
}
