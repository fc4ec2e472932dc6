import type { webApi } from '@slack/bolt';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SlackServer } from '../support/slack-server.ts';
import { slackClient } from './slack-client.ts';
import { slackRefusal } from './slack-refusal.ts';
import { SocketAnswers } from './socket-answers.ts';

const channel = 'C1';
const timeScale = 0.1;
const slackSeconds = (seconds: number): number => seconds * 1000 * timeScale;
const plain = (text: string) => ({ type: 'plain_text' as const, text });
const blocks = [
  { type: 'section' as const, text: plain('May I?') },
  {
    type: 'actions' as const,
    block_id: 'choice',
    elements: [{ type: 'button' as const, text: plain('Yes'), action_id: 'yes', value: 'a1' }],
  },
];
const modal = {
  ...{
    type: 'modal' as const,
    title: plain('Why not?'),
    submit: plain('Send'),
    callback_id: 'deny',
    private_metadata: 'a1',
  },
  blocks: [
    {
      type: 'input' as const,
      block_id: 'why',
      label: plain('Reason'),
      element: { type: 'plain_text_input' as const, action_id: 'reason' },
    },
  ],
};
let slack: SlackServer;
let client: webApi.WebClient;
let ts: string;
/** What Slack's clock says. */
let now: number;

beforeEach(async () => {
  now = Date.now();
  slack = await SlackServer.start({ timeScale, now: () => now });
  slack.home.addChannel(channel, { members: ['U1', 'U2'] });
  client = slackClient(slack);
  ts = (await client.chat.postMessage({ channel, text: 'May I?', blocks })).ts ?? '';
});

afterEach(() => slack.close());

const respond = async (url: string, answer: object): Promise<unknown> =>
  (
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) })
  ).json();
const open = async (userId: string, view: object = modal): Promise<unknown> => {
  const { triggerId } = slack.press(channel, ts, 'Yes', { from: userId });
  return client.apiCall('views.open', { trigger_id: triggerId, view });
};

test('a press tells who, where, what, and how to answer', () => {
  const { delivery, triggerId, responseUrl } = slack.press(channel, ts, 'Yes', { from: 'U2' });
  expect(delivery).toMatchObject({ kind: 'interactive' });
  expect(delivery.payload).toMatchObject({
    ...{ type: 'block_actions', trigger_id: triggerId, response_url: responseUrl, api_app_id: 'A00000001' },
    user: { id: 'U2', team_id: 'T00000001' },
    team: { id: 'T00000001', domain: 'testers' },
    container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false },
    channel: { id: channel },
    message: { ts, text: 'May I?' },
    actions: [{ type: 'button', action_id: 'yes', block_id: 'choice', value: 'a1', text: { text: 'Yes' } }],
  });
  const guest = slack.press(channel, ts, 'yes', { from: 'U8', guestTeamId: 'T9' });
  expect(guest.delivery.payload.user).toMatchObject({ id: 'U8', team_id: 'T9' });
  const times = slack.deliveries.slice(-2).map(({ payload }) => JSON.stringify(payload.actions));
  expect(new Set(times).size).toBe(2);
});

test('a button that is not there can be pressed by forgery only', () => {
  expect(() => slack.press(channel, ts, 'No')).toThrow('Its buttons: Yes');
  const { delivery } = slack.press(channel, ts, 'no', { forged: { value: 'a2' } });
  expect(delivery.payload.actions).toMatchObject([{ action_id: 'no', value: 'a2' }]);
});

test('a button on what one person alone sees can be pressed', async () => {
  await client.chat.postEphemeral({ channel, user: 'U2', text: 'May I?', blocks });
  const [shown] = slack.home.ephemerals(channel, 'U2');
  const { delivery } = slack.press(channel, shown?.ts ?? '', 'Yes');
  expect(delivery.payload).toMatchObject({ user: { id: 'U2' }, container: { is_ephemeral: true } });
  expect(delivery.payload).not.toHaveProperty('message');
});

