import type { REST } from 'discord.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiscordServer } from '../support/discord-server.ts';
import { restOf } from './discord-client.ts';
import { refusal } from './discord-refusal.ts';

const route = 'POST /channels/:channel/messages';
let discord: DiscordServer;
let rest: REST;
let channelId: string;

beforeEach(async () => {
  discord = await DiscordServer.start({ times: { rateScale: 0 } });
  rest = restOf(discord);
  channelId = discord.scenery.addChannel(discord.scenery.addGuild().id);
});

afterEach(() => discord.close());

const send = (content: string): Promise<unknown> => rest.post(`/channels/${channelId}/messages`, { body: { content } });
const texts = (): readonly string[] => discord.chat(channelId).map(({ text }) => text);
const failure = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => 'It was done.',
    (error: unknown) => error,
  );

async function raw(): Promise<Response> {
  const headers = { authorization: `Bot ${discord.token}` };
  return fetch(`${discord.apiUrl}/v10/users/@me`, { headers });
}

test('a status fault answers an error, and nothing is done', async () => {
  const fault = discord.fault({
    kind: 'status',
    route,
    status: 403,
    code: 50013,
    message: 'Missing Permissions',
    times: 1,
  });
  expect(await refusal(send('one'))).toBe('403 50013 Missing Permissions');
  await send('two');
  expect(texts()).toEqual(['two']);
  expect(fault.fired).toBe(1);
  expect(discord.callsOf(route).map(({ status, code, fault: kind }) => [status, code, kind])).toEqual([
    [403, 50013, 'status'],
    [200, undefined, undefined],
  ]);
});

test('a 429 says how long to wait, and whether it is for everything', async () => {
  discord.fault({ kind: '429', route: '*', retryAfter: 1.5, global: true });
  const response = await raw();
  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1.5']);
  expect([response.headers.get('x-ratelimit-scope'), response.headers.get('x-ratelimit-global')]).toEqual([
    'global',
    'true',
  ]);
  expect(await response.json()).toMatchObject({ retry_after: 1.5, global: true, code: 0 });
  expect(discord.limits.invalidRequests).toBe(1);
});

test('a drop before the effect breaks the connection, and nothing is done', async () => {
  discord.fault({ kind: 'drop-before', route });
  expect(await failure(send('one'))).toBeInstanceOf(Error);
  expect(texts()).toEqual([]);
});

test('a drop after the effect breaks the connection, and it is done', async () => {
  discord.fault({ kind: 'drop-after', route });
  expect(await failure(send('one'))).toBeInstanceOf(Error);
  expect(texts()).toEqual(['one']);
});

test('a hang is over when it is released, whether it was done before or not', async () => {
  const before = discord.fault({ kind: 'hang', route, times: 1 });
  const after = discord.fault({ kind: 'hang', route, done: true });
  const one = send('one');
  await discord.waitFor(() => before.fired === 1);
  // A client sends the next message to a channel when it has an answer to the last one.
  const two = restOf(discord).post(`/channels/${channelId}/messages`, { body: { content: 'two' } });
  await discord.waitFor(() => after.fired === 1 && texts().length === 1);
  expect(discord.calls.map(({ status }) => status)).toEqual([undefined, undefined]);
  expect(texts()).toEqual(['two']);
  before.release();
  await one;
  after.release();
  await two;
  await send('three');
  expect(texts()).toEqual(['two', 'one', 'three']);
});

test('a page of HTML comes with 502', async () => {
  discord.fault({ kind: 'html', route: '*' });
  const response = await raw();
  expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html']);
});

test('a rule applies to the requests that it names, until it is removed', async () => {
  const isOne = (body: unknown): boolean => JSON.stringify(body).includes('"one"');
  const fault = discord.fault({ kind: 'status', status: 500, route: 'POST /channels/*/messages', when: isOne });
  await send('two');
  await expect(send('one')).rejects.toThrow();
  fault.remove();
  await send('one');
  discord.fault({ kind: 'html', route: '* /channels/:channel/messages' });
  await expect(send('three')).rejects.toThrow();
  await rest.get('/users/@me');
  discord.clearFaults();
  await send('three');
  expect(texts()).toEqual(['two', 'one', 'three']);
  expect(discord.faultsFired('html')).toBe(1);
});

test('chance repeats itself with its seed', async () => {
  const run = async (seed: number): Promise<readonly number[]> => {
    const fault = discord.fault({ kind: 'html', route: 'GET /users/@me', probability: 0.5, seed });
    const statuses: number[] = [];
    for (let count = 0; count < 30; count += 1) statuses.push((await raw()).status);
    fault.remove();
    return statuses;
  };
  const first = await run(7);
  expect(await run(7)).toEqual(first);
  expect(await run(8)).not.toEqual(first);
  expect(new Set(first)).toEqual(new Set([200, 502]));
});

test('an outage refuses requests until it is over', async () => {
  discord.outage(true);
  expect(await failure(raw())).toBeInstanceOf(Error);
  discord.outage(false);
  expect((await raw()).status).toBe(200);
});

test('every call is kept with what was asked', async () => {
  await send('hello');
  await rest.get(`/channels/${channelId}/messages`, { query: new URLSearchParams({ limit: '1' }) });
  await rest.post(`/channels/${channelId}/messages`, { body: {}, files: [{ name: 'a.txt', data: Buffer.from('a') }] });
  expect(discord.calls).toMatchObject([
    { route, method: 'POST', path: `/channels/${channelId}/messages`, body: { content: 'hello' }, files: [] },
    { route: 'GET /channels/:channel/messages', query: { limit: '1' }, body: undefined, status: 200 },
    { route, files: ['a.txt'], authorization: `Bot ${discord.token}` },
  ]);
  discord.forget();
  expect([discord.calls, discord.chat(channelId)]).toEqual([[], []]);
});
