import { expect, test } from 'vitest';
import { call } from '../support/scripted-model.ts';
import { approveButton, deploySetting } from './deploy-setting.ts';

const halfTime = 900_000;
const lasting = { lasts: true } as const;

test('a card that comes late has all its time from then on, and says nothing of an end that nobody saw', async () => {
  const { setting, model, channel, clock, deploy } = await deploySetting();
  model.next([call('deploy', { what: 'site' })]);
  channel.failNext({ type: 'transient' }, lasting);
  await channel.say('deploy the site');
  await clock.waitsFor(500);
  clock.advance(3 * halfTime);
  await clock.waitsFor(1000);
  channel.recover();
  clock.advance(1000);
  const card = await channel.card();
  expect(card.text).toContain('Open for 30 min.');
  await channel.whenIdle();
  expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
  clock.advance(halfTime);
  await channel.sees('Still waiting');
  await channel.press(await approveButton(channel));
  await deploy.ran(1);
  expect(channel.screen.filter(({ text }) => text.startsWith('⌛'))).toEqual([]);
});

test('a reminder of what is decided before it could be sent is not sent', async () => {
  const { model, channel, clock, deploy } = await deploySetting();
  model.next([call('deploy', { what: 'site' })]);
  await channel.say('deploy the site');
  const button = await approveButton(channel);
  await channel.whenIdle();
  channel.failNext({ type: 'transient' }, { says: 'Still waiting' });
  clock.advance(halfTime);
  await clock.waitsFor(500);
  await channel.press(button);
  await deploy.ran(1);
  clock.advance(5000);
  await channel.whenIdle();
  expect(channel.traffic.filter(({ text }) => text.includes('Still waiting'))).toEqual([
    expect.objectContaining({ failed: true }),
  ]);
});

test('a card of what is decided before it could be sent is not sent', async () => {
  const { setting, model, channel, clock, deploy } = await deploySetting();
  model.next([call('deploy', { what: 'site' })]);
  channel.failNext({ type: 'transient' }, { says: 'deploy' });
  await channel.say('deploy the site');
  await clock.waitsFor(500);
  const [approval] = setting.rows('SELECT id FROM approvals');
  await channel.say(`/approve ${String(approval?.id)}`);
  await deploy.ran(1);
  clock.advance(5000);
  await channel.whenIdle();
  clock.advance(5000);
  await channel.whenIdle();
  expect(channel.screen.filter(({ kind }) => kind === 'card')).toEqual([]);
});
