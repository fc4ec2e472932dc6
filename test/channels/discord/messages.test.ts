import { expect, test } from 'vitest';
import { readHandle } from '../../../channels/discord/download.ts';
import { kitWords } from '../../../channels/kit/words.ts';
import { intakeSetting } from './intake-setting.ts';

test('a direct message is addressed, and stands in a direct conversation', async () => {
  const { server, host } = await intakeSetting();
  const chat = server.direct('1001');
  const before = Date.now();
  const { id } = server.say(chat, 'hello');
  const [event] = await host.receives(1);
  expect(event).toEqual({
    type: 'message',
    key: id,
    conversation: { channel: 'discord', chatId: chat, kind: 'direct' },
    sender: { id: '1001', name: 'Person 1001', isPerson: true },
    text: 'hello',
    addressed: true,
    sentAt: expect.toSatisfy((at: number) => at >= before - 1 && at <= Date.now()),
    messageId: id,
  });
});

test('a message in a guild stands in its channel, and its sender has the roles that they have there', async () => {
  const setting = await intakeSetting();
  const { guild, channel } = setting.addChannel('kitchen');
  const role = setting.server.scenery.addRole(guild.id, 'cooks', ['1002']);
  const { conversation, sender, addressed } = await setting.hears(channel, 'hello', { from: '1002' });
  expect(conversation).toEqual({
    channel: 'discord',
    tenant: guild.id,
    chatId: channel,
    kind: 'group',
    title: '#kitchen',
  });
  expect(sender).toEqual({ id: '1002', name: 'Person 1002', isPerson: true, roles: [`role:${role}`] });
  expect(addressed).toBe(false);
});

test('a person is called by the name that they have in the guild, then in Discord, then by that of their account', async () => {
  const { setting, chat } = await intakeSetting();
  const { sender } = await setting.hears(chat, 'hello');
  const sound = setting.dispatched.at(-1)?.data;
  const author = { id: '1001', username: 'ada_l', global_name: null };
  const [plain] = await setting.take('MESSAGE_CREATE', { ...Object(sound), author });
  const [nick] = await setting.take('MESSAGE_CREATE', {
    ...Object(sound),
    author,
    member: { nick: 'Countess', roles: [] },
  });
  expect([sender.name, plain?.sender.name, nick?.sender.name]).toEqual(['Person 1001', 'ada_l', 'Countess']);
});

test('a message in a thread or a post of a forum stands in the thread of its channel', async () => {
  const { setting, server } = await intakeSetting();
  const { guild, channel } = setting.addChannel();
  const thread = server.people.startThread(channel, 'plans');
  const forum = server.scenery.addChannel(guild.id, { name: 'ideas', type: 'forum' });
  const inThread = await setting.hears(thread, 'one');
  const inPost = await setting.message(server.people.post(forum, 'boats', 'two').id);
  const group = { channel: 'discord', tenant: guild.id, kind: 'group' };
  expect(inThread.conversation).toEqual({ ...group, chatId: channel, threadId: thread, title: 'plans' });
  expect(inPost.conversation).toMatchObject({ ...group, chatId: forum, title: 'boats' });
  expect([inThread.isThreadReply, inPost.isThreadReply]).toEqual([true, true]);
  expect(server.callsOf('GET /channels/:channel')).toHaveLength(0);
});

test('where a thread of which nobody told belongs is asked once, and tried again if that fails', async () => {
  const { setting, server, host } = await intakeSetting();
  const { channel } = setting.addChannel();
  const thread = server.people.startThread(channel, 'plans', { isAnnounced: false });
  const fault = server.fault({ route: 'GET /channels/:channel', kind: 'status', status: 503, times: 2 });
  const texts = ['one', 'two', 'three'];
  for (const text of texts) server.say(thread, text);
  server.say(channel, 'elsewhere');
  await host.hears('elsewhere');
  expect(host.words).toEqual(['elsewhere']);
  await server.waitFor(() => fault.fired === 1);
  await setting.passes(() => host.received.length === 4);
  expect(host.words).toEqual(['elsewhere', ...texts]);
  expect(host.received.slice(1).map(({ conversation }) => conversation)).toEqual(
    texts.map(() => expect.objectContaining({ chatId: channel, threadId: thread })),
  );
  expect(server.callsOf('GET /channels/:channel')).toHaveLength(3);
});

