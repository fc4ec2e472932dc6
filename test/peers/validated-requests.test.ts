import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { bodyFaults, methodFaults } from './support/validators.ts';

/*
 * What the tests of the channels send, judged by the models and schemas of others: aiogram for Telegram, slack_sdk for
 * Slack, Discord's OpenAPI. Requests that the fakes refuse are left out: these are wrong on purpose.
 */

const call = z.object({
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
  route: z.string().default(''),
  body: z.unknown().optional(),
  status: z.number(),
  outcome: z.string().default('ok'),
});
const line = z.object({ platform: z.enum(['telegram', 'slack', 'discord']), call });
type Line = z.output<typeof line>;

/** What is no method. */
const elsewhere = ['download', 'upload', 'socket'];
let sent: readonly Line[] = [];
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyturn-requests-'));
  const cwd = join(import.meta.dirname, '../..');
  const { PATH, HOME, TMPDIR } = process.env;
  const files = ['telegram', 'slack', 'discord'].map((channel) => `test/channels/${channel}`);
  const args = ['scripts/run.js', 'vitest', 'run', ...files, 'test/e2e/home.test.ts', '--maxWorkers=2'];
  await promisify(execFile)(process.execPath, args, { cwd, env: { PATH, HOME, TMPDIR, KEYTURN_RECORD: folder } });
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').filter((one) => one !== ''));
  sent = lines.map((one) => line.parse(JSON.parse(one)));
}, 900_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The requests to a platform that it took. */
function takenBy(platform: Line['platform']): readonly Line['call'][] {
  return sent.flatMap((one) =>
    one.platform === platform && one.call.status < 400 && one.call.outcome === 'ok' ? [one.call] : [],
  );
}

test('aiogram finds nothing wrong with requests to Telegram', async () => {
  const requests = takenBy('telegram').filter(({ method }) => !elsewhere.includes(method));
  const forms = ['sendMessageDraft', 'sendPhoto', 'setMyCommands', 'expandable_blockquote', 'date_time'];
  expect(formsOf(requests, [...forms, 'force_reply', '"style":"danger"', 'disable_notification'])).toEqual([]);
  expect(await methodFaults('telegram', requests)).toEqual([]);
});

test('slack_sdk finds nothing wrong with requests to Slack', async () => {
  const requests = takenBy('slack').filter(({ method }) => !elsewhere.includes(method));
  const forms = ['views.open', 'views.publish', 'chat.postEphemeral', 'chat.startStream', 'files.completeUpload'];
  expect(formsOf(requests, [...forms, 'container', 'rich_text_preformatted', 'fallback', 'danger'])).toEqual([]);
  expect(await methodFaults('slack', requests)).toEqual([]);
});

test("Discord's OpenAPI finds nothing wrong with requests to Discord", async () => {
  const requests = takenBy('discord').filter(({ body }) => body !== undefined && body !== null);
  const forms = ['/callback', '/webhooks', '/commands', '"title":', 'custom_id', 'message_reference'];
  expect(formsOf(requests, [...forms, '"flags":64', '"flags":4100', 'name_localizations'])).toEqual([]);
  expect(await bodyFaults(requests)).toEqual([]);
});

/** Those that are in none of the requests: nobody would notice a form that is not judged. */
function formsOf(requests: readonly Line['call'][], forms: readonly string[]): readonly string[] {
  const all = JSON.stringify(requests).replaceAll('\\"', '"');
  return forms.filter((form) => !all.includes(form));
}

test('what is wrong is found', async () => {
  const text = { method: 'sendMessage', params: { chat_id: 1, text: 'x' } };
  const wrong = [{ ...text, params: { ...text.params, silent: true } }, { ...text, params: { text: 'x' } }, text];
  expect(await methodFaults('telegram', wrong)).toEqual([
    'sendMessage.silent is not known',
    'sendMessage: chat_id: Field required',
  ]);
  const blocks = JSON.stringify([{ type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } }]);
  const post = { method: 'chat.postMessage', params: { channel: 'C1', blocks, loud: true } };
  expect(await methodFaults('slack', [post])).toEqual([
    'chat.postMessage: loud is not known',
    'chat.postMessage: header: text attribute cannot exceed 150 characters',
  ]);
  const route = 'POST /channels/:channel/messages';
  expect(await bodyFaults([{ route, body: { content: 'x', loud: true } }])).toHaveLength(1);
  expect(await bodyFaults([{ route, body: { content: 'x'.repeat(2001) } }])).toHaveLength(1);
});
