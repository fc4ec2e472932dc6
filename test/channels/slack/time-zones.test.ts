import { expect, test } from 'vitest';
import { ada, bob, intakeSetting } from './intake-setting.ts';

test('a person is where Slack says, with their next message after at most an hour once that changes', async () => {
  const { slack, host, hears } = await speaking();
  slack.home.addPerson({ id: ada, tz: 'Asia/Shanghai' });
  expect(await hears()).toBe('Asia/Shanghai');
  slack.home.addPerson({ id: ada, tz: 'America/New_York' });
  expect(await hears()).toBe('Asia/Shanghai');
  host.clock.advance(3_600_000);
  expect(await hears()).toBe('America/New_York');
});

test.each([
  ['is not told', undefined],
  ['is null', null],
  ['is empty', ''],
  ['is blank', '  '],
] as const)('nothing is said of where they are if it %s', async (_, tz) => {
  const { slack, hears } = await speaking();
  slack.home.addPerson({ id: ada, tz });
  expect(await hears()).toBeUndefined();
});

test('of several people, each is where Slack says of them', async () => {
  const { slack, setting, hears } = await speaking();
  slack.home.addPerson({ id: ada, tz: 'Asia/Tokyo' });
  slack.home.addPerson({ id: bob, tz: 'Europe/Berlin' });
  expect(await hears()).toBe('Asia/Tokyo');
  expect((await setting.hears('hello', { from: bob })).message.sender.timeZone).toBe('Europe/Berlin');
});

test('a person is spoken to in the language of their Slack, which it tells on request', async () => {
  const { setting, slack } = await speaking();
  slack.home.addPerson({ id: ada, locale: 'zh-CN' });
  slack.home.addPerson({ id: bob });
  expect((await setting.hears('hello', { channel: setting.direct })).message.sender.language).toBe('zh-CN');
  expect((await setting.hears('hello', { from: bob })).message.sender.language).toBe('en-US');
});

async function speaking() {
  const setting = await intakeSetting();
  const { slack, host } = setting;
  const hears = async () => (await setting.hears('hello', { channel: setting.direct })).message.sender.timeZone;
  return { setting, slack, host, hears };
}
