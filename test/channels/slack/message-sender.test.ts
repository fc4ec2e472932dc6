import { describe, expect, test } from 'vitest';
import { commandKey } from '../../../channels/slack/private-answers.ts';
import { slackWords } from '../../../channels/slack/words.ts';
import { channel, general, OutboundSetting, person, reply } from './outbound-setting.ts';

const buttons = [
  [
    { actionId: 'a:1:approve', label: 'Approve', shortcut: '/approve 1', style: 'primary' },
    { actionId: 'a:1:deny', label: 'Deny', shortcut: '/deny 1', style: 'danger' },
  ],
  [
    {
      actionId: 'a:1:why',
      label: `Deny, ${'because '.repeat(20)}`,
      shortcut: '/deny 1 …',
      style: 'plain',
      asks: 'Why not?',
    },
  ],
] as const;

describe('a message', () => {
  test('is shown as markdown, without what is behind its links, and with its words for notifications', async () => {
    const setting = await OutboundSetting.start();
    const { id } = await setting.sender.send(general(), reply('# **Hello** <you> & [all](https://example.com)'));
    const [shown] = setting.server.chat(channel);
    expect(shown).toMatchObject({
      ts: id,
      blocks: [{ type: 'markdown', text: '# **Hello** <you> & [all](https://example.com)' }],
      fallback: 'Hello <you> & all',
      unfurls: { links: false, media: false },
      metadata: { event_type: 'keyturn_message', event_payload: { id: 'm1' } },
    });
    expect(shown?.threadTs).toBeUndefined();
  });

  test('has its buttons below it, each with its own id; one that asks carries what it asks', async () => {
    const setting = await OutboundSetting.start();
    await setting.sender.send(general(), reply('May I?', { buttons }));
    const shown = setting.server.chat(channel).at(-1)?.buttons ?? [];
    expect(shown.map(({ actionId, value, style }) => [actionId, value, style])).toEqual([
      ['press:0', 'a:1:approve', 'primary'],
      ['press:1', 'a:1:deny', 'danger'],
      ['ask:2', '{"id":"a:1:why","asks":"Why not?"}', undefined],
    ]);
    expect(shown.every(({ label }) => label.length <= 75)).toBe(true);
  });

  test('that is as long as it may be is taken, also as a change and with buttons', async () => {
    const setting = await OutboundSetting.start();
    const long = '&<é '.repeat(3000);
    const ref = await setting.sender.send(general(), reply(long, { buttons }));
    await setting.sender.edit(general(), ref, reply(long.toUpperCase(), { buttons }));
    expect(setting.texts).toEqual([long.toUpperCase()]);
  });

  test('whose formatting Slack does not take goes without', async () => {
    const setting = await OutboundSetting.start();
    setting.server.fault({ method: 'chat.postMessage', kind: 'error', error: 'invalid_blocks', times: 1 });
    const text = `hello\n\n${'word '.repeat(2000)}end`;
    await setting.sender.send(general(), reply(text, { buttons }));
    const [shown] = setting.server.chat(channel);
    expect(shown?.text.replaceAll(/\s+/g, '')).toBe(text.replaceAll(/\s+/g, ''));
    expect(shown?.buttons).toHaveLength(3);
    expect(shown?.blocks.some(({ type }) => type === 'markdown')).toBe(false);
  });

  test('with a half character in it arrives all the same', async () => {
    const setting = await OutboundSetting.start();
    await setting.sender.send(general(), reply('half \ud83d'));
    expect(setting.texts).toEqual(['half \ufffd']);
  });
});

