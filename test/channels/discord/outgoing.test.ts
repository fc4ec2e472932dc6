import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { DiscordApi } from '../../../channels/discord/api.ts';
import { Outgoing } from '../../../channels/discord/outgoing.ts';
import type { Button, OutboundFile } from '../../../src/contract.ts';
import { lazyParser } from '../../../src/lib/markdown-parser.ts';
import { newFile } from '../../support/new-folder.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { failureOf } from '../kit/request-faults.ts';
import { conversationIn, message, outgoingSetting } from './outgoing-setting.ts';

const sending = 'POST /channels/:channel/messages';

async function fileWith(content: string): Promise<OutboundFile> {
  return { name: 'résumé; a"b.txt', mediaType: 'text/plain', path: await newFile(content) };
}

describe('a message', () => {
  test('is shown in its channel, calls nobody, and shows no previews of links', async () => {
    const { server, outgoing, channel, channelId } = await outgoingSetting();
    const { id } = await outgoing.send(channel, message('**Hi** @everyone <@1001> https://a.com'));
    const [shown] = server.chat(channelId);
    expect(shown).toMatchObject({ id, from: 'bot', pings: [], flags: 4 });
    expect(shown?.text).toBe('**Hi** @everyone \\<@1001> <https://a.com>');
    expect(server.callsOf(sending)[0]?.body).toMatchObject({
      nonce: expect.any(String),
      enforce_nonce: true,
      allowed_mentions: { parse: [], replied_user: false },
    });
  });

  test('rings, unless it is to be silent; a change of it never rings', async () => {
    const { server, outgoing, channel, channelId } = await outgoingSetting();
    const silent = 1 << 12;
    await outgoing.send(channel, message('loud'));
    const ref = await outgoing.send(channel, message('working on it', { kind: 'status', isSilent: true }));
    const flags = () => server.chat(channelId).map((shown) => shown.flags & silent);
    expect(flags()).toEqual([0, silent]);
    await outgoing.edit(channel, ref, message('done', { kind: 'status', isSilent: true }));
    expect(flags()).toEqual([0, silent]);
    expect(server.callsOf('PATCH /channels/:channel/messages/:message')[0]?.body).toMatchObject({ flags: 4 });
  });

  test('that answers something that is gone, or may not be answered, is sent all the same', async () => {
    const { server, outgoing, channel, channelId } = await outgoingSetting();
    await outgoing.send(channel, message('a', { replyTo: '123456789012345678' }));
    const asked = server.say(channelId, 'q');
    server.scenery.deny(channelId, 'READ_MESSAGE_HISTORY');
    await outgoing.send(channel, message('bb', { replyTo: asked.id }));
    await outgoing.send(channel, message('ccc', { replyTo: 'command:17' }));
    expect(server.chat(channelId).map(({ text }) => text)).toEqual(['a', 'q', 'bb', 'ccc']);
  });

  test('goes to no other place than one of Discord', async () => {
    const { server, outgoing } = await outgoingSetting();
    const odd = conversationIn('1', '../../users/@me');
    expect((await failureOf(outgoing.send(odd, message('x')))).fault.type).toBe('permanent');
    expect((await failureOf(outgoing.edit(odd, { id: '1' }, message('x')))).fault.type).toBe('permanent');
    expect(server.calls).toEqual([]);
  });

  test('for an archived thread opens it again', async () => {
    const { server, outgoing, guildId, channelId } = await outgoingSetting();
    const thread = server.people.startThread(channelId, 'talk');
    const conversation = conversationIn(guildId, channelId, thread);
    const ref = await outgoing.send(conversation, message('old'));
    server.people.changeThread(thread, { archived: true });
    await outgoing.edit(conversation, ref, message('new'));
    expect(server.chat(thread)).toMatchObject([{ text: 'new' }]);
    server.people.changeThread(thread, { archived: true, locked: true });
    expect((await failureOf(outgoing.edit(conversation, ref, message('newer')))).fault.type).toBe('permanent');
  });
});

