import { once } from 'node:events';
import { webApi } from '@slack/bolt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { SlackServer } from '../../packages/fakes/src/slack-server.ts';
import { isJsonObject } from '../../src/lib/json.ts';

/** What the fake Slack refuses, as Slack does: what sends too much is seen in a test. By the real client. */

const channel = 'C1';
let slack: SlackServer;
let client: webApi.WebClient;
/** What Slack's clock says. */
let now: number;
/** Messages of a person and of the app, an answer, and a message of the app that grows. */
let ts: { readonly person: string; readonly app: string; readonly reply: string; readonly growing: string };

beforeEach(async () => {
  now = Date.now();
  slack = await SlackServer.start({ timeScale: 0.001, now: () => now });
  slack.home.addChannel(channel, { members: ['U1'] });
  slack.home.addChannel('C2', { hasBot: false });
  slack.home.addChannel('C3', { isArchived: true });
  client = clientWith(slack.botToken);
  const person = slack.say(channel, 'of a person').ts;
  const { ts: reply } = slack.say(channel, 'an answer', { threadTs: person });
  const { ts: app = '' } = await client.chat.postMessage({ channel, text: 'of the app' });
  const reader = { recipient_user_id: 'U1', recipient_team_id: 'T1' };
  const { ts: growing = '' } = await client.chat.startStream({ channel, thread_ts: person, ...reader });
  ts = { person, reply, app, growing };
});

afterEach(() => slack.close());

function clientWith(token: string): webApi.WebClient {
  return new webApi.WebClient(token, { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 }, logger: silent });
}

const [debug, getLevel] = [(): void => {}, () => webApi.LogLevel.ERROR];
const silent = { debug, info: debug, warn: debug, error: debug, setLevel: debug, getLevel, setName: debug };

/** What a call is refused with. */
async function refusal(method: string, args: object, by = client): Promise<string> {
  const error: unknown = await by.apiCall(method, { ...args }).then(
    () => 'nothing',
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error && 'data' in error)) return String(error);
  return isJsonObject(error.data) ? String(error.data.error) : '';
}

const button = (text: string, rest: object = {}) => ({ type: 'button', text: { type: 'plain_text', text }, ...rest });
const actions = (...elements: readonly object[]) => ({ type: 'actions', elements });
const markdown = (text: string) => ({ type: 'markdown', text });
const section = (text: string) => ({ type: 'section', text: { type: 'plain_text', text } });
const blocks = (...list: readonly object[]) => ({ blocks: list });
const long = (length: number): string => 'a'.repeat(length);

test.each<readonly [string, object, string]>([
  ['nothing', {}, 'no_text'],
  ['Markdown beside a text', { text: 'a', markdown_text: 'b' }, 'markdown_text_conflict'],
  ['Markdown beside blocks', { ...blocks(markdown('a')), markdown_text: 'b' }, 'markdown_text_conflict'],
  ['long Markdown', { markdown_text: long(12_001) }, 'msg_too_long'],
  ['a long text', { text: long(40_001) }, 'msg_too_long'],
  ['a long Markdown block', blocks(markdown(long(12_001))), 'msg_blocks_too_long'],
  ['long blocks together', blocks(markdown(long(7000)), markdown(long(7000))), 'msg_blocks_too_long'],
  ['many blocks', blocks(...Array.from({ length: 51 }, () => ({ type: 'divider' }))), 'invalid_blocks'],
  ['a long section', blocks(section(long(3001))), 'invalid_blocks'],
  ['a long label', blocks(actions(button(long(76)))), 'invalid_blocks'],
  ['a long value', blocks(actions(button('a', { value: long(2001) }))), 'invalid_blocks'],
  ['one action id twice', blocks(actions(...[1, 2].map(() => button('a', { action_id: 'x' })))), 'invalid_blocks'],
  ['one block id twice', blocks(...[1, 2].map(() => ({ ...markdown('a'), block_id: 'x' }))), 'invalid_blocks'],
  ['many buttons', blocks(actions(...Array.from({ length: 26 }, () => button('a')))), 'invalid_blocks'],
  ['no buttons', blocks(actions()), 'invalid_blocks'],
  ['an unknown block', blocks({ type: 'blink' }), 'invalid_blocks'],
  ['blocks that are no JSON', { blocks: '[' }, 'invalid_blocks_format'],
  ['an empty thread', { text: 'a', thread_ts: '' }, 'invalid_thread_ts'],
  ['bad metadata', { text: 'a', metadata: { event_type: 'a' } }, 'invalid_metadata_schema'],
  ['an unknown argument', { text: 'a', colour: 'red' }, 'invalid_arguments'],
  ['all that is allowed', blocks(markdown(long(12_000)), { type: 'divider' }, actions(button(long(75)))), 'nothing'],
  ['no such channel', { channel: 'C9', text: 'a' }, 'channel_not_found'],
  ['a channel without the app', { channel: 'C2', text: 'a' }, 'not_in_channel'],
  ['an archived channel', { channel: 'C3', text: 'a' }, 'is_archived'],
])('of a message with %s', async (_what, content, code) => {
  expect(await refusal('chat.postMessage', { channel, ...content })).toBe(code);
});

