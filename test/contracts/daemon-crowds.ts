import { describe, expect, test } from 'vitest';
import { call, wordsOf } from '../support/scripted-model.ts';
import { contains, waitUntil } from '../support/wait-for.ts';
import { WrittenAnswer } from '../support/written-answer.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { daemonOn } from './contract-daemon.ts';
import type { CorrectingPlatform, CrowdedPlatform } from './platform.ts';

/** Among many, Keyturn speaks with those whom it may speak with, calls nobody, and goes along where they go. */
export function daemonCrowds({ crowded, correcting, moving }: ChannelSetting): void {
  if (crowded !== undefined) {
    describe('in a group', () => {
      test('nobody is called by what a model writes, while it writes it, on a card, or at the end', async () => {
        const { platform, model, clock } = await daemonOn(crowded);
        const ids = (['owner', 'friend', 'stranger'] as const).map((who) => platform.idOf(who));
        const calls = ids.flatMap((id) => [`<@${id}>`, `<@!${id}>`, `[you](tg://user?id=${id})`]).join(' ');
        const hostile = `@everyone @here <!channel> <!here|here> </code></pre> ${calls} \`\`\`</code> `;
        const answer = new WrittenAnswer();
        model.next(answer);
        platform.sayIn(platform.group, `deploy ${calls}`, 'owner');
        for (const piece of hostile.match(/.{1,20}/gs) ?? []) {
          await answer.write(piece);
          clock.advance(1_000);
        }
        await answer.call('m1', 'deploy', { what: hostile });
        await answer.end();
        await reads(platform, 'expires');
        model.next(hostile);
        expect(platform.called()).toEqual([]);
        // In that time the connection may have been made again.
        await platform.ready?.();
        void platform.pressIn(platform.group, '✅ Approve', 'owner');
        await reads(platform, /allowed it.*<!here\|here>/s);
        expect(platform.seenIn(platform.group)).toContain('@everyone');
        expect(platform.called()).toEqual([]);
      });

      test('what Keyturn itself says, changes and asks makes no run', async () => {
        const { platform, model } = await daemonOn(crowded);
        model.next([call('deploy', { what: 'site' })], 'deployed');
        platform.sayIn(platform.group, 'deploy', 'owner');
        await reads(platform, 'expires');
        void platform.pressIn(platform.group, '✅ Approve', 'owner');
        await reads(platform, 'deployed');
        platform.sayIn(platform.group, 'and now?', 'owner');
        await reads(platform, /echo: .*and now\?/);
        expect(model.requests).toHaveLength(3);
      });

      test('what a program or a stranger says, and changes, makes no run, and the model never reads it', async () => {
        const { platform, model } = await daemonOn<CrowdedPlatform & Partial<CorrectingPlatform>>(
          correcting ?? crowded,
        );
        for (const who of ['bot', 'stranger'] as const) {
          platform.sayIn(platform.group, `words of the ${who}`, who);
          platform.correct?.(`other words of the ${who}`);
        }
        platform.sayIn(platform.group, 'hello', 'friend');
        await reads(platform, /echo: .*hello/);
        expect(model.requests).toHaveLength(1);
        expect(JSON.stringify(model.requests)).not.toContain('words of the');
      });
    });
  }

  if (moving !== undefined) {
    test('a group that gets another id goes on with what was said in it, and with what was asked', async () => {
      const { daemon, platform, model } = await daemonOn(moving);
      platform.sayIn(platform.movable, 'remember the seven', 'owner');
      await reads(platform, /echo: .*remember the seven/, platform.movable);
      const now = platform.move();
      platform.sayIn(now, 'what was it?', 'owner');
      await reads(platform, /echo: .*what was it\?/, now);
      expect(wordsOf(await model.asked(2))).toContain('remember the seven');
      await daemon.restart();
      platform.sayIn(now, 'and after that?', 'owner');
      await reads(platform, /echo: .*and after that\?/, now);
      expect(wordsOf(await model.asked(3))).toContain('remember the seven');
    });

    test('an answer that is written while the group gets another id is shown there', async () => {
      const { platform, model } = await daemonOn(moving);
      const answer = new WrittenAnswer();
      model.next(answer);
      platform.sayIn(platform.movable, 'tell me', 'owner');
      await model.asked(1);
      const now = platform.move();
      await answer.write('It is so.');
      await answer.end();
      await reads(platform, 'It is so.', now);
      expect(platform.seenIn(now).split('It is so.')).toHaveLength(2);
    });
  }
}

/** Resolves when this can be read in the conversation, which is the group if it is not said. */
async function reads(platform: CrowdedPlatform, words: string | RegExp, conversation = platform.group): Promise<void> {
  await waitUntil(() => contains(platform.seenIn(conversation), words), {
    what: `the group to read ${String(words)}`,
    describe: () => platform.seenIn(conversation),
    everyMs: 4,
  });
}
