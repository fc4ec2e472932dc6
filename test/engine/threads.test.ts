import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../src/contract.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';

const thread: Conversation = { ...group, threadId: 'root' };

async function threadSetting(rules: Readonly<Record<string, unknown>> = {}) {
  const config = { channels: { test: { allow_from: ['bob', 'helper-bot'], groups: { team: rules } } } };
  return daemonSetting({ config });
}

describe('in a thread', () => {
  const reply = { in: thread, addressed: false, isThreadReply: true } as const;

  test('that it has taken part in, no further mention is needed, by anybody who may talk there', async () => {
    const { channel, model } = await threadSetting();
    await channel.say('before', reply);
    await channel.ask('hello', 'echo: [Ada] hello', { in: thread, isThreadReply: true, at: 'test:team:#root' });
    await channel.ask('and then?', '[Bob] and then?', { ...reply, by: 'bob', at: 'test:team:#root' });
    // She has not called it: nobody need tell her that she may not.
    expect(await channel.say('who is that?', { ...reply, by: 'eve' })).toEqual({});
    await channel.whenIdle(thread);
    expect(model.requests).toHaveLength(2);
    const { notice } = await channel.say('and I?', { in: thread, isThreadReply: true, by: 'eve' });
    expect(notice).toContain('You may not talk with me here');
  });

  test('a command needs no mention either', async () => {
    const { channel } = await threadSetting();
    await channel.ask('hello', 'hello', { in: thread, at: 'test:team:#root' });
    await channel.ask('/stop', 'nothing to stop', { ...reply, at: 'test:team:#root' });
  });

  test('that it has not taken part in, a mention is needed, as it is beside a thread', async () => {
    const { channel, model } = await threadSetting();
    await channel.ask('hello', 'hello', { in: thread, at: 'test:team:#root' });
    await channel.say('elsewhere', { ...reply, in: { ...group, threadId: 'other' } });
    await channel.say('beside', { in: group, addressed: false });
    await channel.say('not a reply', { in: thread, addressed: false });
    await channel.whenIdle(thread);
    expect(model.requests).toHaveLength(1);
  });

  test('a program has to call it each time', async () => {
    const { channel, model } = await threadSetting();
    await channel.ask('hello', 'hello', { in: thread, at: 'test:team:#root' });
    await channel.say('beep', { ...reply, by: 'helper-bot', isPerson: false });
    await channel.whenIdle(thread);
    expect(model.requests).toHaveLength(1);
  });

  test('where the config does not want it, a mention is needed each time', async () => {
    const { channel, model } = await threadSetting({ follow_threads: false });
    await channel.ask('hello', 'hello', { in: thread, at: 'test:team:#root' });
    await channel.say('and then?', reply);
    await channel.whenIdle(thread);
    expect(model.requests).toHaveLength(1);
  });

  test('it still takes part after a restart', async () => {
    const setting = await threadSetting();
    await setting.channel.ask('hello', 'hello', { in: thread, at: 'test:team:#root' });
    await setting.restart();
    await setting.channel.ask('and then?', /and then\?$/, { ...reply, at: 'test:team:#root' });
  });
});

describe('a channel that has connected', () => {
  test('is told where people have talked, the latest first, and when a process was last there', async () => {
    const setting = await threadSetting();
    const { channel, clock } = setting;
    expect(channel.leftAt).toBeUndefined();
    for (const place of [group, thread]) {
      await channel.say('hello', { in: place });
      await channel.whenIdle(place);
      clock.advance(1000);
    }
    await channel.ask('let me in', 'private assistant', { by: 'eve', at: 'test:eve' });
    expect(await channel.places(1)).toEqual([thread]);
    const leftAt = clock.now();
    await setting.stop();
    clock.advance(60_000);
    await setting.start();
    expect(channel.leftAt).toBe(leftAt);
    expect(await channel.places(9)).toEqual([thread, group]);
  });

  test('is told of other chats, however many threads a chat has', async () => {
    const { channel, clock } = await threadSetting();
    await channel.say('hello');
    for (let index = 0; index < 30; index += 1) {
      clock.advance(1000);
      await channel.say('hello', { in: { ...group, threadId: `thread${index}` } });
    }
    const places = await channel.places(20);
    expect(places.map(({ threadId = 'none' }) => threadId)).toEqual([
      ...Array.from({ length: 10 }, (_, index) => `thread${29 - index}`),
      'none',
    ]);
  });
});
