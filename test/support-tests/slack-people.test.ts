import { afterEach, beforeEach, expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import type { Said } from '../support/slack/people.ts';
import { SlackServer } from '../support/slack-server.ts';
import { slackClient } from './slack-client.ts';

const channel = 'C1';
let slack: SlackServer;
let bot: string;

beforeEach(async () => {
  slack = await SlackServer.start();
  slack.home.addChannel(channel);
  bot = slack.home.installation.botUserId;
});

afterEach(() => slack.close());

const events = ({ deliveries }: Pick<Said, 'deliveries'>): readonly JsonObject[] =>
  deliveries.map(({ payload }) => payload.event).filter(isJsonObject);

test('what is typed is sent as clients send it: escaped, and as a tree', () => {
  const [event] = events(
    slack.say(channel, 'see <@U2> & `a<b` *now*\n```\ncode\n``` <https://a.test|here>', { from: 'U1' }),
  );
  expect(event).toMatchObject({ type: 'message', user: 'U1', channel_type: 'channel', team: 'T00000001' });
  expect(event?.text).toBe('see <@U2> &amp; `a&lt;b` *now*\n```\ncode\n``` <https://a.test|here>');
  expect(event?.blocks).toMatchObject([
    {
      type: 'rich_text',
      elements: [
        {
          elements: [
            { text: 'see ' },
            { type: 'user', user_id: 'U2' },
            { text: ' & ' },
            { text: 'a<b', style: { code: true } },
            { text: ' ' },
            { text: 'now', style: { bold: true } },
            { text: '\n' },
          ],
        },
        { type: 'rich_text_preformatted', elements: [{ text: 'code' }] },
        { elements: [{ text: ' ' }, { type: 'link', url: 'https://a.test', text: 'here' }] },
      ],
    },
  ]);
});

test('one post that mentions the app is two events with two ids, in either order', () => {
  const said = [slack.say(channel, `<@${bot}> hi`), slack.say(channel, `<@${bot}> hi`, { order: 'mention-first' })];
  expect(said.map((one) => events(one).map(({ type }) => type))).toEqual([
    ['message', 'app_mention'],
    ['app_mention', 'message'],
  ]);
  for (const one of said) expect(events(one).map(({ ts }) => ts)).toEqual([one.ts, one.ts]);
  const ids = said.flatMap(({ deliveries }) => deliveries.map(({ payload }) => payload.event_id));
  expect(new Set(ids).size).toBe(4);
  expect(events(slack.say('DU1', `<@${bot}> hi`)).map(({ type }) => type)).toEqual(['message']);
});

test('threads, broadcasts, /me, other bots and guests are told of as what they are', () => {
  const { ts: threadTs } = slack.say(channel, 'root', { from: 'U1' });
  const only = (said: Said): JsonObject | undefined => events(said)[0];
  expect(only(slack.say(channel, 'a', { threadTs }))).toMatchObject({ thread_ts: threadTs, parent_user_id: 'U1' });
  expect(only(slack.say(channel, 'a', { threadTs, isBroadcast: true }))).toMatchObject({
    subtype: 'thread_broadcast',
    root: { ts: threadTs },
  });
  expect(only(slack.say(channel, 'a', { isMe: true }))).toMatchObject({ subtype: 'me_message' });
  const other = only(slack.say(channel, 'a', { bot: { botId: 'B9', username: 'deploy' } }));
  expect(other).toMatchObject({ subtype: 'bot_message', bot_id: 'B9', username: 'deploy' });
  expect(other).not.toHaveProperty('user');
  const guest = slack.say(channel, 'a', { from: 'U8', guestTeamId: 'T9' });
  expect(only(guest)).toMatchObject({ user: 'U8', user_team: 'T9', team: 'T9' });
  expect(only(slack.say('G5', 'a'))).toMatchObject({ channel_type: 'mpim' });
});

test('a change and a deletion tell what was before', () => {
  const { ts } = slack.say(channel, 'before', { from: 'U1' });
  expect(events(slack.edit(channel, ts, 'after'))).toMatchObject([
    {
      subtype: 'message_changed',
      message: { ts, text: 'after', user: 'U1', edited: { user: 'U1' } },
      previous_message: { text: 'before' },
    },
  ]);
  expect(slack.chat(channel)).toMatchObject([{ text: 'after', edits: 1 }]);
  expect(events(slack.people.delete(channel, ts))).toMatchObject([
    { subtype: 'message_deleted', deleted_ts: ts, previous_message: { text: 'after' } },
  ]);
  expect(slack.chat(channel)).toEqual([]);
});

test('the app is told of what it does itself', async () => {
  const client = slackClient(slack);
  const { ts = '' } = await client.chat.postMessage({ channel, text: 'mine' });
  await client.chat.update({ channel, ts, text: 'still mine' });
  await client.chat.delete({ channel, ts });
  const { botId: bot_id } = slack.home.installation;
  expect(events(slack)).toMatchObject([
    { type: 'message', text: 'mine', bot_id, user: bot, bot_profile: { id: bot_id } },
    { subtype: 'message_changed', message: { text: 'still mine', bot_id } },
    { subtype: 'message_deleted', previous_message: { bot_id } },
  ]);
});

test('what happens where the app is not, or what it has not asked for, is not told', () => {
  slack.home.addChannel('C2', { hasBot: false });
  expect(events(slack.say('C2', 'a'))).toEqual([]);
  slack.home.subscribe(['app_mention', 'message.im']);
  expect(events(slack.say(channel, `<@${bot}>`)).map(({ type }) => type)).toEqual(['app_mention']);
  expect(events(slack.say('DU1', 'a'))).toHaveLength(1);
});

test('opening the assistant pane begins a thread of the app; opening its page is told, too', () => {
  const pane = slack.people.openAssistant('U1', { channelId: channel });
  const assistant_thread = {
    user_id: 'U1',
    channel_id: pane.channel,
    thread_ts: pane.ts,
    context: { channel_id: channel },
  };
  expect(events(pane)).toMatchObject([{ type: 'assistant_thread_started', assistant_thread }]);
  expect(slack.chat(pane.channel)).toMatchObject([{ ts: pane.ts, from: 'bot' }]);
  expect(events(slack.say(pane.channel, 'hi', { threadTs: pane.ts }))).toMatchObject([
    { thread_ts: pane.ts, parent_user_id: bot, user: 'U1' },
  ]);
  expect(events(slack.people.openHome('U1'))).toMatchObject([{ type: 'app_home_opened', user: 'U1', tab: 'messages' }]);
});

test('reactions of people are told', () => {
  const { ts } = slack.say(channel, 'a');
  slack.people.react(channel, ts, 'tada', { from: 'U3' });
  expect(slack.chat(channel)[0]?.reactions).toEqual([{ name: 'tada', users: ['U3'] }]);
  expect(events(slack).at(-1)).toMatchObject({
    type: 'reaction_added',
    user: 'U3',
    reaction: 'tada',
    item: { channel, ts },
  });
});