test('a message from where nothing can be said is given up, and the next ones are heard', async () => {
  const { setting, server } = await intakeSetting();
  const { guild, channel } = setting.addChannel();
  const message = server.say(channel, 'hello');
  await setting.take('MESSAGE_CREATE', {
    ...message,
    id: '77',
    channel_id: '78',
    channel_type: 11,
    guild_id: guild.id,
  });
  expect(setting.host.received.filter((event) => event.key === '77')).toEqual([]);
  await setting.hears(channel, 'still there');
});

test('a mention, a mention of the role of the bot and a reply to the bot are addressed', async () => {
  const { setting, server } = await intakeSetting();
  const { guild, channel } = setting.addChannel();
  const other = server.scenery.addRole(guild.id, 'cooks');
  const own = await setting.answer(channel, { content: 'I said' });
  const { id: strange } = server.say(channel, 'somebody said');
  const heard = [
    await setting.hears(channel, `<@${server.bot.id}> hi`),
    await setting.hears(channel, `<@&${guild.botRoleId}> hi`),
    await setting.hears(channel, 'hi', { replyTo: own, ping: false }),
    await setting.hears(channel, '@everyone hi'),
    await setting.hears(channel, `<@&${other}> hi`),
    await setting.hears(channel, 'hi', { replyTo: strange }),
  ];
  expect(heard.map(({ addressed }) => addressed)).toEqual([true, true, true, false, false, false]);
  expect(heard.slice(0, 3).map(({ text }) => text)).toEqual(['hi', 'hi', 'hi']);
});

test('a reply to a message of the bot that is gone is addressed, if it calls the bot', async () => {
  const setting = await intakeSetting();
  const { channel } = setting.addChannel();
  const own = await setting.answer(channel, { content: 'I said' });
  const message = setting.server.say(channel, 'hi', { replyTo: own });
  const [event] = await setting.take('MESSAGE_CREATE', { ...message, id: '87', referenced_message: null });
  expect(event).toMatchObject({ addressed: true, text: 'hi' });
  expect(event).toMatchObject({ quote: undefined });
});

test('a reply quotes what it answers, and who wrote it', async () => {
  const { setting, server, chat } = await intakeSetting();
  const own = await setting.answer(chat, { content: '', embeds: [{ title: 'Card', description: 'Run it?' }] });
  const { id } = server.say(chat, 'the first');
  const toOwn = await setting.hears(chat, 'yes', { replyTo: own });
  const toOther = await setting.hears(chat, 'no', { replyTo: id });
  expect(toOwn.quote).toEqual({ name: server.bot.username, text: 'Card\nRun it?', isOwn: true });
  expect(toOther.quote).toEqual({ name: 'Person 1001', text: 'the first', isOwn: false });
});

test('what was forwarded stands apart from what its sender typed, with its files', async () => {
  const setting = await intakeSetting();
  const message = setting.server.say(setting.server.direct('1001'), '');
  const attachments = [{ id: '9', filename: 'a.png', url: 'http://127.0.0.1/a', content_type: 'image/png', size: 3 }];
  const snapshot = { content: 'from afar', attachments: [], mentions: [] };
  const forward = { ...message, message_reference: { type: 1 }, message_snapshots: [{ message: snapshot }] };
  const [plain] = await setting.take('MESSAGE_CREATE', { ...forward, id: '81' });
  expect(plain).toMatchObject({
    text: '',
    shared: [{ how: 'forwarded', name: '', text: 'from afar', isOwn: false }],
  });
  expect(plain).toMatchObject({ quote: undefined });
  const withFile = { ...forward, id: '82', message_snapshots: [{ message: { ...snapshot, attachments } }] };
  const [filed] = await setting.take('MESSAGE_CREATE', withFile);
  expect(filed).toMatchObject({ text: '', attachments: [{ kind: 'image', name: 'a.png', isShared: true }] });
});