describe('a message whose answer was lost', () => {
  test.each([general, 'thread'] as const)('is found, and not sent a second time (%s)', async (where) => {
    const setting = await OutboundSetting.start();
    const to = where === 'thread' ? setting.thread() : where();
    setting.server.fault({ method: 'chat.postMessage', kind: 'drop-after', times: 1 });
    expect(await setting.faultOf(setting.sender.send(to, reply('hello there')))).toMatchObject({ type: 'ambiguous' });
    setting.clock.advance(30_000);
    await setting.sender.send(to, reply('another', { id: 'm2' }));
    const { id } = await setting.sender.send(to, reply('hello there'));
    expect(setting.texts).toEqual(['hello there', 'another']);
    expect(setting.server.chat(channel).find(({ ts }) => ts === id)?.text).toBe('hello there');
  });

  test('that did not arrive is sent again', async () => {
    const setting = await OutboundSetting.start();
    setting.server.fault({ method: 'chat.postMessage', kind: 'drop-before', times: 1 });
    expect(await setting.faultOf(setting.sender.send(general(), reply('hello')))).toMatchObject({ type: 'ambiguous' });
    await setting.sender.send(general(), reply('hello'));
    expect(setting.texts).toEqual(['hello']);
  });

  test('is sent again where the bot may not read what stands there', async () => {
    const setting = await OutboundSetting.start();
    setting.server.home.grant(['chat:write']);
    setting.server.fault({ method: 'chat.postMessage', kind: 'drop-after', times: 1 });
    await setting.faultOf(setting.sender.send(general(), reply('hello')));
    await setting.sender.send(general(), reply('hello'));
    expect(setting.texts).toEqual(['hello', 'hello']);
  });

  test('is found though looking for it fails once', async () => {
    const setting = await OutboundSetting.start();
    setting.server.fault({ method: 'chat.postMessage', kind: 'drop-after', times: 1 });
    setting.server.fault({ method: 'conversations.history', kind: 'status', status: 500, times: 1 });
    await setting.faultOf(setting.sender.send(general(), reply('hello')));
    await setting.sender.send(general(), reply('hello'));
    expect(setting.texts).toEqual(['hello']);
  });

  test('is not sent once more after an outage in which looking for it and sending it failed', async () => {
    const setting = await OutboundSetting.start();
    setting.server.fault({ method: 'chat.postMessage', kind: 'drop-after', times: 1 });
    await setting.faultOf(setting.sender.send(general(), reply('hello')));
    for (const method of ['conversations.history', 'chat.postMessage'])
      setting.server.fault({ method, kind: 'status', status: 500 });
    for (let tries = 0; tries < 5; tries += 1) await setting.faultOf(setting.sender.send(general(), reply('hello')));
    setting.server.clearFaults();
    setting.server.fault({ method: 'conversations.history', kind: 'status', status: 500, times: 1 });
    await setting.sender.send(general(), reply('hello'));
    expect(setting.texts).toEqual(['hello']);
  });

  test('is looked for with each try, and goes out at last where looking keeps failing', async () => {
    const setting = await OutboundSetting.start();
    const mayStandSince = setting.clock.now();
    const { id } = await setting.sender.send(general(), reply('there', { id: 'm2' }));
    const fault = setting.server.fault({ method: 'conversations.history', kind: 'status', status: 500 });
    const next = setting.outgoing();
    const send = (text: string, id: string) => next.send(general(), reply(text, { id, mayStandSince }));
    for (const looks of [2, 4, 6]) {
      expect(await setting.faultOf(send('hello', 'm3'))).toMatchObject({ type: 'transient' });
      expect(fault.fired).toBe(looks);
    }
    await send('hello', 'm3');
    await send('and that', 'm4');
    expect(setting.texts).toEqual(['there', 'hello', 'and that']);
    setting.server.clearFaults();
    // What was missed is found as soon as looking works.
    expect(await send('there', 'm2')).toEqual({ id });
  });

  test.each([general, 'thread'] as const)('because the process ended is found by the next one (%s)', async (where) => {
    const setting = await OutboundSetting.start();
    const to = where === 'thread' ? setting.thread() : where();
    const mayStandSince = setting.clock.now();
    const { id } = await setting.sender.send(to, reply('hello there'));
    setting.clock.advance(600_000);
    const next = setting.outgoing();
    expect(await next.send(to, { ...reply('hello there'), mayStandSince })).toEqual({ id });
    await next.send(to, { ...reply('that is all', { id: 'm2' }), mayStandSince });
    expect(setting.texts).toEqual(['hello there', 'that is all']);
  });

  test('costs no look at the history otherwise', async () => {
    const setting = await OutboundSetting.start();
    await setting.sender.send(general(), reply('hello'));
    expect(setting.server.calls.map(({ method }) => method)).toEqual(['chat.postMessage']);
  });
});