describe('a message whose answer is lost', () => {
  test('is shown once, however often it is sent while Discord remembers it', async () => {
    const { server, outgoing, channel, channelId } = await outgoingSetting();
    server.fault({ route: sending, kind: 'drop-after', times: 2 });
    for (let count = 0; count < 2; count += 1)
      expect((await failureOf(outgoing.send(channel, message('hi')))).fault.type).toBe('transient');
    const { id } = await outgoing.send(channel, message('hi'));
    expect(server.chat(channelId)).toMatchObject([{ id, text: 'hi' }]);
  });

  test('may have to be shown twice once Discord has forgotten it, and says so', async () => {
    const { server, outgoing, channel, clock } = await outgoingSetting();
    server.fault({ route: sending, kind: 'drop-before', times: 4 });
    const faultOf = async () => (await failureOf(outgoing.send(channel, message('hi')))).fault.type;
    expect(await faultOf()).toBe('transient');
    clock.advance(100_000);
    expect(await faultOf()).toBe('transient');
    clock.advance(30_000);
    expect(await faultOf()).toBe('ambiguous');
    expect(await faultOf()).toBe('ambiguous');
    await outgoing.send(channel, message('hi'));
    server.fault({ route: sending, kind: 'drop-before', times: 1 });
    expect(await faultOf()).toBe('transient');
  });

  test('and whose text has gone on since shows the new one', async () => {
    const { server, outgoing, channel, channelId } = await outgoingSetting();
    server.fault({ route: sending, kind: 'drop-after', times: 1 });
    await failureOf(outgoing.send(channel, message('The beginning', { id: 'same' })));
    const buttons: Button[][] = [[{ actionId: 'a', label: 'A', shortcut: '/a', style: 'plain' }]];
    await outgoing.send(channel, message('The beginning and the end', { id: 'same', buttons }));
    expect(server.chat(channelId)).toMatchObject([{ text: 'The beginning and the end', buttons: [{ label: 'A' }] }]);
  });

  test('and that was deleted meanwhile is sent again with its new text', async () => {
    const { server, outgoing, channel, channelId } = await outgoingSetting();
    const former = await outgoing.send(channel, message('working', { id: 'abcdefghij' }));
    await outgoing.remove(channel, former);
    const { id } = await outgoing.send(channel, message('interrupted', { id: 'abcdefghij' }));
    expect(server.chat(channelId)).toMatchObject([{ id, text: 'interrupted' }]);
    expect((await outgoing.send(channel, message('interrupted', { id: 'abcdefghij' }))).id).toBe(id);
  });
});

describe('buttons', () => {
  const button = (actionId: string, style: Button['style'], more: Partial<Button> = {}): Button => ({
    actionId,
    label: actionId,
    shortcut: `/${actionId}`,
    style,
    ...more,
  });

  test('stand in rows below the text, and a press that asks for words is marked', async () => {
    const { server, outgoing, channel, channelId } = await outgoingSetting();
    const buttons = [
      [button('yes', 'primary'), button('no', 'danger')],
      [],
      [button('why', 'plain', { asks: 'Why not?', label: '😀'.repeat(60) })],
    ];
    await outgoing.send(channel, message('ok?', { kind: 'card', buttons }));
    expect(server.chat(channelId)[0]?.buttons).toEqual([
      { label: 'yes', data: 'yes', style: 3, disabled: false },
      { label: 'no', data: 'no', style: 4, disabled: false },
      { label: `${'😀'.repeat(39)}…`, data: 'ask:why', style: 2, disabled: false },
    ]);
  });
});

describe('a file', () => {
  test('has the text beside it, and is sent once if the answer is lost', async () => {
    const { server, outgoing, channel, channelId } = await outgoingSetting();
    server.fault({ route: sending, kind: 'drop-after', times: 1 });
    const withFile = message('see', { file: await fileWith('content') });
    expect((await failureOf(outgoing.send(channel, withFile))).fault.type).toBe('transient');
    await outgoing.send(channel, withFile);
    expect(server.chat(channelId)).toMatchObject([{ text: 'see', files: [{}] }]);
  });

  test('that is gone, or is a folder, is refused for good before anything is sent', async () => {
    const { server, outgoing, channel } = await outgoingSetting();
    for (const path of ['/nowhere/at/all', tmpdir()]) {
      const file = { name: 'x', mediaType: 'text/plain', path };
      expect((await failureOf(outgoing.send(channel, message('', { file })))).fault.type).toBe('permanent');
    }
    expect(server.calls).toEqual([]);
  });

  test('that is too large for Discord is refused for good', async () => {
    const { outgoing, channel } = await outgoingSetting();
    const file = await fileWith('x'.repeat(10 * 2 ** 20 + 1));
    const failure = await failureOf(outgoing.send(channel, message('', { file })));
    expect(failure).toMatchObject({ fault: { type: 'permanent' }, message: expect.stringContaining('larger') });
  });
});