test('files are named with what Discord says of them, and found again by their handles', async () => {
  const { setting, chat } = await intakeSetting();
  const types = ['image/png', 'audio/ogg; codecs=opus', 'video/mp4', 'application/pdf'];
  const files = types.map((mediaType, index) => ({ name: `f${index}`, bytes: Buffer.from('abc'), mediaType }));
  const { attachments = [], messageId, text } = await setting.hears(chat, '', { files });
  expect(attachments.map(({ kind }) => kind)).toEqual(['image', 'audio', 'video', 'file']);
  expect(attachments[0]).toMatchObject({ name: 'f0', mediaType: 'image/png', size: 3 });
  expect(text).toBe('');
  const file = readHandle(attachments[1]?.handle ?? '');
  expect(file).toMatchObject({ channelId: chat, messageId });
  expect(await (await fetch(file?.url ?? '')).text()).toBe('abc');
  expect(['', '7', '{}', '["1"]'].map(readHandle)).toEqual([undefined, undefined, undefined, undefined]);
});

test('what was spoken is a voice message', async () => {
  const setting = await intakeSetting();
  const files = [{ name: 'voice-message.ogg', bytes: Buffer.from('abc'), mediaType: 'audio/ogg' }];
  const message = setting.server.say(setting.server.direct('1001'), '', { files });
  const [event] = await setting.take('MESSAGE_CREATE', { ...message, id: '83', flags: 8192 });
  expect(event).toMatchObject({ attachments: [{ kind: 'voice' }] });
});

test('stickers and polls are said in words', async () => {
  const setting = await intakeSetting();
  const message = setting.server.say(setting.server.direct('1001'), '');
  const poll = {
    question: { text: 'Tea?' },
    answers: [{ poll_media: { text: 'yes' } }, { poll_media: { text: 'no' } }],
  };
  const [sticker] = await setting.take('MESSAGE_CREATE', {
    ...message,
    id: '84',
    sticker_items: [{ id: '1', name: 'Wave' }],
  });
  const [asked] = await setting.take('MESSAGE_CREATE', { ...message, id: '85', poll });
  const [nothing] = await setting.take('MESSAGE_CREATE', { ...message, id: '86' });
  const { guild, channel } = setting.addChannel();
  const said = { ...message, guild_id: guild.id, channel_id: channel, channel_type: 0, id: '87' };
  const [unseen] = await setting.take('MESSAGE_CREATE', said);
  expect([sticker, asked]).toMatchObject([{ text: '[sticker: Wave]' }, { text: '[poll: Tea? · yes · no]' }]);
  expect(nothing).toMatchObject({ text: '', unreadable: kitWords.en.thisKindOfMessage });
  // Without the right to read it, nothing is told of what people say to each other.
  expect(unseen).toBeUndefined();
});

test('bots and webhooks are no people, and may say all in boxes; what we say ourselves is not heard', async () => {
  const setting = await intakeSetting();
  const { channel } = setting.addChannel();
  const bot = { id: '2001', username: 'other', discriminator: '0', global_name: null, avatar: null, bot: true };
  const webhook = { id: '2002', name: 'alarms' };
  await setting.answer(channel, { content: 'my own' });
  const fromBot = await setting.hears(channel, 'beep', { from: bot });
  const fromWebhook = await setting.hears(channel, '', {
    webhook,
    embeds: [{ title: 'Alarm', description: 'It burns' }],
  });
  expect(fromBot.sender).toEqual({ id: '2001', name: 'other', isPerson: false });
  expect(fromWebhook).toMatchObject({
    sender: { id: '2002', name: 'alarms', isPerson: false },
    text: 'Alarm\nIt burns',
  });
  expect(setting.host.words).toEqual(['beep', 'Alarm\nIt burns']);
});

test('what the platform itself says is not heard', async () => {
  const { setting, chat } = await intakeSetting();
  for (const type of [3, 6, 18, 20, 21, 23, 46]) setting.server.say(chat, `of type ${type}`, { type });
  await setting.hears(chat, 'mine');
  expect(setting.host.words).toEqual(['mine']);
});

test('nothing is said in the log of what people write', async () => {
  const { setting, server, host } = await intakeSetting();
  host.store = async () => Promise.reject(new Error('The disk is full.'));
  server.say(server.direct('1001'), 'my secret');
  await setting.passes(() => setting.intake.isStuck);
  expect(host.logged.join('\n')).not.toMatch('my secret');
});
