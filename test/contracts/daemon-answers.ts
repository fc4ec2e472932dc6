import { describe, expect, test } from 'vitest';
import { held, wordsOf } from '../support/scripted-model.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { sees, timesSeen } from './connected-adapter.ts';
import { daemonOn } from './contract-daemon.ts';
import { countFamilies, longAnswer, wordsIn } from './long-answer.ts';

/** In milliseconds. */
const stall = 150;

/** What people say is answered, once. */
export function daemonAnswers({ open, repeating, networked }: ChannelSetting): void {
  describe('answers', () => {
    if (repeating !== undefined) {
      test('a message that is delivered three times is answered once', async () => {
        const { platform, model } = await daemonOn(repeating);
        platform.say('hello');
        platform.repeat();
        await sees(platform, 'echo: hello');
        platform.repeat();
        platform.say('next');
        await sees(platform, 'echo: next');
        expect(model.requests).toHaveLength(2);
        expect(timesSeen(platform, 'echo: hello')).toBe(1);
      });
    }

    test('an answer of 50 kB can be read from the first word to the last, once', async () => {
      const { platform, model } = await daemonOn(open);
      const { markdown, words, families } = longAnswer();
      model.next(markdown);
      platform.say('tell me all');
      await sees(platform, words.at(-1) ?? '');
      expect(wordsIn(platform.seen())).toEqual(words);
      expect(countFamilies(platform.seen())).toBe(families);
    });

    test('a process that stands still for a while loses nothing and answers nothing twice', async () => {
      const { platform, model, clock } = await daemonOn(open);
      platform.say('before');
      await sees(platform, 'echo: before');
      for (const text of ['one', 'two', 'three']) {
        platform.say(text);
        standStill(stall / 3);
      }
      // As after a suspended machine: every timer is late.
      clock.advance(120_000);
      await sees(platform, 'echo: three', clock);
      const heard = model.requests
        .map(wordsOf)
        .at(-1)
        ?.match(/before|one|two|three/g);
      expect(heard).toEqual(['before', 'one', 'two', 'three']);
      clock.advance(120_000);
      platform.say('after');
      await sees(platform, 'echo: after', clock);
      expect(timesSeen(platform, 'echo: three')).toBe(1);
      expect(timesSeen(platform, 'echo: before')).toBe(1);
    });

    if (networked !== undefined) {
      test.each(['rate-limited', 'transient'] as const)(
        'an answer that meets a fault that passes (%s) is shown later, once',
        async (fault) => {
          const { platform, clock } = await daemonOn(networked);
          platform.fail(fault);
          platform.say('hello');
          await sees(platform, 'echo: hello', clock);
          platform.say('next');
          await sees(platform, 'echo: next');
          expect(timesSeen(platform, 'echo: hello')).toBe(1);
        },
      );

      test('an answer whose first sending may have succeeded is there at least once, and at most twice', async () => {
        const { platform, clock } = await daemonOn(networked);
        platform.fail('ambiguous');
        platform.say('hello');
        await sees(platform, 'echo: hello');
        platform.say('next');
        await sees(platform, 'echo: next', clock);
        expect(timesSeen(platform, 'echo: hello')).toBeLessThanOrEqual(2);
      });

      test('a platform that falls silent is heard again within 90 s of speaking, without a restart', async () => {
        const { platform, model, clock } = await daemonOn(networked);
        platform.say('before');
        await sees(platform, 'echo: before');
        await platform.ready?.();
        const { script, release } = held('at last');
        model.next(script);
        platform.fallSilent();
        platform.say('hello');
        await model.asked(2);
        await platform.speakAgain();
        platform.say('meanwhile');
        release();
        const begun = clock.now();
        await sees(platform, 'echo: meanwhile', clock);
        expect(clock.now() - begun).toBeLessThan(90_000);
        expect(timesSeen(platform, 'at last')).toBe(1);
      });

      test('after an outage of ten minutes what was said meanwhile is answered, without a restart', async () => {
        const { platform, model, clock } = await daemonOn(networked);
        platform.say('before');
        await sees(platform, 'echo: before');
        platform.outage(true);
        platform.say('meanwhile');
        for (let minute = 0; minute < 10; minute += 1) clock.advance(60_000);
        platform.outage(false);
        await sees(platform, 'echo: meanwhile', clock);
        expect(model.requests).toHaveLength(2);
      });
    }
  });
}

/** Nothing else in the process goes on meanwhile. */
function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
