import type { webApi } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SlackServer } from '../support/slack-server.ts';
import { slackClient } from './slack-client.ts';
import { slackRefusal } from './slack-refusal.ts';

const channel = 'C1';
let slack: SlackServer;
let client: webApi.WebClient;

beforeEach(async () => {
  slack = await SlackServer.start();
  slack.home.addChannel(channel, { members: ['U1'] });
  client = slackClient(slack);
});

afterEach(() => slack.close());

const button = (text: string, rest: object = {}) => ({ type: 'button', text: { type: 'plain_text', text }, ...rest });
const actions = (...elements: readonly object[]) => ({ type: 'actions', elements });
const markdown = (text: string) => ({ type: 'markdown', text });
const posting = (content: object): Promise<unknown> => client.apiCall('chat.postMessage', { channel, ...content });
const updating = async (content: object): Promise<unknown> => {
  const { ts } = await client.chat.postMessage({ channel, text: 'before' });
  return client.apiCall('chat.update', { channel, ts, ...content });
};

test('a message is shown with its buttons, and stands where it is when it is changed', async () => {
  const blocks = [markdown('**May I?**'), actions(button('Yes', { action_id: 'yes', value: '1', style: 'primary' }))];
  const { ts } = (await posting({ text: 'May I?', blocks })) as { ts: string };
  expect(slack.chat(channel)).toMatchObject([
    {
      ...{ ts, from: 'bot', text: '**May I?**', fallback: 'May I?', edits: 0, unfurls: { links: false, media: true } },
      buttons: [{ label: 'Yes', actionId: 'yes', value: '1', style: 'primary' }],
    },
  ]);
  await client.apiCall('chat.update', { channel, ts, text: 'You may.' });
  expect(slack.chat(channel)[0]).toMatchObject({ edits: 1, buttons: [{ label: 'Yes' }] });
  await client.apiCall('chat.update', { channel, ts, text: 'You may.', blocks: [] });
  expect(slack.chat(channel)[0]).toMatchObject({ edits: 2, text: 'You may.', buttons: [] });
  await client.chat.delete({ channel, ts });
  expect(slack.chat(channel)).toEqual([]);
});

test('a message in a thread, shown in the channel too, without unfurling', async () => {
  const { ts: threadTs } = slack.say(channel, 'root');
  await posting({
    markdown_text: 'a',
    thread_ts: threadTs,
    reply_broadcast: true,
    unfurl_links: false,
    unfurl_media: false,
  });
  const unfurls = { links: false, media: false };
  expect(slack.home.thread(channel, threadTs)[1]).toMatchObject({
    text: 'a',
    isMarkdown: true,
    threadTs,
    isBroadcast: true,
    unfurls,
  });
});

describe('what is too much', () => {
  const tooMuch: readonly (readonly [string, object, string])[] = [
    ['nothing', {}, 'no_text'],
    ['an empty text', { text: '' }, 'no_text'],
    ['Markdown beside a text', { text: 'a', markdown_text: 'b' }, 'markdown_text_conflict'],
    ['Markdown beside blocks', { blocks: [markdown('a')], markdown_text: 'b' }, 'markdown_text_conflict'],
    ['long Markdown', { markdown_text: 'a'.repeat(12_001) }, 'msg_too_long'],
    ['a long text', { text: 'a'.repeat(40_001) }, 'msg_too_long'],
    ['a long Markdown block', { blocks: [markdown('a'.repeat(12_001))] }, 'msg_blocks_too_long'],
    [
      'long blocks together',
      { blocks: [markdown('a'.repeat(7000)), markdown('a'.repeat(7000))] },
      'msg_blocks_too_long',
    ],
    ['many blocks', { blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) }, 'invalid_blocks'],
    [
      'a long section',
      { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'a'.repeat(3001) } }] },
      'invalid_blocks',
    ],
    ['an empty section', { blocks: [{ type: 'section' }] }, 'invalid_blocks'],
    ['a long label', { blocks: [actions(button('a'.repeat(76)))] }, 'invalid_blocks'],
    ['a long value', { blocks: [actions(button('a', { value: 'a'.repeat(2001) }))] }, 'invalid_blocks'],
    ['a long action id', { blocks: [actions(button('a', { action_id: 'a'.repeat(256) }))] }, 'invalid_blocks'],
    ['a long block id', { blocks: [{ ...markdown('a'), block_id: 'a'.repeat(256) }] }, 'invalid_blocks'],
    [
      'one action id twice',
      { blocks: [actions(button('a', { action_id: 'x' }), button('b', { action_id: 'x' }))] },
      'invalid_blocks',
    ],
    ['one block id twice', { blocks: [1, 2].map(() => ({ ...markdown('a'), block_id: 'x' })) }, 'invalid_blocks'],
    ['many buttons', { blocks: [actions(...Array.from({ length: 26 }, () => button('a')))] }, 'invalid_blocks'],
    ['no buttons', { blocks: [actions()] }, 'invalid_blocks'],
    ['an unknown block', { blocks: [{ type: 'blink' }] }, 'invalid_blocks'],
    [
      'an input',
      { blocks: [{ type: 'input', label: { type: 'plain_text', text: 'a' }, element: { type: 'plain_text_input' } }] },
      'invalid_blocks',
    ],
    ['blocks that are no JSON', { blocks: '[' }, 'invalid_blocks_format'],
    ['an empty thread', { text: 'a', thread_ts: '' }, 'invalid_thread_ts'],
    ['bad metadata', { text: 'a', metadata: { event_type: 'a' } }, 'invalid_metadata_schema'],
  ];

  test.each(tooMuch)('%s is refused', async (_what, content, code) => {
    expect(await slackRefusal(posting(content))).toBe(code);
    expect(slack.chat(channel)).toEqual([]);
  });

  test('as much as is allowed is not', async () => {
    await posting({ markdown_text: 'a'.repeat(12_000) });
    await posting({ text: 'a'.repeat(40_000) });
    await posting({
      blocks: [markdown('a'.repeat(12_000)), { type: 'divider' }, actions(button('a'.repeat(75), { value: 'v' }))],
    });
    await posting({
      blocks: [actions(...Array.from({ length: 25 }, (_, index) => button('a', { action_id: `${index}` })))],
    });
    expect(slack.chat(channel)).toHaveLength(4);
  });

  test('a change holds 4,000 bytes after escaping; as Markdown it holds as much as a message', async () => {
    await updating({ text: 'a'.repeat(4000) });
    await updating({ markdown_text: 'a'.repeat(12_000) });
    for (const text of ['a'.repeat(4001), '&'.repeat(801), 'é'.repeat(2001)]) {
      expect(await slackRefusal(updating({ text }))).toBe('msg_too_long');
    }
  });
});

