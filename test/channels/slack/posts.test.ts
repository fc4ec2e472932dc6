import { describe, expect, test } from 'vitest';
import { waitUntil } from '../../support/wait-for.ts';
import { ada, bob, bot, general, intakeSetting, posted, team } from './intake-setting.ts';

describe('a message in a direct chat', () => {
  test('is addressed, and the chat is the conversation', async () => {
    const setting = await intakeSetting();
    const { ts } = await setting.hears('hello', { channel: setting.direct });
    expect(setting.host.received).toEqual([
      {
        type: 'message',
        key: `${team}:${setting.direct}:${ts}`,
        conversation: { channel: 'slack', tenant: team, chatId: setting.direct, kind: 'direct', title: 'Ada' },
        sender: { id: `${team}/${ada}`, name: 'Ada', isPerson: true, language: 'en-US' },
        text: 'hello',
        addressed: true,
        sentAt: Math.floor(Number(ts) * 1000),
        messageId: ts,
      },
    ]);
  });

  test('that answers in a thread belongs to the thread, and brings what that began with', async () => {
    const setting = await intakeSetting();
    const root = await setting.hears('the plan & more', { channel: setting.direct });
    const { message } = await setting.hears('go on', { channel: setting.direct, threadTs: root.ts });
    expect(message.conversation.threadId).toBe(root.ts);
    expect(message.quote).toEqual({ name: 'Ada', text: 'the plan & more', isOwn: false });
    const { message: next } = await setting.hears('and on', { channel: setting.direct, threadTs: root.ts });
    expect(next.quote).toBeUndefined();
  });
});

describe('a message in a channel', () => {
  test('begins a thread of its own, and is addressed by a mention only, which is left out at the beginning', async () => {
    const setting = await intakeSetting();
    const { message: plain, ts } = await setting.hears('hello all');
    expect(plain).toMatchObject({
      conversation: { chatId: general, threadId: ts, kind: 'group', title: '#general', tenant: team },
      addressed: false,
      text: 'hello all',
    });
    expect(plain.isThreadReply).toBeUndefined();
    const { message } = await setting.hears(`<@${bot}>: what does <@${bot}> do?`);
    expect(message).toMatchObject({ addressed: true, text: 'what does @keyturn do?' });
    const { message: bare } = await setting.hears(`<@${bot}>`);
    expect(bare.text).toBe('@keyturn');
  });

  test('reaches the host while the one before is still being stored: it may end a run', async () => {
    const setting = await intakeSetting();
    const storing = Promise.withResolvers<object>();
    setting.host.store = () => storing.promise;
    const taking = ['one', '/stop'].map((text, index) =>
      setting.intake.take(posted({ text, ts: `1700000000.00010${index}` })),
    );
    await waitUntil(() => setting.host.received.length === 2);
    storing.resolve({});
    await Promise.all(taking);
    expect(setting.host.words).toEqual(['one', '/stop']);
  });

  test('that mentions the bot comes as two events with one key', async () => {
    const setting = await intakeSetting();
    const { deliveries } = await setting.hears(`<@${bot}> go`);
    const [first, again] = setting.host.received;
    expect(deliveries).toHaveLength(2);
    expect(again).toEqual(first);
    expect(first).toMatchObject({ addressed: true });
  });

  test('may stand in a thread: then it may be meant for the bot, unless it calls somebody else', async () => {
    const setting = await intakeSetting();
    const { ts } = await setting.hears(`<@${bot}> start`);
    const { message } = await setting.hears('and then?', { threadTs: ts, from: bob });
    expect(message).toMatchObject({ conversation: { threadId: ts }, addressed: false, isThreadReply: true });
    const { message: aside } = await setting.hears(`<@${ada}> look`, { threadTs: ts, from: bob });
    expect(aside).toMatchObject({ addressed: false, text: '@Ada look' });
    expect(aside.isThreadReply).toBeUndefined();
    const { message: both } = await setting.hears(`<@${ada}> and <@${bot}>`, { threadTs: ts, from: bob });
    expect(both).toMatchObject({ addressed: true, isThreadReply: true, text: '@Ada and @keyturn' });
  });

  test('that calls the bot into a thread brings what the thread began with, or goes without after 1.5 s', async () => {
    const setting = await intakeSetting();
    const { ts } = await setting.hears('the server is *down*', { from: bob });
    const called = await setting.hears(`<@${bot}> help`, { threadTs: ts });
    expect(called.message.quote).toEqual({ name: 'Bob', text: 'the server is *down*', isOwn: false });
    expect((await setting.hears(`<@${bot}> more`, { threadTs: ts })).message.quote).toBeUndefined();

    const other = await setting.hears('another one', { from: bob });
    setting.slack.fault({ method: 'conversations.replies', kind: 'hang' });
    const late = setting.slack.say(general, `<@${bot}> help`, { from: ada, threadTs: other.ts });
    const taken = setting.takes(late);
    await setting.slack.waitFor(() => setting.slack.callsOf('conversations.replies').length > 1, {
      what: 'the question',
    });
    setting.host.clock.advance(1_500);
    await taken;
    expect(setting.last).toMatchObject({ text: 'help', conversation: { threadId: other.ts } });
    expect(setting.last.quote).toBeUndefined();
  });

  test('is taken with what /me says, with files and when it is shown in the channel, and not when somebody joins', async () => {
    const setting = await intakeSetting();
    const { ts } = await setting.hears('one');
    await setting.hears('waves', { isMe: true });
    await setting.hears('both', { threadTs: ts, isBroadcast: true });
    expect(setting.last.conversation.threadId).toBe(ts);
    await setting.intake.take(posted({ subtype: 'channel_join', text: 'joined' }));
    expect(setting.host.words).toEqual(['one', 'waves', 'both']);
  });

  test('passes in the order in which it came, however long names take', async () => {
    const setting = await intakeSetting();
    await setting.hears('known', { from: bob });
    setting.slack.fault({ method: 'users.info', kind: 'hang' });
    const first = setting.takes(setting.slack.say(general, 'first', { from: 'U0000000C' }));
    const second = setting.takes(setting.slack.say(general, 'second', { from: bob }));
    await setting.slack.waitFor(() => setting.slack.callsOf('users.info').length > 1, { what: 'the question' });
    expect(setting.host.words).toEqual(['known']);
    setting.host.clock.advance(1_000);
    await Promise.all([first, second]);
    expect(setting.host.words).toEqual(['known', 'first', 'second']);
    expect(setting.host.received[1]?.sender.name).toBe('U0000000C');
  });
});

