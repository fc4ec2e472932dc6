import { expect, test } from 'vitest';
import type { InboundEvent } from '../../../src/contract.ts';
import { intakeSetting } from './intake-setting.ts';

test('what could not be stored is tried again, in its order, and holds up no other channel', async () => {
  const setting = await intakeSetting();
  const { server, host } = setting;
  const [one, other] = [server.direct('1001'), server.direct('1002')];
  const stored: InboundEvent[] = [];
  let failures = 0;
  host.store = async (event) => {
    if (event.conversation.chatId === one && failures < 4) {
      failures += 1;
      throw new Error('The disk is full.');
    }
    stored.push(event);
    return {};
  };
  for (const text of ['1', '2', '3']) server.say(one, text);
  server.say(other, 'elsewhere');
  await setting.passes(() => stored.length === 4);
  expect(stored.map((event) => event.type === 'message' && event.text)).toEqual(['elsewhere', '1', '2', '3']);
  expect(host.received.filter((event) => event.conversation.chatId === one)).toHaveLength(7);
  expect(setting.intake.isStuck).toBe(false);
});

test('it says that it is stuck while nothing can be stored, and ends with the session', async () => {
  const setting = await intakeSetting();
  const { server, host, over, intake } = setting;
  host.store = async () => Promise.reject(new Error('The disk is full.'));
  server.say(server.direct('1001'), 'lost');
  server.say(server.direct('1001'), 'lost, too');
  await setting.dispatches('MESSAGE_CREATE');
  await host.receives(1);
  await setting.passes(() => intake.isStuck);
  over.abort();
  await setting.settles('MESSAGE_CREATE');
  expect(host.words).not.toContain('lost, too');
  expect(host.logged.join('\n')).toMatch('not stored yet');
});

test('nothing is said in the log of what people write', async () => {
  const setting = await intakeSetting();
  const { server, host } = setting;
  host.store = async () => Promise.reject(new Error('The disk is full.'));
  server.say(server.direct('1001'), 'my secret');
  await setting.passes(() => setting.intake.isStuck);
  expect(host.logged.join('\n')).not.toMatch('my secret');
});