test('what is not there, not ours or not open to us is refused', async () => {
  slack.home.addChannel('C2', { hasBot: false });
  slack.home.addChannel('C3', { isArchived: true });
  const { ts } = slack.say(channel, 'of a person');
  const { ts: reply } = slack.say(channel, 'an answer', { threadTs: ts });
  const text = 'a';
  expect(await slackRefusal(client.chat.postMessage({ channel: 'C9', text }))).toBe('channel_not_found');
  expect(await slackRefusal(client.chat.postMessage({ channel: 'C2', text }))).toBe('not_in_channel');
  expect(await slackRefusal(client.chat.postMessage({ channel: 'C3', text }))).toBe('is_archived');
  expect(await slackRefusal(client.chat.postMessage({ channel, text, thread_ts: reply }))).toBe(
    'cannot_reply_to_message',
  );
  expect(await slackRefusal(client.chat.update({ channel, ts, text }))).toBe('cant_update_message');
  expect(await slackRefusal(client.chat.delete({ channel, ts }))).toBe('cant_delete_message');
  expect(await slackRefusal(client.chat.update({ channel, ts: '1.000001', text }))).toBe('message_not_found');
  expect(await slackRefusal(client.chat.postEphemeral({ channel, user: 'U9', text }))).toBe('user_not_in_channel');
});

test('what one person alone is told stands beside the messages', async () => {
  await client.chat.postEphemeral({ channel, user: 'U1', text: 'Not you.' });
  expect(slack.chat(channel)).toEqual([]);
  expect(slack.home.ephemerals(channel, 'U1')).toMatchObject([{ userId: 'U1', text: 'Not you.' }]);
});

test('a person is written to by id; not where the messages tab is off', async () => {
  const direct = slack.home.addDirect('U5');
  expect((await client.chat.postMessage({ channel: 'U5', text: 'hello' })).channel).toBe(direct);
  slack.home.setMessagesTab(false);
  expect(await slackRefusal(client.chat.postMessage({ channel: direct, text: 'a' }))).toBe('messages_tab_disabled');
  expect(() => slack.say(direct, 'a')).toThrow('turned off');
});

describe('whom a message calls', () => {
  test.each([
    [{ text: 'hey <!channel>' }, ['<!channel>']],
    [
      { markdown_text: 'a <!here|here> b <@U123> c <!subteam^S1|x> d <!everyone>' },
      ['<!here>', '<@U123>', '<!subteam^S1>', '<!everyone>'],
    ],
    [{ text: 'quiet', blocks: [markdown('<@U1>')] }, ['<@U1>']],
    [{ text: '@here', link_names: true }, ['@here']],
    [{ text: '@here &lt;!channel&gt; a@here.org', parse: 'none' }, []],
  ])('%j', async (content, pings) => {
    await posting(content);
    expect(slack.chat(channel)[0]?.pings).toEqual(pings);
  });

  test('a person who writes of somebody does not count', () => {
    slack.say(channel, '<@U1>');
    expect(slack.chat(channel)[0]?.pings).toEqual([]);
  });
});