describe('who wrote it', () => {
  test('is a guest by their own workspace, whatever they do', async () => {
    const setting = await intakeSetting();
    const guest = { from: 'U0GUEST01', guestTeamId: 'T0GUESTS1' };
    const { ts } = await setting.hears('hello', guest);
    await setting.takes(setting.slack.edit(general, ts, 'hallo'), setting.slack.people.delete(general, ts));
    expect(setting.host.received.map(({ type }) => type)).toEqual(['message', 'edit', 'deletion']);
    for (const { sender, conversation } of setting.host.received) {
      expect(sender.id).toBe('T0GUESTS1/U0GUEST01');
      expect(conversation).toMatchObject({ tenant: team, threadId: ts });
    }
  });

  test('is a guest by the field that says it most exactly', async () => {
    const setting = await intakeSetting();
    const teams = { user_team: 'T0GUESTS1', source_team: 'T0GUESTS2', team: 'T0GUESTS3' };
    await setting.intake.take(posted({ text: 'a', ...teams }));
    await setting.intake.take(posted({ text: 'b', ...teams, user_team: null, ts: '1700000000.000200' }));
    await setting.intake.take(posted({ text: 'c', team: undefined, ts: '1700000000.000300' }));
    const teamsOf = setting.host.received.map(({ sender }) => sender.id.split('/')[0]);
    expect(teamsOf).toEqual(['T0GUESTS1', 'T0GUESTS2', team]);
  });

  test('is nobody where it can not be read whether a program wrote it', async () => {
    const setting = await intakeSetting();
    await setting.intake.take(posted({ text: 'a', bot_id: 7 }));
    await setting.intake.take(posted({ text: 'a', user: undefined }));
    expect(setting.host.received).toEqual([]);
  });

  test('is a program where it is no person', async () => {
    const setting = await intakeSetting();
    await setting.hears('build failed', { bot: { botId: 'B00000009', username: 'CI' } });
    expect(setting.last.sender).toEqual({ id: `${team}/B00000009`, name: 'CI', isPerson: false });
    await setting.intake.take(posted({ user: 'USLACKBOT', text: 'reminder' }));
    expect(setting.last.sender.isPerson).toBe(false);
  });

  test("is not the bot itself, in whichever of our workspaces; nor are its edits and deletions anybody else's", async () => {
    const setting = await intakeSetting({}, [{}, {}]);
    const own = { user: bot, bot_id: 'B0BOT0001', text: 'mine', ts: '1700000000.000200' };
    const other = { ...own, user: 'U0BOT0002', bot_id: 'B0BOT0002' };
    for (const post of [own, other, { ...own, user: undefined }, { ...own, bot_id: undefined }]) {
      await setting.intake.take(posted(post));
      const message = { ...post, edited: { ts: '1700000001.000000', user: bot } };
      await setting.intake.take(
        posted({ user: undefined, subtype: 'message_changed', message, previous_message: post }),
      );
      await setting.intake.take(posted({ user: undefined, subtype: 'message_deleted', previous_message: post }));
    }
    expect(setting.host.received).toEqual([]);
  });
});

