import { expect, test } from 'vitest';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { deliverySetting } from '../support/delivery-setting.ts';

function to(chatId: string) {
  return { type: 'moved', chatId } as const;
}

test('a message for a chat that has moved goes to where it is now, at once, and so do all later ones', async () => {
  const { channel, clock } = await daemonSetting();
  channel.failNext(to('team2'));
  await channel.ask('one', /^echo: .*one$/, { in: group, at: 'test:team2' });
  expect(clock.waits).not.toContain(0);
  await channel.ask('two', /^echo: .*two$/, { in: group, at: 'test:team2' });
  await channel.ask('three', /^echo: .*three$/, { in: { ...group, chatId: 'team2' }, at: 'test:team2' });
  expect(channel.textsIn('test:team')).toEqual([]);
});

test('a reply that was shown while it was written is shown where the chat is now', async () => {
  const { channel } = await daemonSetting({ channel: { streams: true } });
  channel.failNext(to('team2'), { of: 'finish' });
  await channel.ask('one', /^echo: .*one$/, { in: group, at: 'test:team2' });
});

test('a chat that moves to where it is already can not be reached', async () => {
  const { channel, say, whenIdle, moves, rows } = await deliverySetting();
  channel.failNext(to('ada'));
  await say('hello');
  await say('still there?');
  await whenIdle();
  expect(moves).toEqual([]);
  expect(rows('SELECT state FROM outbox ORDER BY seq')).toEqual([{ state: 'failed' }, { state: 'delivered' }]);
});

test('a chat that moves on and on can not be reached', async () => {
  const { channel, say, whenIdle, moves, rows } = await deliverySetting();
  for (const place of ['a', 'b', 'c', 'd']) channel.failNext(to(place));
  await say('hello');
  await whenIdle();
  expect(moves).toEqual(['ada → a', 'ada → b', 'ada → c']);
  expect(rows('SELECT state FROM outbox')).toEqual([{ state: 'failed' }]);
});

test('moves count again once something was sent', async () => {
  const { channel, say, whenIdle, rows } = await deliverySetting();
  for (const _ of ['first', 'second']) {
    for (const place of ['a', 'b', 'c']) channel.failNext(to(place));
    await say('hello');
    await whenIdle();
  }
  expect(rows('SELECT DISTINCT state FROM outbox')).toEqual([{ state: 'delivered' }]);
});
