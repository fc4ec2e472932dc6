import { describe, expect, test } from 'vitest';
import { DiscordApi } from '../../../channels/discord/api.ts';
import { discordWords } from '../../../channels/discord/words.ts';
import { refusalCode } from '../../../channels/kit/request-failure.ts';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { allOf, answering, failureOf, requestFaults } from '../kit/request-faults.ts';
import { outgoingSetting } from './outgoing-setting.ts';

const token = 'secret-token.abc.def-secret';

const apiAt = (origin: string, clock: Clock = systemClock): DiscordApi =>
  new DiscordApi({ token, api_url: `${origin}/api`, request_timeout_secs: 1 }, clock);
const text = 'the text of a message';
const post = (api: DiscordApi) =>
  api.call('POST', '/channels/123456789012345678/messages', { body: { content: text } });
const edit = (api: DiscordApi) =>
  api.call('PATCH', '/channels/123456789012345678/messages/223456789012345678', { body: {}, repeatable: true });

describe('a call', () => {
  test('of an interaction goes without the token', async () => {
    const { server, api } = await outgoingSetting();
    await failureOf(api.call('POST', '/interactions/1/abc/callback', { auth: false, body: { type: 6 } }));
    expect(server.calls[0]?.authorization).toBeUndefined();
  });

  test('can be called off', async () => {
    const { server, api } = await outgoingSetting();
    server.fault({ route: '*', kind: 'hang' });
    const ending = new AbortController();
    const failure = failureOf(api.call('GET', '/users/@me', { signal: ending.signal }));
    await server.waitFor(() => server.calls.length === 1);
    ending.abort();
    expect(await failure).toMatchObject({
      fault: { type: 'transient' },
      message: expect.stringContaining('called off'),
    });
  });

  test('does not wait for a limit: it says for how long', async () => {
    const { server, api, channelId } = await outgoingSetting({ times: { rateScale: 1 } });
    const post = () => api.call('POST', `/channels/${channelId}/messages`, { body: { content: 'x' } });
    for (let count = 0; count < 5; count += 1) await post();
    const before = server.calls.length;
    const { fault } = await failureOf(post());
    expect(fault).toMatchObject({ type: 'rate-limited' });
    // The library knows the limit from the answers: Discord was not even asked.
    expect(server.calls).toHaveLength(before);
    expect(fault.type === 'rate-limited' && fault.retryAfter).toBeLessThan(6_000);
    expect(fault.type === 'rate-limited' && fault.retryAfter).toBeGreaterThan(100);
  });

  test('that Discord refuses because of a limit is told of, and the next one too while it holds for all', async () => {
    const { server, api } = await outgoingSetting();
    server.fault({ route: '*', kind: '429', retryAfter: 3, global: true, times: 1 });
    for (let count = 0; count < 2; count += 1) {
      const { fault } = await failureOf(api.call('GET', '/users/@me'));
      expect(fault).toMatchObject({ type: 'rate-limited' });
      expect(fault.type === 'rate-limited' && fault.retryAfter).toBeGreaterThan(2_000);
    }
    expect(server.calls).toHaveLength(1);
  });
});

requestFaults({
  at: (origin) => {
    const [one, other] = [apiAt(origin), apiAt(origin)];
    return { send: () => post(one), change: () => edit(other) };
  },
  secrets: [token, text],
  answers: [
    ['a refusal', { status: 400, body: '{"code":50035,"message":"Invalid Form Body"}' }, 'permanent'],
    ['a refusal of the token', { status: 401, body: '{"code":0,"message":"401: Unauthorized"}' }, 'auth'],
    ['an error of the server', { status: 500, body: '{"code":0,"message":"500"}' }, 'transient'],
    ["a proxy's page", { status: 502, body: '<html>Bad Gateway</html>' }, 'transient'],
    ['a server behind that was too slow', { status: 504, body: '<html>' }, 'ambiguous', 'transient'],
    ['a page that shuts us out', { status: 403, body: '<html>Sorry, you have been blocked</html>' }, 'transient'],
    ['a page to log in', { body: '<html>Log in</html>' }, 'transient'],
    [
      'an address that Discord does not have',
      { status: 404, body: '{"code":0,"message":"404: Not Found"}' },
      'transient',
    ],
    ['half an answer', { body: '{"id":"1' }, 'ambiguous', 'transient'],
    ['a redirection', { status: 301, body: '' }, 'transient'],
    ['too many requests, nobody knows for how long', { status: 429, body: '<html>' }, 'rate-limited'],
    ['null', { status: 400, body: 'null' }, 'transient'],
    ['a resource that is overloaded', { status: 400, body: '{"code":130000,"message":"overloaded"}' }, 'transient'],
  ],
});