test('at the response URL one can answer five times, to one or to all, and replace or delete the message', async () => {
  const { responseUrl } = slack.press(channel, ts, 'Yes', { from: 'U2' });
  expect(await respond(responseUrl, { markdown_text: 'a' })).toMatchObject({ ok: false, error: 'no_text' });
  expect(await respond(responseUrl, { text: 'Only you.' })).toMatchObject({ ok: true });
  expect(slack.home.ephemerals(channel, 'U2')).toMatchObject([{ text: 'Only you.' }]);
  await respond(responseUrl, { text: 'All.', response_type: 'in_channel' });
  await respond(responseUrl, { text: 'Done.', replace_original: true, blocks: [] });
  expect(slack.chat(channel)).toMatchObject([{ ts, text: 'Done.', buttons: [] }, { text: 'All.' }]);
  await respond(responseUrl, { delete_original: true });
  expect(slack.chat(channel)).toHaveLength(1);
  await respond(responseUrl, { text: 'fifth' });
  expect(await respond(responseUrl, { text: 'sixth' })).toMatchObject({ error: 'used_url' });
  expect(slack.callsOf('response_url')).toHaveLength(7);
});

test('a response URL is good for half an hour', async () => {
  let now = Date.now();
  await using other = await SlackServer.start({ now: () => now });
  other.home.addChannel(channel);
  const { responseUrl } = other.home.command(channel, '/keyturn');
  now += 30 * 60_000;
  expect(await respond(responseUrl, { text: 'late' })).toMatchObject({ error: 'expired_url' });
});

test('a modal is opened once, soon after a press, and for who pressed', async () => {
  const { triggerId } = slack.press(channel, ts, 'Yes', { from: 'U2' });
  await client.views.open({ trigger_id: triggerId, view: modal });
  expect(slack.home.modal('U2')).toMatchObject({ title: 'Why not?', callbackId: 'deny', privateMetadata: 'a1' });
  expect(slack.home.modal('U1')).toBeUndefined();
  expect(await slackRefusal(client.views.open({ trigger_id: triggerId, view: modal }))).toBe('exchanged_trigger_id');
  expect(await slackRefusal(client.views.open({ trigger_id: 'none', view: modal }))).toBe('invalid_trigger_id');
  const late = slack.press(channel, ts, 'Yes');
  now += slackSeconds(3);
  expect(await slackRefusal(client.views.open({ trigger_id: late.triggerId, view: modal }))).toBe('expired_trigger_id');
});

test.each([
  ['a long title', { title: plain('a'.repeat(25)) }],
  ['much metadata', { private_metadata: 'a'.repeat(3001) }],
  ['fields that cannot be sent', { submit: undefined }],
  ['an unknown key', { colour: 'red' }],
])('a modal with %s is refused', async (_what, change) => {
  expect(await slackRefusal(open('U2', { ...modal, ...change }))).toBe('invalid_arguments');
});

test('a modal that is sent tells what stands in its fields, and is closed', async () => {
  await open('U2');
  await using _answers = await SocketAnswers.open(slack);
  expect(() => slack.home.submit('U2', {})).toThrow('asks for a value');
  const { payload } = await slack.acknowledged(slack.home.submit('U2', { reason: 'no' }));
  expect(payload).toMatchObject({
    ...{ type: 'view_submission', user: { id: 'U2' } },
    view: { callback_id: 'deny', private_metadata: 'a1', state: { values: { why: { reason: { value: 'no' } } } } },
  });
  expect(slack.home.modal('U2')).toBeUndefined();
});

test('a command tells what was typed, and the answer to it is for the person alone', async () => {
  await using answers = await SocketAnswers.open(slack);
  answers.answer = { text: 'It helps.' };
  const { delivery } = slack.home.command('C2', '/keyturn', 'help me', { from: 'U2' });
  await slack.acknowledged(delivery);
  expect(delivery.payload).toMatchObject({
    command: '/keyturn',
    text: 'help me',
    user_id: 'U2',
    channel_id: 'C2',
    team_domain: 'testers',
  });
  expect(slack.home.ephemerals('C2', 'U2')).toMatchObject([{ text: 'It helps.' }]);
});
