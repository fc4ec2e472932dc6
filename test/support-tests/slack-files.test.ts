import type { WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isJsonObject } from '../../src/lib/json.ts';
import { SlackServer } from '../support/slack-server.ts';
import { slackClient } from './slack-client.ts';
import { slackRefusal } from './slack-refusal.ts';

const channel = 'C1';
const bytes = Buffer.from('what is in it');
let slack: SlackServer;
let client: WebClient;

beforeEach(async () => {
  slack = await SlackServer.start();
  slack.home.addChannel(channel);
  client = slackClient(slack);
});

afterEach(() => slack.close());

const download = (url: string, token = slack.botToken): Promise<Response> =>
  fetch(url, { headers: { authorization: `Bearer ${token}` } });

function firstFile(files: unknown) {
  const [file] = Array.isArray(files) ? files : [];
  if (!isJsonObject(file)) throw new Error('There is no file.');
  return file;
}

function sharedFile(isHidden = false) {
  const file = { bytes, name: 'notes.txt', isHidden };
  const event = slack.people.share(channel, [file], 'look', { from: 'U1' }).deliveries[0]?.payload.event;
  if (!isJsonObject(event)) throw new Error('There is no event.');
  return { event, file: firstFile(event.files) };
}

test('a file that a person shares can be fetched with the token', async () => {
  const { event, file } = sharedFile();
  expect(event).toMatchObject({ subtype: 'file_share', text: 'look', user: 'U1' });
  expect(file).toMatchObject({ name: 'notes.txt', mimetype: 'text/plain', size: bytes.length, mode: 'hosted' });
  const response = await download(String(file.url_private_download));
  expect(response.headers.get('content-type')).toBe('text/plain');
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
});

test('without a token, with another one, or without files:read there is a page to sign in on', async () => {
  const url = String(sharedFile().file.url_private_download);
  const answers = [await fetch(url), await download(url, 'xoxb-none')];
  slack.home.grant(['chat:write']);
  answers.push(await download(url));
  for (const answer of answers) {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('Sign in');
  }
});

test('a hidden file has to be asked about', async () => {
  const { file } = sharedFile(true);
  expect(file).toMatchObject({ file_access: 'check_file_info' });
  expect(file).not.toHaveProperty('url_private_download');
  const info = await client.files.info({ file: String(file.id) });
  expect(await (await download(info.file?.url_private_download ?? '')).text()).toBe(String(bytes));
  expect(await slackRefusal(client.files.info({ file: 'F9' }))).toBe('file_not_found');
});

test('the client uploads a file into a thread, with a comment', async () => {
  const { ts: thread_ts } = slack.say(channel, 'root');
  await client.filesUploadV2({
    channel_id: channel,
    thread_ts,
    file: bytes,
    filename: 'a.md',
    title: 'A',
    initial_comment: 'Here.',
  });
  expect(slack.chat(channel).at(-1)).toMatchObject({
    ...{ from: 'bot', text: 'Here.', threadTs: thread_ts },
    files: [{ name: 'a.md', title: 'A', bytes }],
  });
});

test('bytes can be put there as they are; what was not put there cannot be shared', async () => {
  const upload = async (length: number) => client.files.getUploadURLExternal({ filename: 'b.bin', length });
  const { upload_url = '', file_id: id = '' } = await upload(bytes.length);
  const complete = (): Promise<unknown> =>
    client.files.completeUploadExternal({ files: [{ id }], channel_id: channel });
  expect(await slackRefusal(complete())).toBe('file_not_found');
  expect((await fetch(upload_url, { method: 'POST', body: 'too short' })).status).toBe(400);
  expect((await fetch(upload_url, { method: 'PUT', body: new Uint8Array(bytes) })).status).toBe(200);
  await complete();
  expect(slack.chat(channel)).toMatchObject([{ text: '', files: [{ name: 'b.bin', bytes }] }]);
  expect(await slackRefusal(upload(0))).toBe('invalid_arguments');
  expect(slack.callsOf('upload').map(({ status }) => status)).toEqual([400, 200]);
});

test('a file in a conversation that is not there, or too many of them, are refused', async () => {
  const { file_id: id = '' } = await client.files.getUploadURLExternal({ filename: 'b.bin', length: 1 });
  expect(await slackRefusal(client.files.completeUploadExternal({ files: [{ id }], channel_id: 'C9' }))).toBe(
    'channel_not_found',
  );
  const files = Array.from({ length: 15 }, () => ({ id }));
  expect(await slackRefusal(client.apiCall('files.completeUploadExternal', { files, channel_id: channel }))).toBe(
    'internal_error',
  );
});