describe('what becomes of it later', () => {
  test("an edit has its message's key and a cleaned text", async () => {
    const setting = await intakeSetting();
    const { message, ts } = await setting.hears(`<@${bot}> one`);
    await setting.takes(setting.slack.edit(general, ts, `<@${bot}> two &amp; <@${bob}>`));
    const edit = setting.host.received.at(-1);
    expect(edit).toMatchObject({ type: 'edit', messageKey: message.key, conversation: { threadId: ts } });
    expect(edit?.key).toMatch(`${message.key}:e:`);
    expect(setting.host.words.at(-1)).toContain('@Bob');
  });

  test('a post that has answers stands where it stood before', async () => {
    const setting = await intakeSetting();
    const { message, ts } = await setting.hears('the plan', { channel: setting.direct });
    await setting.hears('an answer', { channel: setting.direct, threadTs: ts });
    const post = { user: ada, team, ts, thread_ts: ts, text: 'the new plan', edited: { ts: '1800000000.000000' } };
    const change = {
      user: undefined,
      subtype: 'message_changed',
      message: post,
      previous_message: { ...post, edited: null },
    };
    await setting.intake.take(posted({ ...change, channel: setting.direct }));
    expect(setting.host.received.at(-1)).toMatchObject({ type: 'edit', conversation: message.conversation });
    expect(setting.host.received.at(-1)?.conversation.threadId).toBeUndefined();
  });

  test('what only Slack changed beneath it is no edit', async () => {
    const setting = await intakeSetting();
    const post = { user: ada, team, text: 'see https://a.example', ts: '1700000000.000200' };
    const unfurled = { ...post, attachments: [{ from_url: 'https://a.example', text: 'A' }] };
    const change = { user: undefined, subtype: 'message_changed', previous_message: post };
    await setting.intake.take(posted({ ...change, message: unfurled }));
    const edited = { edited: { ts: '1700000001.000000', user: ada } };
    const before = { ...post, ...edited };
    await setting.intake.take(posted({ ...change, previous_message: before, message: { ...unfurled, ...edited } }));
    expect(setting.host.received).toEqual([]);
  });

  test('what was changed before it came is heard as it is now', async () => {
    const setting = await intakeSetting();
    const said = setting.slack.say(general, `<@${bot}> the wether`, { from: ada });
    await setting.takes(setting.slack.edit(general, said.ts, `<@${bot}> the weather`), said);
    expect(setting.last).toMatchObject({ type: 'message', text: 'the weather', addressed: true });
  });

  test('what was taken back before it came is not heard any more', async () => {
    const setting = await intakeSetting();
    const said = setting.slack.say(setting.direct, 'my password');
    await setting.takes(setting.slack.people.delete(setting.direct, said.ts), said);
    expect(setting.host.received.map(({ type }) => type)).toEqual(['deletion']);
  });

  test('a post of which nothing is left may be taken back, or changed to nothing', async () => {
    const setting = await intakeSetting();
    const emptied = { user: ada, team, ts: '1700000000.000200', text: '', files: [{ id: 'F1', mode: 'tombstone' }] };
    const changed = { ...emptied, edited: { user: ada, ts: '1700000001.000000' } };
    await setting.intake.take(posted({ user: undefined, subtype: 'message_changed', message: changed }));
    await setting.intake.take(posted({ user: undefined, subtype: 'message_deleted', previous_message: emptied }));
    expect(setting.host.received).toMatchObject([{ type: 'edit', text: '' }, { type: 'deletion' }]);
  });

  test('a deletion has its key, also where the root of a thread is deleted', async () => {
    const setting = await intakeSetting();
    const { message, ts } = await setting.hears('oops');
    await setting.takes(setting.slack.people.delete(general, ts));
    expect(setting.host.received.at(-1)).toMatchObject({ type: 'deletion', messageKey: message.key });
    const root = { user: ada, team, text: 'root', ts: '1700000000.000200', thread_ts: '1700000000.000200' };
    const tombstone = { ...root, user: 'USLACKBOT', subtype: 'tombstone', text: 'This message was deleted.' };
    const change = { user: undefined, subtype: 'message_changed', message: tombstone, previous_message: root };
    await setting.intake.take(posted(change));
    expect(setting.host.received.at(-1)).toMatchObject({
      type: 'deletion',
      messageKey: `${team}:${general}:${root.ts}`,
      sender: { id: `${team}/${ada}` },
      conversation: { threadId: root.ts },
    });
  });
});

