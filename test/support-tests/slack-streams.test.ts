import type { webApi } from '@slack/bolt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SlackServer } from '../support/slack-server.ts';
import { slackClient } from './slack-client.ts';
import { slackRefusal } from './slack-refusal.ts';

let slack: SlackServer;
let client: webApi.WebClient;
let channel: string;
let thread_ts: string;

beforeEach(async () => {
  slack = await SlackServer.start({ timeScale: 0.001 });
  client = slackClient(slack);
  channel = slack.home.addDirect('U1');
  thread_ts = slack.say(channel, 'tell me').ts;
});

afterEach(() => slack.close());

const start = async (): Promise<string> => (await client.chat.startStream({ channel, thread_ts })).ts ?? '';

test('a message grows until it is stopped, and has buttons then', async () => {
  const ts = await start();
  await client.chat.appendStream({ channel, ts, markdown_text: '**one** ' });
  await client.chat.appendStream({ channel, ts, markdown_text: 'two' });
  expect(slack.chat(channel).at(-1)).toMatchObject({
    text: '**one** two',
    streaming: 'in_progress',
    threadTs: thread_ts,
    edits: 0,
  });
  const button = { type: 'button' as const, text: { type: 'plain_text' as const, text: 'More' }, action_id: 'more' };
  await client.chat.stopStream({ channel, ts, markdown_text: '.', blocks: [{ type: 'actions', elements: [button] }] });
  expect(slack.chat(channel).at(-1)).toMatchObject({
    ...{ text: '**one** two.', streaming: 'completed', buttons: [{ label: 'More' }] },
  });
});

test('as long as it grows it can neither be changed nor deleted', async () => {
  const ts = await start();
  expect(await slackRefusal(client.chat.update({ channel, ts, text: 'a' }))).toBe('streaming_state_conflict');
  expect(await slackRefusal(client.chat.delete({ channel, ts }))).toBe('cant_delete_message');
  await client.chat.stopStream({ channel, ts });
  expect(await slackRefusal(client.chat.appendStream({ channel, ts, markdown_text: 'a' }))).toBe(
    'message_not_in_streaming_state',
  );
  await client.chat.update({ channel, ts, markdown_text: 'whole' });
  expect(slack.chat(channel).at(-1)).toMatchObject({ text: 'whole', edits: 1 });
});

test('after five minutes it is broken until it is changed', async () => {
  const ts = await start();
  await client.chat.appendStream({ channel, ts, markdown_text: 'half' });
  await expect.poll(() => slack.chat(channel).at(-1)?.streaming).toBe('errored');
  expect(await slackRefusal(client.chat.appendStream({ channel, ts, markdown_text: 'a' }))).toBe(
    'message_not_in_streaming_state',
  );
  expect(await slackRefusal(client.chat.stopStream({ channel, ts }))).toBe('message_not_in_streaming_state');
  await client.chat.update({ channel, ts, markdown_text: 'half and half' });
  expect(slack.chat(channel).at(-1)).toMatchObject({ text: 'half and half', streaming: 'completed' });
});

test('it needs a thread; and outside of direct conversations to know for whom it is', async () => {
  slack.home.addChannel('C1', { members: ['U1'] });
  const { ts: root } = slack.say('C1', 'tell us');
  const begin = (rest: object): Promise<unknown> =>
    client.apiCall('chat.startStream', { channel: 'C1', thread_ts: root, ...rest });
  expect(await slackRefusal(client.apiCall('chat.startStream', { channel }))).toBe('invalid_thread_ts');
  expect(await slackRefusal(begin({ thread_ts: '' }))).toBe('invalid_thread_ts');
  expect(await slackRefusal(begin({ recipient_team_id: 'T1' }))).toBe('missing_recipient_user_id');
  expect(await slackRefusal(begin({ recipient_user_id: 'U1' }))).toBe('missing_recipient_team_id');
  await begin({ recipient_user_id: 'U1', recipient_team_id: 'T1' });
  expect(slack.chat('C1')).toHaveLength(2);
});

test('what is wrong or too much is refused, and nothing is added', async () => {
  const ts = await start();
  const append = (rest: object): Promise<unknown> => client.apiCall('chat.appendStream', { channel, ts, ...rest });
  expect(await slackRefusal(append({}))).toBe('no_text');
  expect(await slackRefusal(append({ markdown_text: 'a'.repeat(12_001) }))).toBe('msg_too_long');
  expect(await slackRefusal(append({ chunks: [] }))).toBe('invalid_arguments');
  expect(slack.chat(channel).at(-1)?.text).toBe('');
  const other = slack.say(channel, 'mine');
  expect(await slackRefusal(client.chat.appendStream({ channel, ts: other.ts, markdown_text: 'a' }))).toBe(
    'message_not_owned_by_app',
  );
});

test('the assistant pane has a thread with a status and prompts; a message ends the status', async () => {
  const pane = slack.people.openAssistant('U1');
  const place = { channel_id: pane.channel, thread_ts: pane.ts };
  await client.assistant.threads.setStatus({ ...place, status: 'is thinking' });
  await client.assistant.threads.setSuggestedPrompts({
    ...place,
    title: 'Try',
    prompts: [{ title: 'a', message: 'b' }],
  });
  expect(slack.home.assistant(pane.channel, pane.ts)).toMatchObject({
    ...{ status: 'is thinking', promptsTitle: 'Try', prompts: [{ title: 'a', message: 'b' }] },
  });
  await client.chat.postMessage({ channel: pane.channel, thread_ts: pane.ts, text: 'There.' });
  expect(slack.home.assistant(pane.channel, pane.ts).status).toBe('');
  expect(slack.home.statuses.map(({ status }) => status)).toEqual(['is thinking']);
  const many = Array.from({ length: 5 }, () => ({ title: 'a', message: 'b' }));
  expect(await slackRefusal(client.apiCall('assistant.threads.setSuggestedPrompts', { ...place, prompts: many }))).toBe(
    'invalid_arguments',
  );
  expect(await slackRefusal(client.assistant.threads.setStatus({ ...place, thread_ts: '', status: 'a' }))).toBe(
    'invalid_thread_ts',
  );
});
