import { expect, test } from 'vitest';
import { approvalWords } from '../../../src/approval/words.ts';
import { deploySetting } from '../../engine/deploy-setting.ts';
import { call } from '../../support/scripted-model.ts';
import { hour, minute, planningSetting } from './planning-setting.ts';

const tick = 20_000;

test('what became due while the machine slept is said within seconds of its waking', async () => {
  const { channel, clock, plan } = await planningSetting();
  await plan('remind', { text: 'tea', in_minutes: 30 });
  clock.jump(2 * hour);
  clock.advance(tick);
  expect((await channel.sees('⏰')).text).toContain('tea');
});

test('what is planned comes in its time though the clock went back and forth', async () => {
  const { channel, clock, plan } = await planningSetting();
  await plan('remind', { text: 'tea', in_minutes: 30 });
  clock.jump(-5 * hour);
  clock.advance(tick);
  await channel.whenIdle();
  clock.jump(5 * hour + 30 * minute);
  clock.advance(tick);
  expect((await channel.sees('⏰')).text).toContain('tea');
});

test('an approval whose time was over while the machine slept ends within seconds of its waking', async () => {
  const { setting, model, channel, clock } = await deploySetting({ config: { approval: { timeout_secs: 3600 } } });
  model.next([call('deploy', { what: 'site' })]);
  await channel.cardFor('go');
  // The card's time begins when it is noted that it stands there.
  await channel.whenIdle();
  clock.jump(2 * hour);
  clock.advance(tick);
  await channel.sees(approvalWords.en.expired(''));
  expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
});