test('a card does not wait for a reply that Discord leaves without an answer', async () => {
  const { server, interactions, clock, channel, channelId } = await outgoingSetting();
  const patient = new DiscordApi({ token: server.token, api_url: server.apiUrl, request_timeout_secs: 240 }, clock);
  const outgoing = new Outgoing({ api: patient, interactions, parse: lazyParser(), clock });
  const hang = server.fault({ route: sending, kind: 'hang', times: 1 });
  const reply = failureOf(outgoing.send(channel, message('a long reply')));
  await server.waitFor(() => hang.fired === 1);
  await outgoing.send(channel, message('May I?', { kind: 'card' }));
  expect(server.chat(channelId).map(({ text }) => text)).toEqual(['May I?']);
  await server.close();
  expect((await reply).fault.type).toBe('transient');
});

test('a change of a message that is gone, or too old to be changed so often, is refused for good', async () => {
  const { server, outgoing, channel, clock } = await outgoingSetting();
  const ref = await outgoing.send(channel, message('x'));
  server.mostLateEdits = 0;
  clock.advance(2 * 3_600_000);
  expect(await failureOf(outgoing.edit(channel, ref, message('y')))).toMatchObject({
    fault: { type: 'permanent' },
    message: expect.stringContaining('30046'),
  });
  const gone = { id: '123456789012345678' };
  expect((await failureOf(outgoing.edit(channel, gone, message('y')))).fault.type).toBe('permanent');
});

test('a mark waits a moment where Discord takes no two reactions at once', async () => {
  const { server, clock, marks, channel, channelId } = await outgoingSetting();
  const { id } = server.say(channelId, 'hi');
  await marks(channel, id, 'seen');
  server.fault({ route: '*', kind: '429', retryAfter: 0.05, times: 1 });
  const shown = marks(channel, id, 'done');
  await server.waitFor(() => server.faultsFired('429') === 1);
  await waitUntil(() => server.chat(channelId)[0]?.reactions.join() === '✅', {
    meanwhile: () => clock.advance(500),
  });
  await shown;
});

describe('a reaction', () => {
  test('takes the place of the mark, and may be any emoji', async () => {
    const { server, marks, react, channel, channelId } = await outgoingSetting();
    const { id } = server.say(channelId, 'hi');
    await marks(channel, id, 'seen');
    expect([await react(channel, id, '🪿'), await react(channel, id, '❤')]).toEqual(['🪿', '❤️']);
    expect(server.chat(channelId)[0]?.reactions).toEqual(['🪿', '❤️']);
    expect((await failureOf(react(channel, id, 'goose'))).fault.type).toBe('permanent');
  });
});

describe('marks', () => {
  test('are eyes from when a message is seen until it is answered', async () => {
    const { server, marks, channel, channelId } = await outgoingSetting();
    const { id } = server.say(channelId, 'hi');
    const shown = () => server.chat(channelId)[0]?.reactions;
    await marks(channel, id, 'seen');
    await marks(channel, id, 'working');
    expect(shown()).toEqual(['👀']);
    await marks(channel, id, 'done');
    expect(shown()).toEqual(['✅']);
    expect(server.callsOf('PUT /channels/:channel/messages/:message/reactions/:emoji/@me')).toHaveLength(2);
  });

  test('are not tried for each message where the bot may not react, and the log says so once', async () => {
    const { server, marks, host, clock, channel, channelId } = await outgoingSetting();
    server.scenery.deny(channelId, 'ADD_REACTIONS');
    const { id } = server.say(channelId, 'hi');
    const other = server.say(channelId, 'hello');
    for (const message of [id, other.id, id]) await marks(channel, message, 'seen');
    const tried = () => server.callsOf('PUT /channels/:channel/messages/:message/reactions/:emoji/@me').length;
    expect(tried()).toBe(1);
    expect(host.logged.filter((line) => line.startsWith('messages there cannot be marked'))).toHaveLength(1);
    server.scenery.deny(channelId);
    clock.advance(7 * 3_600_000);
    await marks(channel, id, 'done');
    expect(tried()).toBe(2);
    expect(server.chat(channelId)[0]?.reactions).toEqual(['✅']);
  });

  test('of a message that is gone say nothing about its channel', async () => {
    const { server, marks, channel, channelId } = await outgoingSetting();
    expect((await failureOf(marks(channel, '123456789012345678', 'seen'))).fault.type).toBe('permanent');
    const { id } = server.say(channelId, 'hi');
    await marks(channel, id, 'seen');
    expect(server.chat(channelId)[0]?.reactions).toEqual(['👀']);
  });
});