describe('a failure', () => {
  test('says what is wrong in a body, and not what stood there', async () => {
    const mistake = { code: 'NUMBER_TYPE_COERCE', message: `Value "${text}" is not snowflake.` };
    const errors = { embeds: { 0: { title: { _errors: [mistake] } } } };
    const { origin } = await answering((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: 50_035, message: 'Invalid Form Body', errors }));
    });
    const failure = await failureOf(post(apiAt(origin)));
    expect(failure.message).toContain('embeds.0.title: NUMBER_TYPE_COERCE');
    expect(allOf(failure)).not.toContain(text);
  });

  test('of an interaction does not say its token', async () => {
    const { api } = await outgoingSetting();
    for (const route of ['/interactions/1/secret/callback', '/webhooks/1/secret'] as const)
      expect(allOf(await failureOf(api.call('POST', route, { auth: false, body: {} })))).not.toContain('secret');
  });
});

const words = discordWords.en;
const invitation = undefined;
describe('permissions that are missing', () => {
  test('are named with the channel and what to do', async () => {
    const { server, api, channelId } = await outgoingSetting();
    const send = () => api.call('POST', `/channels/${channelId}/messages`, { body: { content: 'x' } });
    server.scenery.deny(channelId, 'SEND_MESSAGES');
    const lacking = await failureOf(send());
    expect(lacking.fault).toEqual({ type: 'permanent' });
    expect(lacking.message).toContain(words.lacksPermission({ channel: channelId, deed: 'write', invitation }));
    expect(lacking.message).toContain('50013');
    server.scenery.deny(channelId, 'ADD_REACTIONS');
    const { id = '' } = server.say(channelId, 'hello');
    const react = api.call('PUT', `/channels/${channelId}/messages/${id}/reactions/${encodeURIComponent('👀')}/@me`);
    expect((await failureOf(react)).message).toContain(
      words.lacksPermission({ channel: channelId, deed: 'react', invitation }),
    );
    server.scenery.deny(channelId, 'VIEW_CHANNEL');
    const blind = await failureOf(send());
    expect(blind.message).toContain(words.doesNotSee({ channel: channelId, deed: 'write', invitation }));
    expect(blind.message).toContain('50001');
  });

  test('to write to a person are explained', async () => {
    const { server, api, direct } = await outgoingSetting();
    server.people.closeDirectChat('1001');
    const failure = await failureOf(
      api.call('POST', `/channels/${direct.chatId}/messages`, { body: { content: 'x' } }),
    );
    expect(failure).toMatchObject({
      fault: { type: 'permanent' },
      message: expect.stringContaining(words.takesNoMessages),
    });
  });
});

describe('what Discord does not accept', () => {
  test('is known by its number', async () => {
    const setting = await outgoingSetting();
    const call = setting.api.call('GET', `/channels/${setting.channelId}/messages/223456789012345678`);
    expect(await call.catch(refusalCode)).toBe(10_008);
  });

  test('does not cost the token: the next call goes with it again', async () => {
    let isFirst = true;
    const { origin } = await answering(({ headers }, response) => {
      const status = isFirst || headers.authorization !== `Bot ${token}` ? 401 : 200;
      isFirst = false;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(status === 401 ? '{"code":0,"message":"401: Unauthorized"}' : '{"id":"1"}');
    });
    const clock = new ManualClock();
    const api = apiAt(origin, clock);
    expect((await failureOf(post(api))).fault.type).toBe('auth');
    clock.advance(1_000);
    expect(await post(api)).toEqual({ id: '1' });
  });

  test('is asked for ever more seldom where it is the token', async () => {
    const server = await answering((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"code":0,"message":"401: Unauthorized"}');
    });
    const clock = new ManualClock();
    const api = apiAt(server.origin, clock);
    for (let second = 0; second < 60; second += 1) {
      expect((await failureOf(post(api))).fault.type).toBe('auth');
      clock.advance(1_000);
    }
    expect(server.asked).toBe(6);
  });
});
