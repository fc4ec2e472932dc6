import type { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SlackServer } from '../support/slack-server.ts';
import { slackClient } from './slack-client.ts';
import { slackRefusal } from './slack-refusal.ts';

const channel = 'C1';
let slack: SlackServer;
let client: WebClient;

beforeEach(async () => {
  slack = await SlackServer.start();
  slack.home.addChannel(channel);
  client = slackClient(slack);
});

afterEach(() => slack.close());

const post = (method: string, init: RequestInit): Promise<Response> =>
  fetch(`${slack.apiUrl}${method}`, { method: 'POST', ...init });
const bearer = (): { authorization: string } => ({ authorization: `Bearer ${slack.botToken}` });

test('auth.test tells who the bot is, and the answer lists what it was granted', async () => {
  const { teamId, botUserId, botId } = slack.home.installation;
  const answer = await client.auth.test();
  expect(answer).toMatchObject({ ok: true, team_id: teamId, user_id: botUserId, bot_id: botId });
  expect(answer.response_metadata?.scopes).toContain('chat:write');
});

test('a method that there is not is unknown', async () => {
  expect(await slackRefusal(client.apiCall('chat.shout'))).toBe('unknown_method');
});

test('a token that nobody has is refused, as is none, and the wrong kind', async () => {
  expect(await slackRefusal(slackClient(slack, 'xoxb-none').auth.test())).toBe('invalid_auth');
  expect(await (await post('auth.test', {})).json()).toMatchObject({ ok: false, error: 'not_authed' });
  expect(await slackRefusal(slackClient(slack, slack.appToken).auth.test())).toBe('not_allowed_token_type');
  expect(await slackRefusal(client.apps.connections.open({}))).toBe('not_allowed_token_type');
  expect(slack.calls.map(({ token, outcome }) => [token, outcome])).toEqual([
    ['unknown', 'invalid_auth'],
    ['none', 'not_authed'],
    ['app', 'not_allowed_token_type'],
    ['bot', 'not_allowed_token_type'],
  ]);
});

test('a revoked token is refused', async () => {
  slack.revoke();
  expect(await slackRefusal(client.auth.test())).toBe('token_revoked');
  expect(await slackRefusal(slackClient(slack, slack.appToken).apps.connections.open({}))).toBe('token_revoked');
});

test('a form, a form in parts and JSON say the same; the token may stand in the form', async () => {
  const parts = new FormData();
  parts.set('channel', channel);
  parts.set('text', 'in parts');
  parts.set('token', slack.botToken);
  const json = { 'content-type': 'application/json; charset=utf-8', ...bearer() };
  await post('chat.postMessage', { headers: bearer(), body: new URLSearchParams({ channel, text: 'as a form' }) });
  await post('chat.postMessage', { body: parts });
  await post('chat.postMessage', { headers: json, body: JSON.stringify({ channel, text: 'as JSON' }) });
  expect(slack.chat(channel).map(({ text }) => text)).toEqual(['as a form', 'in parts', 'as JSON']);
  expect(slack.calls[1]?.params).toEqual({ channel, text: 'in parts' });
});

test('bodies that cannot be read are refused', async () => {
  const codes: unknown[] = [];
  for (const [type, body] of [
    ['application/json', '{'],
    ['application/json', '[]'],
    ['text/xml', '<a/>'],
    ['multipart/form-data; boundary=x', 'no form'],
  ]) {
    const answer = await post('chat.postMessage', {
      headers: { ...bearer(), 'content-type': type ?? '' },
      body: body ?? '',
    });
    codes.push(await answer.json());
  }
  const errors = ['invalid_json', 'json_not_object', 'invalid_post_type', 'invalid_form_data'];
  expect(codes).toMatchObject(errors.map((error) => ({ ok: false, error })));
});

test('an argument that is unknown, missing or of the wrong type is named', async () => {
  const unknown = await client
    .apiCall('chat.delete', { channel, ts: '1.000001', colour: 'red' })
    .catch((error) => error.data);
  expect(unknown).toMatchObject({ error: 'invalid_arguments' });
  expect(unknown.response_metadata.messages).toEqual(['[ERROR] unexpected argument: colour']);
  const missing = await client.apiCall('chat.delete', { channel }).catch((error) => error.data);
  expect(missing.response_metadata.messages).toEqual(['[ERROR] missing required field: ts']);
  expect(await slackRefusal(client.apiCall('conversations.history', { channel, limit: 'many' }))).toBe('invalid_limit');
});

test('a scope that was not granted is named with those that were, until the app is installed anew', async () => {
  slack.home.grant(['chat:write']);
  const error = await client.users.info({ user: 'U1' }).catch((reason) => reason.data);
  expect(error).toMatchObject({ error: 'missing_scope', needed: 'users:read', provided: 'chat:write' });
  slack.home.grant(['chat:write', 'users:read']);
  expect(await slackRefusal(client.users.info({ user: 'U1' }))).toBe('user_not_found');
});

