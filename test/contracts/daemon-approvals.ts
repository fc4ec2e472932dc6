import { describe, expect, test } from 'vitest';
import { approvalWords } from '../../src/approval/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { expiredResult } from '../../src/words/model-words.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { waitUntil } from '../support/wait-for.ts';
import type { ChannelSetting, Open } from './channel-setting.ts';
import { sees } from './connected-adapter.ts';
import { daemonOn } from './contract-daemon.ts';
import type { Platform } from './platform.ts';

const approve = '✅ Approve';
const deny = '❌ Deny';
const expired = approvalWords.en.expired('');
const halfAnHour = 1_800_000;

/** A call that needs a person is carried out if the right one says so, and once. */
export function daemonApprovals({ open, repeating, patient, interrupting, crowded }: ChannelSetting): void {
  describe('approvals', () => {
    test('what the owner approves is carried out, and the card says so', async () => {
      const daemon = await asking(open);
      daemon.platform.press(approve);
      await sees(daemon.platform, 'deployed');
      expect(daemon.deploy.executed).toEqual(['site']);
      expect(daemon.platform.seen()).toMatch(/✅ .* allowed it/);
    });

    test('what the owner denies is not, and the model is told', async () => {
      const daemon = await asking(open);
      daemon.platform.press(deny);
      await sees(daemon.platform, 'deployed');
      await sees(daemon.platform, /❌ .* denied it/);
      expect(daemon.deploy.executed).toEqual([]);
      expect(resultsOf(await daemon.model.asked(2))[0]).toMatch(/denied this call.*They gave no reason\./s);
    });

    test('two presses at once carry it out once', async () => {
      const { platform, deploy } = await asking(open);
      platform.press(approve);
      platform.press(approve);
      await sees(platform, 'deployed');
      platform.say('and now?');
      await sees(platform, 'echo: and now?');
      expect(deploy.executed).toEqual(['site']);
    });

    test('a card that was open when the process ended works in the next one', async () => {
      const daemon = await asking(open);
      const { platform } = daemon;
      await daemon.stop();
      const cards = platform.seen();
      await daemon.start();
      // Where what was shown cannot be seen any more, the card is shown again.
      if (!daemon.capabilities.history) await waitUntil(() => platform.seen() !== cards);
      platform.press(approve);
      await sees(platform, 'deployed');
      expect(daemon.deploy.executed).toEqual(['site']);
      expect(daemon.rows('SELECT state FROM approvals')).toEqual([{ state: 'approved' }]);
    });

    test('what nobody decided in time is not carried out, whatever is pressed afterwards', async () => {
      const daemon = await asking(open);
      daemon.clock.advance(halfAnHour / 2);
      await sees(daemon.platform, 'Still waiting');
      daemon.clock.advance(halfAnHour / 2);
      await sees(daemon.platform, expired, daemon.clock);
      // In that time the connection may have been made again.
      await daemon.platform.ready?.();
      expect(daemon.model.requests).toHaveLength(1);
      daemon.platform.say('y');
      await sees(daemon.platform, /deployed|echo: y/);
      const request = JSON.stringify(await daemon.model.asked(2));
      expect(request).toContain(expiredResult);
      expect(daemon.deploy.executed).toEqual([]);
      expect(daemon.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
    });

    if (repeating !== undefined) {
      test('a press that is delivered three times decides once', async () => {
        const { platform, deploy, model } = await asking(repeating);
        platform.press(approve);
        platform.repeat();
        await sees(platform, 'deployed');
        platform.repeat();
        platform.say('and now?');
        await sees(platform, 'echo: and now?');
        expect(deploy.executed).toEqual(['site']);
        expect(model.requests).toHaveLength(3);
      });
    }

    if (patient !== undefined) {
      test('a press while no process runs counts in the next one', async () => {
        const daemon = await asking(patient);
        await daemon.stop();
        daemon.platform.press(approve);
        await daemon.start();
        await sees(daemon.platform, 'deployed');
        expect(daemon.deploy.executed).toEqual(['site']);
      });
    }

    if (interrupting !== undefined) {
      test('a press while a tool runs is taken at once, and is carried out after it', async () => {
        const { daemon, platform, model, deploy, slow } = await daemonOn(interrupting);
        model.next([call('slow', { what: 'work' }), call('deploy', { what: 'site' })], 'deployed');
        platform.say('do both');
        await Promise.all([slow.ran(1), sees(platform, 'expires')]);
        platform.press(approve);
        await sees(platform, /✅ .* allowed it/);
        expect(deploy.executed).toEqual([]);
        expect(model.requests).toHaveLength(1);
        daemon.release();
        await sees(platform, 'deployed');
        expect(deploy.executed).toEqual(['site']);
      });
    }

    if (crowded !== undefined) {
      test('nobody else decides, and each is told so alone', async () => {
        const { daemon, platform, model, deploy } = await daemonOn(crowded);
        model.next([call('deploy', { what: 'site' })], 'deployed');
        platform.sayIn(platform.group, 'deploy', 'owner');
        const reads = (words: string): Promise<unknown> =>
          waitUntil(() => platform.seenIn(platform.group).includes(words), { what: words });
        await reads('expires');
        // If the card is slow to come, a preview of the call stands there before it.
        await waitUntil(() => !platform.seenIn(platform.group).includes('⏳'), { what: 'the end of the preview' });
        const before = platform.seenIn(platform.group);
        for (const who of ['friend', 'stranger'] as const) {
          expect(await platform.pressIn(platform.group, approve, who)).toContain(engineWords.en.toastNotYours);
        }
        expect(await platform.pressIn(platform.group, approve, 'bot')).not.toBe('');
        expect(platform.seenIn(platform.group)).toBe(before);
        expect(daemon.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
        expect(await platform.pressIn(platform.group, approve, 'owner')).toBe('');
        await reads('deployed');
        expect(deploy.executed).toEqual(['site']);
      });

      test('of two presses in the same instant the first decides, and the second is told so', async () => {
        const { platform, deploy } = await asking(crowded);
        const presses = [approve, deny].map((label) => platform.pressIn(platform.home, label, 'owner'));
        // Not every platform says which press it is that is told so.
        expect((await Promise.all(presses)).toSorted()).toEqual(['', approvalWords.en.toastSettled('approved')]);
        await sees(platform, 'deployed');
        expect(deploy.executed).toEqual(['site']);
      });

      test('it is decided where it was asked, and nowhere else', async () => {
        const daemon = await asking(crowded);
        const { platform } = daemon;
        const actionId = platform.actionOf(approve);
        expect(await platform.forge(platform.group, actionId, 'owner')).toContain(engineWords.en.toastAskedElsewhere);
        expect(await platform.forge(platform.group, 'ap:../../etc:a', 'owner')).not.toBe('');
        expect(daemon.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
        platform.press(approve);
        await sees(platform, 'deployed');
        expect(await platform.forge(platform.home, actionId, 'owner')).toContain(
          approvalWords.en.toastSettled('approved'),
        );
        expect(daemon.deploy.executed).toEqual(['site']);
      });

      test('a press that comes too late is told so', async () => {
        const daemon = await asking(crowded);
        const { platform, clock } = daemon;
        const actionId = platform.actionOf(approve);
        clock.advance(halfAnHour);
        await sees(platform, expired, clock);
        // In that time the connection may have been made again.
        await platform.ready?.();
        expect(await platform.forge(platform.home, actionId, 'owner')).toContain('Too late');
        expect(daemon.deploy.executed).toEqual([]);
      });
    }
  });
}

/** A daemon that has asked at home whether it may deploy. */
async function asking<Kind extends Platform>(open: Open<Kind>) {
  const { daemon } = await daemonOn(open);
  daemon.model.next([call('deploy', { what: 'site' })], 'deployed');
  daemon.platform.say('deploy');
  await sees(daemon.platform, 'expires');
  // From then on its time runs.
  const isNoted = (): boolean => daemon.rows('SELECT 1 FROM approvals WHERE shown_at IS NOT NULL').length === 1;
  await waitUntil(isNoted, { what: 'the note that the card is shown' });
  return daemon;
}
