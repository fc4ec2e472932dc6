import { expect, test } from 'vitest';
import { call } from '../support/scripted-model.ts';
import { waitUntil } from '../support/wait-for.ts';
import { approveButton, askedSetting, deploySetting } from './deploy-setting.ts';

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
  const { channel, clock, deploy, button } = await askedSetting();
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

test('a reminder of what nobody decided before it could be sent is not sent', async () => {
  const { setting, channel, clock } = await askedSetting();
  await channel.whenIdle();
  channel.failNext({ type: 'transient' }, { says: 'Still waiting', ...lasting });
  clock.advance(halfTime);
  await clock.waitsFor(500);
  await clock.passes(halfTime);
  const isOver = (): boolean => channel.screen.some(({ text }) => text.startsWith('⌛'));
  // It may have been tried once more just before.
  await waitUntil(() => isOver() || clock.waits.includes(1000));
  await waitUntil(() => setting.rows(`SELECT 1 FROM approvals WHERE state = 'expired'`).length === 1);
  clock.advance(1000);
  await waitUntil(isOver);
  await channel.whenIdle();
  expect(setting.rows(`SELECT state FROM outbox WHERE markdown LIKE '%Still waiting%'`)).toEqual([
    { state: 'abandoned' },
  ]);
  expect(channel.screen.filter(({ text }) => text.includes('Still waiting'))).toEqual([]);
});

test('the time of a card that its platform does not take begins when it is parked', async () => {
  const { setting, model, channel, clock } = await deploySetting();
  model.next([call('deploy', { what: 'site' })]);
  // The card is refused, and then its stub, for good: it waits for `/retry`, which owners are told of.
  channel.failNext({ type: 'transient', isBlocked: true }, { says: 'deploy', ...lasting });
  channel.failNext({ type: 'permanent' }, { says: 'could not be shown here', ...lasting });
  await channel.say('go');
  for (const pause of [500, 1000, 2000, 4000, 8000]) {
    await clock.passes(pause);
  }
  await waitUntil(() => setting.rows('SELECT 1 FROM outbox WHERE parked_at IS NOT NULL').length === 1);
  await channel.whenIdle();
  const [approval] = setting.rows(
    'SELECT shown_at - created_at AS after, expires_at - created_at AS ends FROM approvals',
  );
  expect(approval).toEqual({ after: 15_500, ends: 15_500 + 2 * halfTime });
});