describe('a change', () => {
  test('of a message that a former process has left growing stops it first', async () => {
    const setting = await OutboundSetting.start();
    const to = setting.thread();
    const { ts } = await setting.api.call('chat.startStream', {
      channel,
      thread_ts: to.threadId,
      recipient_user_id: person,
      recipient_team_id: 'T00000001',
      markdown_text: 'half of',
    });
    await setting.sender.edit(to, { id: String(ts) }, reply('all of it'));
    expect(setting.server.chat(channel).at(-1)).toMatchObject({ text: 'all of it', streaming: 'completed' });
  });

  test.each(['file:F1', 'ephemeral:1700000000.000001', '17'])('of %s is impossible, for good', async (id) => {
    const setting = await OutboundSetting.start();
    expect(await setting.faultOf(setting.sender.edit(general(), { id }, reply('other')))).toMatchObject({
      type: 'permanent',
    });
    expect(setting.server.calls).toEqual([]);
  });
});

describe('the answer to a slash command', () => {
  test('is seen by the person who gave it alone', async () => {
    const setting = await OutboundSetting.start();
    const privateTo = commandKey(person, 'trigger');
    const { id } = await setting.sender.send(general(), reply('for you', { privateTo }));
    expect(setting.server.home.ephemerals(channel, person)).toMatchObject([{ text: 'for you' }]);
    expect(setting.texts).toEqual([]);
    expect(id).toMatch(/^ephemeral:/);
  });

  test('goes to the address that came with the command where the bot is not in the channel', async () => {
    const setting = await OutboundSetting.start();
    setting.server.home.addChannel('C00ELSEWHERE', { hasBot: false, members: [person] });
    const { payload } = setting.server.home.command('C00ELSEWHERE', '/keyturn', 'status', { from: person }).delivery;
    const privateTo = commandKey(person, 'trigger');
    const message = reply('for you', { privateTo });
    const elsewhere = { ...general(), chatId: 'C00ELSEWHERE' };
    expect(await setting.faultOf(setting.sender.send(elsewhere, message))).toMatchObject({ type: 'permanent' });
    setting.urls.set(privateTo, String(payload.response_url));
    await setting.sender.send(elsewhere, message);
    expect(setting.server.home.ephemerals('C00ELSEWHERE', person)).toMatchObject([{ text: 'for you' }]);
    setting.urls.set(privateTo, `${payload.response_url}-which-is-over`);
    expect(await setting.faultOf(setting.sender.send(elsewhere, message))).toMatchObject({ type: 'permanent' });
  });

  test('goes to no address that is not one of Slack', async () => {
    const setting = await OutboundSetting.start();
    setting.server.home.leave(channel);
    const privateTo = commandKey(person, 'trigger');
    setting.urls.set(privateTo, 'https://slack.com.example.org/commands/1');
    expect(await setting.faultOf(setting.sender.send(general(), reply('hello', { privateTo })))).toMatchObject({
      type: 'permanent',
      message: expect.stringContaining(slackWords.en.notSlacksAddress),
    });
  });
});

describe('the status of a thread', () => {
  test('says that an answer is coming', async () => {
    const setting = await OutboundSetting.start();
    const outgoing = setting.outgoing();
    const to = setting.thread();
    await outgoing.showTyping(to);
    const statuses = setting.server.callsOf('assistant.threads.setStatus').map(({ params }) => params.status);
    expect(statuses).toEqual(['is thinking…']);
  });

  test('is not shown where there is no thread', async () => {
    const setting = await OutboundSetting.start();
    await setting.outgoing().showTyping(general());
    expect(setting.server.calls).toEqual([]);
  });

  test('is not asked for again where the app may not show it, and nobody is bothered with that', async () => {
    const setting = await OutboundSetting.start();
    setting.server.home.grant(['chat:write']);
    const outgoing = setting.outgoing();
    const to = setting.thread();
    for (let twice = 0; twice < 2; twice += 1) await outgoing.showTyping(to);
    expect(setting.calls('assistant.threads.setStatus')).toBe(1);
  });
});
