import { expect, test } from 'vitest';
import { waitUntil } from '../support/wait-for.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { card, connected, start } from './connected-adapter.ts';

/** An event that comes again is known by its key. */
export function adapterRepeats({ persistent, repeating }: ChannelSetting): void {
  if (persistent !== undefined) {
    test('what could not be stored comes again, with the same key', async () => {
      const { platform, host } = await connected(persistent);
      let failures = 2;
      host.store = async () => {
        failures -= 1;
        if (failures >= 0) throw new Error('the disk is full');
        return {};
      };
      platform.say('hello');
      await waitUntil(() => host.received.length >= 3, {
        what: 'the message to come again',
        describe: () => host.words.join(),
        meanwhile: () => host.clock.advance(500),
      });
      await host.is('connected');
      platform.say('the next');
      await host.hears('the next');
      expect(host.words).toEqual(['hello', 'hello', 'hello', 'the next']);
      expect(new Set(host.received.map(({ key }) => key)).size).toBe(2);
    });
  }

  if (repeating !== undefined) {
    test('a message has the same key at every delivery, also for the next process, and no other has it', async () => {
      const { platform, adapter, host } = await connected(repeating);
      platform.say('hello');
      await host.receives(1);
      platform.repeat();
      await host.receives(2);
      await adapter.stop();
      const next = await start(platform);
      await next.host.is('connected');
      platform.repeat();
      const [again] = await next.host.receives(1);
      platform.say('hello');
      const [, other] = await next.host.receives(2);
      expect(new Set([...host.received, again].map((event) => event?.key)).size).toBe(1);
      expect(other?.key).not.toBe(again?.key);
    });

    test('a press has the same key at every delivery, and the next press of the button has another', async () => {
      const { platform, adapter, host } = await connected(repeating);
      await adapter.send(platform.home, card());
      platform.press('Approve');
      await host.receives(1);
      platform.repeat();
      await host.receives(2);
      platform.press('Approve');
      const [first, second, other] = await host.receives(3);
      expect(second?.key).toBe(first?.key);
      expect(other?.key).not.toBe(first?.key);
    });
  }
}
