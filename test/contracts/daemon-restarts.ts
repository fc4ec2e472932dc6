import { describe, expect, test } from 'vitest';
import { held } from '../support/scripted-model.ts';
import { waitUntil } from '../support/wait-for.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { sees, timesSeen } from './connected-adapter.ts';
import { daemonOn } from './contract-daemon.ts';

/** What a process leaves, the next one goes on with. */
export function daemonRestarts({ open, confirming }: ChannelSetting): void {
  describe('restarts', () => {
    test('a message that was stored when the process died, and not acknowledged, is answered once', async () => {
      const { daemon, platform, model } = await daemonOn(open);
      let deaths = 0;
      daemon.onPoint = (point) => {
        if (point !== 'message-stored') return;
        deaths += 1;
        throw new Error('the process died here');
      };
      platform.say('hello');
      await waitUntil(() => deaths > 0, { what: 'the message to be stored' });
      await daemon.stop();
      daemon.onPoint = () => {};
      await daemon.start();
      await sees(platform, 'echo: hello', daemon.clock);
      platform.say('next');
      await sees(platform, 'echo: next', daemon.clock);
      expect(model.requests).toHaveLength(2);
      expect(timesSeen(platform, 'echo: hello')).toBe(1);
    });

    test('a message whose answer was being written when the process ended is answered once', async () => {
      const { daemon, platform, model } = await daemonOn(open);
      model.next({ early: 'half an ', rest: held('answer').script });
      platform.say('hello');
      await model.asked(1);
      await daemon.restart();
      await sees(platform, 'echo: hello', daemon.clock);
      expect(model.requests).toHaveLength(2);
      expect(timesSeen(platform, 'echo: hello')).toBe(1);
      expect(platform.seen()).not.toContain('half an answer');
    });

    test('an answer that was shown when the process died, and not noted down, is there at most twice', async () => {
      const { daemon, platform, model } = await daemonOn(open);
      const died = Promise.withResolvers<void>();
      daemon.onPoint = (point) => {
        if (point !== 'reply-sent') return;
        died.resolve();
        throw new Error('the process died here');
      };
      platform.say('hello');
      await died.promise;
      await daemon.stop();
      daemon.onPoint = () => {};
      await daemon.start();
      platform.say('next');
      await sees(platform, 'echo: next', daemon.clock);
      expect(timesSeen(platform, 'echo: hello')).toBeLessThanOrEqual(2);
      expect(timesSeen(platform, 'echo: hello')).toBeGreaterThan(0);
      expect(model.requests).toHaveLength(2);
    });

    test('a process that ends and begins again says nothing by itself', async () => {
      const { daemon, platform, model } = await daemonOn(open);
      platform.say('hello');
      await sees(platform, 'echo: hello', daemon.clock);
      await daemon.restart();
      platform.say('next');
      await sees(platform, 'echo: next', daemon.clock);
      expect(timesSeen(platform, 'echo: hello')).toBe(1);
      expect(model.requests).toHaveLength(2);
    });

    if (confirming !== undefined) {
      test('what is said while no process runs is answered by the next one, in its order', async () => {
        const { daemon, platform, model } = await daemonOn(confirming);
        await daemon.stop();
        for (const text of ['one', 'two', 'three']) platform.say(text);
        await daemon.start();
        await sees(platform, 'echo: three', daemon.clock);
        const heard = model.requests
          .at(-1)
          ?.messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));
        expect(heard?.join('\n').match(/one|two|three/g)).toEqual(['one', 'two', 'three']);
      });
    }
  });
}
