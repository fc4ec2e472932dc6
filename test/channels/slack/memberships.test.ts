import { expect, test } from 'vitest';
import { ada, bob, bot, general, type IntakeSetting, intakeSetting, posted, team } from './intake-setting.ts';

const conversation = { channel: 'slack', tenant: team, chatId: general, kind: 'group', title: '#general' };

/** Somebody has talked there, so that the name of the channel is known, however slow Slack is. */
async function isNamed(setting: IntakeSetting, channel: string): Promise<void> {
  for (let title: string | undefined; title === undefined; )
    ({ title } = (await setting.hears('hi', { channel })).message.conversation);
}

test('who invites the bot into a channel, and who takes it out, is told', async () => {
  const setting = await intakeSetting();
  const { people } = setting.slack;
  await isNamed(setting, general);
  await setting.takes(people.invite(general, ada), people.remove(general, bob));
  const [added, removed] = setting.host.received.slice(-2);
  expect(added).toMatchObject({ type: 'membership', change: 'added', conversation, sender: { id: `${team}/${ada}` } });
  expect(removed).toMatchObject({ change: 'removed', conversation, sender: { id: `${team}/${bob}`, isPerson: true } });
  expect(removed?.key).not.toBe(added?.key);
});

test('a private channel that the bot is taken out of keeps the name that it is known by', async () => {
  const setting = await intakeSetting();
  const { home, people } = setting.slack;
  home.addChannel('C0PRIVATE', { kind: 'group', name: 'plans', members: [ada] });
  await isNamed(setting, 'C0PRIVATE');
  await setting.takes(people.invite('C0PRIVATE', ada));
  await setting.takes(people.remove('C0PRIVATE', ada));
  const memberships = setting.host.received.filter(({ type }) => type === 'membership');
  const titles = memberships.map((event) => event.conversation?.title);
  expect(titles).toEqual(['#plans', '#plans']);
});

test('nobody is named if Slack names nobody, and others who come say nothing', async () => {
  const setting = await intakeSetting();
  const joined = (fields: object) =>
    setting.intake.take(posted({ type: 'member_joined_channel', event_ts: '1700000000.000200', ...fields }));
  for (const inviter of [undefined, bot]) {
    expect(await joined({ user: bot, inviter })).toBe(true);
    expect(setting.host.received.at(-1)).toMatchObject({
      change: 'added',
      sender: { id: 'unknown', name: '', isPerson: false },
    });
  }
  expect(await joined({ user: bob, inviter: ada })).toBe(false);
  expect(await setting.intake.take(posted({ type: 'channel_left', channel: 7, event_ts: '1.1' }))).toBe(false);
  expect(setting.host.received).toHaveLength(2);
});