describe('the workspace', () => {
  test('is the one in which the app got it, and chats of two are told apart', async () => {
    const setting = await intakeSetting({}, [{}, {}]);
    await setting.intake.take(posted({ text: 'a' }));
    const second = { authorizations: [{ team_id: 'T00000002' }], team_id: team };
    await setting.intake.take(posted({ text: 'a' }, second));
    await setting.intake.take(
      posted(
        { text: 'b', ts: '1700000000.000200' },
        { authorizations: [{ team_id: null }], context_team_id: 'T00000002' },
      ),
    );
    expect(setting.host.received.map(({ conversation }) => conversation.tenant)).toEqual([
      team,
      'T00000002',
      'T00000002',
    ]);
    expect(setting.host.received.map(({ sender }) => sender.id)).toEqual(Array(3).fill(`${team}/${ada}`));
  });

  test('that is none of ours is ignored, unless it may yet turn out to be one', async () => {
    const setting = await intakeSetting();
    const foreign = posted({ text: 'a' }, { authorizations: [{ team_id: 'T9' }], team_id: 'T9' });
    await setting.intake.take(foreign);
    setting.workspaces.judge('xoxb-other', 'open');
    await expect(setting.intake.take(foreign)).rejects.toThrow('not known yet');
    expect(setting.host.received).toEqual([]);
  });
});

describe('the notice of a receipt', () => {
  test('is shown to the sender alone, after the storing, and where they wrote', async () => {
    const setting = await intakeSetting();
    setting.host.store = async () => ({ notice: 'Not **you**.' });
    const { ts } = await setting.hears(`<@${bot}> let me in`);
    await setting.hears(`<@${bot}> please`, { threadTs: ts });
    const shown = () => setting.slack.home.ephemerals(general, ada);
    await setting.slack.waitFor(() => shown().length === 4, { what: 'the notices' });
    const threads = setting.slack.callsOf('chat.postEphemeral').map(({ params }) => params.thread_ts);
    expect(threads).toEqual([undefined, undefined, ts, ts]);
  });

  test('costs nothing where it can not be shown', async () => {
    const setting = await intakeSetting();
    setting.slack.fault({ method: 'chat.postEphemeral', kind: 'error', error: 'user_not_in_channel' });
    setting.host.store = async () => ({ notice: 'No.' });
    await setting.hears(`<@${bot}> let me in`);
    const isLogged = (): boolean => setting.host.logged.some((line) => line.includes('a notice for one person'));
    await waitUntil(isLogged, { what: 'a line in the log' });
  });
});

describe('names', () => {
  test('are asked for once, also by several messages at a time', async () => {
    const setting = await intakeSetting();
    const said = [1, 2, 3].map((number) => setting.slack.say(general, `${number} <@${bob}>`, { from: ada }));
    await setting.takes(...said);
    await setting.hears('4');
    const asked = setting.slack.calls.map(({ method, params }) => `${method} ${params.user ?? params.channel}`);
    expect(asked.toSorted()).toEqual([`conversations.info ${general}`, `users.info ${ada}`, `users.info ${bob}`]);
    expect(setting.host.words).toEqual(['1 @Bob', '2 @Bob', '3 @Bob', '4']);
  });

  test('that can not be had are ids, and are not asked for again at once', async () => {
    const setting = await intakeSetting();
    setting.slack.fault({ method: '*', kind: 'error', error: 'missing_scope' });
    await setting.hears(`hi <@${bob}> in <#C0000000Z>`, { isRaw: true });
    expect(setting.last.text).toBe(`hi @${bob} in #C0000000Z`);
    expect(setting.last.sender.name).toBe(ada);
    expect(setting.last.conversation.title).toBeUndefined();
    const asked = setting.slack.calls.length;
    await setting.hears('again');
    expect(setting.slack.calls).toHaveLength(asked);
  });
});