test('users, the team and the bot can be asked about', async () => {
  slack.home.addPerson({ id: 'U5', name: 'ann', realName: 'Ann' });
  expect((await client.users.info({ user: 'U5' })).user).toMatchObject({
    name: 'ann',
    is_bot: false,
    profile: { real_name: 'Ann' },
  });
  expect((await client.team.info()).team).toMatchObject({ id: slack.home.installation.teamId, domain: 'testers' });
  expect((await client.bots.info({ bot: slack.home.installation.botId })).bot?.user_id).toBe(
    slack.home.installation.botUserId,
  );
});

test('workspaces are told apart, even where ids are the same', async () => {
  await using two = await SlackServer.start({ workspaces: [{}, { botToken: 'xoxb-other' }] });
  const [first, second] = two.workspaces;
  first?.addChannel(channel);
  second?.addChannel(channel);
  await slackClient(two, 'xoxb-other').chat.postMessage({ channel, text: 'over there' });
  expect(first?.chat(channel)).toEqual([]);
  expect(second?.chat(channel).map(({ text }) => text)).toEqual(['over there']);
  expect((await slackClient(two, 'xoxb-other').auth.test()).team_id).toBe('T00000002');
});

test('a conversation is read the newest first, threads the oldest first, a page at a time', async () => {
  const { ts: root } = slack.say(channel, 'one');
  slack.say(channel, 'in it', { threadTs: root });
  slack.say(channel, 'shown', { threadTs: root, isBroadcast: true });
  const metadata = { event_type: 'out', event_payload: { id: '7' } };
  await client.chat.postMessage({ channel, text: 'two', metadata });
  const history = await client.conversations.history({ channel, include_all_metadata: true });
  expect(history.messages?.map(({ text }) => text)).toEqual(['two', 'shown', 'one']);
  expect(history.messages?.[0]).toMatchObject({ metadata });
  expect((await client.conversations.history({ channel })).messages?.[0]).not.toHaveProperty('metadata');
  expect((await client.conversations.history({ channel, oldest: root })).messages).toHaveLength(2);
  expect((await client.conversations.history({ channel, oldest: root, inclusive: true })).messages).toHaveLength(3);
  const page = await client.conversations.history({ channel, limit: 2 });
  expect(page.has_more).toBe(true);
  const rest = await client.conversations.history({
    channel,
    limit: 2,
    cursor: page.response_metadata?.next_cursor ?? '',
  });
  expect(rest.messages?.map(({ text }) => text)).toEqual(['one']);
  const replies = await client.conversations.replies({ channel, ts: root });
  expect(replies.messages?.map(({ text }) => text)).toEqual(['one', 'in it', 'shown']);
  expect(replies.messages?.[0]).toMatchObject({ reply_count: 2 });
  expect(await slackRefusal(client.conversations.replies({ channel, ts: '1.000001' }))).toBe('thread_not_found');
  expect(await slackRefusal(client.conversations.history({ channel, cursor: 'x' }))).toBe('invalid_cursor');
});

test('a direct conversation is opened by the person, and told of as what it is', async () => {
  slack.home.addPerson({ id: 'U7' });
  const { channel: room } = await client.conversations.open({ users: 'U7' });
  expect((await client.conversations.info({ channel: room?.id ?? '' })).channel).toMatchObject({
    is_im: true,
    user: 'U7',
  });
  expect(await slackRefusal(client.conversations.open({ users: 'U8' }))).toBe('user_not_found');
  expect(await slackRefusal(client.conversations.info({ channel: 'C9' }))).toBe('channel_not_found');
});

test('reactions are there once, and only under names that there are', async () => {
  const { ts: timestamp } = slack.say(channel, 'hello');
  await client.reactions.add({ channel, timestamp, name: 'eyes' });
  expect(slack.chat(channel)[0]?.reactions).toEqual([{ name: 'eyes', users: [slack.home.installation.botUserId] }]);
  expect(await slackRefusal(client.reactions.add({ channel, timestamp, name: 'eyes' }))).toBe('already_reacted');
  expect(await slackRefusal(client.reactions.add({ channel, timestamp, name: '👀' }))).toBe('invalid_name');
  expect(await slackRefusal(client.reactions.add({ channel, timestamp: '1.000001', name: 'eyes' }))).toBe(
    'message_not_found',
  );
  await client.reactions.remove({ channel, timestamp, name: 'eyes' });
  expect(await slackRefusal(client.reactions.remove({ channel, timestamp, name: 'eyes' }))).toBe('no_reaction');
  expect(slack.chat(channel)[0]?.reactions).toEqual([]);
});