test('of a change: more than 4,000 bytes after escaping, and what is not the own', async () => {
  const changing = (rest: object): Promise<string> => refusal('chat.update', { channel, ts: ts.app, ...rest });
  for (const text of [long(4001), '&'.repeat(801), 'é'.repeat(2001)])
    expect(await changing({ text })).toBe('msg_too_long');
  expect(await changing({ text: long(4000) })).toBe('nothing');
  expect(await changing({ markdown_text: long(12_000) })).toBe('nothing');
  const text = 'a';
  expect(await changing({ ts: '1.000001', text })).toBe('message_not_found');
  expect(await changing({ ts: ts.person, text })).toBe('cant_update_message');
  expect(await refusal('chat.delete', { channel, ts: ts.person })).toBe('cant_delete_message');
  expect(await refusal('chat.postMessage', { channel, text, thread_ts: ts.reply })).toBe('cannot_reply_to_message');
  expect(await refusal('chat.postEphemeral', { channel, text, user: 'U9' })).toBe('user_not_in_channel');
});

test('of what grows: a change, too much, and anything after five minutes', async () => {
  const growing = { channel, ts: ts.growing };
  expect(await refusal('chat.update', { ...growing, text: 'a' })).toBe('streaming_state_conflict');
  expect(await refusal('chat.delete', growing)).toBe('cant_delete_message');
  expect(await refusal('chat.appendStream', growing)).toBe('no_text');
  expect(await refusal('chat.appendStream', { ...growing, markdown_text: long(12_001) })).toBe('msg_too_long');
  const other = { channel, ts: ts.person, markdown_text: 'a' };
  expect(await refusal('chat.appendStream', other)).toBe('message_not_owned_by_app');
  now += 300;
  await expect.poll(() => slack.chat(channel).at(-1)?.streaming).toBe('errored');
  expect(await refusal('chat.stopStream', growing)).toBe('message_not_in_streaming_state');
  expect(await refusal('chat.update', { ...growing, markdown_text: 'whole' })).toBe('nothing');
  const start = { channel, thread_ts: ts.person };
  expect(await refusal('chat.startStream', { channel })).toBe('invalid_thread_ts');
  expect(await refusal('chat.startStream', { ...start, recipient_team_id: 'T1' })).toBe('missing_recipient_user_id');
  expect(await refusal('chat.startStream', { ...start, recipient_user_id: 'U1' })).toBe('missing_recipient_team_id');
});

test('of a modal: one that is late, opened twice, or not sound', async () => {
  const [title, label] = [
    { type: 'plain_text', text: 'Why?' },
    { type: 'plain_text', text: 'Reason' },
  ];
  const input = { type: 'input', label, element: { type: 'plain_text_input', action_id: 'text' } };
  const view = { type: 'modal', title, submit: title, callback_id: 'x', private_metadata: '', blocks: [input] };
  const opening = (rest: object, { triggerId: trigger_id } = slack.home.command(channel, '/keyturn')) =>
    refusal('views.open', { trigger_id, view: { ...view, ...rest } });
  const trigger = slack.home.command(channel, '/keyturn');
  expect(await opening({}, trigger)).toBe('nothing');
  expect(await opening({}, trigger)).toBe('exchanged_trigger_id');
  const late = slack.home.command(channel, '/keyturn');
  now += 3;
  expect(await opening({}, late)).toBe('expired_trigger_id');
  for (const wrong of [
    { title: { ...title, text: long(25) } },
    { private_metadata: long(3001) },
    { submit: undefined },
  ])
    expect(await opening(wrong)).toBe('invalid_arguments');
});

test('of an answer at a response URL: the sixth, and any after half an hour', async () => {
  const { responseUrl } = slack.home.command(channel, '/keyturn');
  const body = JSON.stringify({ text: 'a', response_type: 'ephemeral', replace_original: false });
  const respond = async (url: string): Promise<number> =>
    (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status;
  for (let count = 0; count < 5; count += 1) expect(await respond(responseUrl)).toBe(200);
  expect(await respond(responseUrl)).toBe(404);
  const late = slack.home.command(channel, '/keyturn').responseUrl;
  now += 30 * 60;
  expect(await respond(late)).toBe(404);
});

test('of tokens: those that are missing, wrong, of the other kind, or without the scope', async () => {
  expect(await refusal('auth.test', {}, clientWith('xoxb-other'))).toBe('invalid_auth');
  expect(await refusal('auth.test', {}, clientWith(slack.appToken))).toBe('not_allowed_token_type');
  expect(await refusal('apps.connections.open', {})).toBe('not_allowed_token_type');
  slack.home.grant([]);
  expect(await refusal('chat.postMessage', { channel, text: 'a' })).toBe('missing_scope');
});

test('of sockets: a second with one ticket, and the eleventh', async () => {
  const connect = async (): Promise<{ url: string; first: unknown }> => {
    const { url = '' } = await clientWith(slack.appToken).apps.connections.open({});
    const [data] = await once(new WebSocket(url), 'message');
    return { url, first: JSON.parse(String(data)) };
  };
  const { url } = await connect();
  await expect(once(new WebSocket(url), 'open')).rejects.toThrow('404');
  for (let count = 1; count < 10; count += 1) await connect();
  expect((await connect()).first).toMatchObject({ type: 'disconnect', reason: 'too_many_websockets' });
  expect(slack.sockets.count).toBe(10);
});

test.each([
  [{ text: 'hey <!channel>' }, ['<!channel>']],
  [
    { markdown_text: 'a <!here|here> <@U123> <!subteam^S1|x> <!everyone>' },
    ['<!here>', '<@U123>', '<!subteam^S1>', '<!everyone>'],
  ],
  [{ text: 'quiet', blocks: [markdown('<@U1>')] }, ['<@U1>']],
  [{ text: '@here &lt;!channel&gt; a@here.org' }, []],
])('whom a message calls is seen: %j', async (content, pings) => {
  await client.apiCall('chat.postMessage', { channel, ...content });
  expect(slack.chat(channel).at(-1)?.pings).toEqual(pings);
});
