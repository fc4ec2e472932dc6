import { ErrorCode, type WebClient } from '@slack/web-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SlackServer } from '../support/slack-server.ts';
import { slackClient } from './slack-client.ts';
import { slackRefusal } from './slack-refusal.ts';

const channel = 'C1';
const method = 'chat.postMessage';
let slack: SlackServer;
let client: WebClient;

beforeEach(async () => {
  slack = await SlackServer.start();
  slack.home.addChannel(channel);
  client = slackClient(slack);
});

afterEach(() => slack.close());

const post = (text: string): Promise<unknown> => client.chat.postMessage({ channel, text });
const codeOf = async (request: Promise<unknown>): Promise<unknown> => {
  const error: unknown = await request.then(
    () => 'It was done.',
    (reason: unknown) => reason,
  );
  return error instanceof Error && 'code' in error ? error.code : error;
};
const texts = (): readonly string[] => slack.chat(channel).map(({ text }) => text);

test('an error refuses with its code, as often as it says; nothing is done', async () => {
  const fault = slack.fault({ kind: 'error', method, error: 'fatal_error', times: 1 });
  expect(await slackRefusal(post('one'))).toBe('fatal_error');
  await post('two');
  expect(texts()).toEqual(['two']);
  expect([fault.fired, slack.faultsFired('error')]).toEqual([1, 1]);
  expect(slack.callsOf(method).map(({ status, outcome, fault: kind }) => [status, outcome, kind])).toEqual([
    [200, 'fatal_error', 'error'],
    [200, 'ok', undefined],
  ]);
});

test('a 429 says how long to wait', async () => {
  slack.fault({ kind: '429', method, retryAfter: 7 });
  const headers = { authorization: `Bearer ${slack.botToken}` };
  const answer = await fetch(`${slack.apiUrl}${method}`, { method: 'POST', headers });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
  expect(await answer.json()).toMatchObject({ ok: false, error: 'ratelimited' });
});

test('a status is another one than 200, a page of HTML has 200', async () => {
  const fault = slack.fault({ kind: 'status', method, status: 503 });
  expect(await codeOf(post('one'))).toBe(ErrorCode.HTTPError);
  fault.remove();
  slack.fault({ kind: 'html', method });
  expect(await slackRefusal(post('two'))).toContain('<html>');
  expect(texts()).toEqual([]);
});

test('a drop before the effect does nothing, one after it does', async () => {
  slack.fault({ kind: 'drop-before', method, times: 1 });
  expect(await codeOf(post('one'))).toBe(ErrorCode.RequestError);
  slack.fault({ kind: 'drop-after', method, times: 1 });
  expect(await codeOf(post('two'))).toBe(ErrorCode.RequestError);
  expect(texts()).toEqual(['two']);
  expect(slack.callsOf(method).map(({ status }) => status)).toEqual([undefined, undefined]);
});

test('what hangs is done and answered when it is released, or was done before', async () => {
  slack.fault({ kind: 'hang', method, times: 1 });
  slack.fault({ kind: 'hang', method, times: 1, done: true });
  const hung = [post('one'), post('two')];
  await slack.waitFor(() => slack.callsOf(method).length === 2);
  await slack.waitFor(() => texts().length === 1);
  slack.release();
  expect(await Promise.all(hung)).toMatchObject([{ ok: true }, { ok: true }]);
  expect(texts()).toHaveLength(2);
});

test('faults can be for some requests only, or for all methods', async () => {
  slack.fault({ kind: 'error', method: '*', error: 'internal_error', when: ({ text }) => text === 'bad' });
  expect(await slackRefusal(post('bad'))).toBe('internal_error');
  await post('good');
  await client.auth.test();
  slack.clearFaults();
  await post('bad');
  expect(texts()).toEqual(['good', 'bad']);
});

test('chance follows from the seed', async () => {
  const run = async (): Promise<readonly unknown[]> => {
    const fault = slack.fault({
      kind: 'error',
      method: 'auth.test',
      error: 'internal_error',
      probability: 0.5,
      seed: 7,
    });
    const outcomes: unknown[] = [];
    for (let count = 0; count < 12; count += 1) outcomes.push(await codeOf(client.auth.test()));
    fault.remove();
    return outcomes;
  };
  const first = await run();
  expect(new Set(first).size).toBe(2);
  expect(await run()).toEqual(first);
});

test('an outage resets every connection until it is over', async () => {
  slack.outage(true);
  expect(await codeOf(post('one'))).toBe(ErrorCode.RequestError);
  slack.outage(false);
  await post('two');
  expect(texts()).toEqual(['two']);
});

test('every request is written down with its time, its arguments and whose it was', async () => {
  const before = Date.now();
  await post('one');
  const [call] = slack.calls;
  expect(call).toMatchObject({
    method,
    params: { channel, text: 'one' },
    token: 'bot',
    teamId: 'T00000001',
    status: 200,
    outcome: 'ok',
  });
  expect(call?.at).toBeGreaterThanOrEqual(before);
  expect(JSON.stringify(slack.calls)).not.toContain(slack.botToken);
});

test('the server forgets what was said, but not what is not acknowledged', async () => {
  await post('one');
  const told = slack.pending.length;
  slack.forget();
  expect([texts(), slack.calls.length, slack.pending.length]).toEqual([[], 0, told]);
});
