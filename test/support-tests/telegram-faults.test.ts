import { Api, GrammyError, HttpError } from 'grammy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TelegramServer } from '../support/telegram-server.ts';

const chat = 5;
let telegram: TelegramServer;
let api: Api;

beforeEach(async () => {
  telegram = await TelegramServer.start();
  api = new Api(telegram.token, { apiRoot: telegram.root });
  telegram.addChat(chat);
});

afterEach(() => telegram.close());

const failure = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => 'It was done.',
    (error: unknown) => error,
  );
const texts = (): readonly string[] => telegram.chat(chat).map(({ text }) => text);

test('a status fault answers an error, and nothing is done', async () => {
  const fault = telegram.fault({
    kind: 'status',
    method: 'sendMessage',
    status: 403,
    description: 'Forbidden: bot was blocked by the user',
    times: 1,
  });
  await expect(api.sendMessage(chat, 'one')).rejects.toThrow('403: Forbidden: bot was blocked by the user');
  await api.sendMessage(chat, 'two');
  expect(texts()).toEqual(['two']);
  expect(fault.fired).toBe(1);
  expect(telegram.callsOf('sendMessage').map(({ status, fault: kind }) => [status, kind])).toEqual([
    [403, 'status'],
    [200, undefined],
  ]);
});

test('a 429 says how long to wait', async () => {
  telegram.fault({ kind: '429', method: 'sendMessage', retryAfter: 3 });
  const error = await failure(api.sendMessage(chat, 'one'));
  expect(error instanceof GrammyError && [error.error_code, error.parameters]).toEqual([429, { retry_after: 3 }]);
});

test('a drop before the effect breaks the connection, and nothing is done', async () => {
  telegram.fault({ kind: 'drop-before', method: 'sendMessage' });
  expect(await failure(api.sendMessage(chat, 'one'))).toBeInstanceOf(HttpError);
  expect(texts()).toEqual([]);
});

test('a drop after the effect breaks the connection, and it is done', async () => {
  telegram.fault({ kind: 'drop-after', method: 'sendMessage' });
  expect(await failure(api.sendMessage(chat, 'one'))).toBeInstanceOf(HttpError);
  expect(texts()).toEqual(['one']);
});

test('a hang never answers, whether it was done or not', async () => {
  telegram.fault({ kind: 'hang', method: 'sendMessage', times: 1 });
  telegram.fault({ kind: 'hang', method: 'sendMessage', done: true });
  const impatient = new Api(telegram.token, { apiRoot: telegram.root, timeoutSeconds: 0.2 });
  const requests = ['one', 'two'].map((text) => failure(impatient.sendMessage(chat, text)));
  await telegram.waitFor(() => telegram.faultsFired('hang') === 2);
  expect(await Promise.all(requests)).toEqual([expect.any(Error), expect.any(Error)]);
  expect(texts()).toHaveLength(1);
  expect(telegram.calls.map(({ status }) => status)).toEqual([undefined, undefined]);
});

test('a page of HTML comes with 502', async () => {
  telegram.fault({ kind: 'html', method: '*' });
  const response = await fetch(`${telegram.root}/bot${telegram.token}/getMe`);
  expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html']);
  expect(await failure(api.getMe())).toBeInstanceOf(HttpError);
});

test('a rule applies to the requests that it names, until it is removed', async () => {
  const fault = telegram.fault({
    kind: '429',
    method: 'sendMessage',
    retryAfter: 1,
    when: ({ text }) => text === 'one',
  });
  await api.sendMessage(chat, 'two');
  await expect(api.sendMessage(chat, 'one')).rejects.toThrow('429');
  fault.remove();
  await api.sendMessage(chat, 'one');
  telegram.fault({ kind: 'html', method: '*' });
  telegram.clearFaults();
  await api.sendMessage(chat, 'three');
  expect(texts()).toEqual(['two', 'one', 'three']);
});

test('chance repeats itself with its seed', async () => {
  const run = async (seed: number): Promise<readonly boolean[]> => {
    const fault = telegram.fault({ kind: 'html', method: 'getMe', probability: 0.5, seed });
    const failed: boolean[] = [];
    for (let count = 0; count < 30; count += 1) failed.push((await failure(api.getMe())) instanceof HttpError);
    fault.remove();
    return failed;
  };
  const first = await run(7);
  expect(await run(7)).toEqual(first);
  expect(await run(8)).not.toEqual(first);
  expect(first.filter(Boolean).length).toBeGreaterThan(5);
});

test('an outage breaks the poll in flight and refuses new requests until it is over', async () => {
  const poll = failure(api.getUpdates({ timeout: 30 }));
  await telegram.waitFor(() => telegram.polls === 1);
  telegram.outage(true);
  expect(await poll).toBeInstanceOf(HttpError);
  expect(await failure(api.getMe())).toBeInstanceOf(HttpError);
  telegram.outage(false);
  expect((await api.getMe()).id).toBe(telegram.bot.id);
});

test('an update is not lost when the answer to the poll is', async () => {
  const update = telegram.say(chat, 'hello');
  telegram.fault({ kind: 'drop-after', method: 'getUpdates', times: 1 });
  expect(await failure(api.getUpdates())).toBeInstanceOf(HttpError);
  expect(await api.getUpdates()).toEqual([update]);
});

test('closing ends polls and hangs at once', async () => {
  const server = await TelegramServer.start();
  server.fault({ kind: 'hang', method: 'getMe' });
  const other = new Api(server.token, { apiRoot: server.root });
  const requests = [failure(other.getUpdates({ timeout: 30 })), failure(other.getMe())];
  await server.waitFor(() => server.calls.length === 2);
  const begun = performance.now();
  await server.close();
  expect(performance.now() - begun).toBeLessThan(3_000);
  for (const error of await Promise.all(requests)) expect(error).toBeInstanceOf(HttpError);
});
