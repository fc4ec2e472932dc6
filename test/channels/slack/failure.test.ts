import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { refusalCode, SlackApi } from '../../../channels/slack/api.ts';
import { ChannelError } from '../../../src/contract.ts';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';
import { OutboundSetting, place, reply } from './outbound-setting.ts';

const token = 'xoxb-1-secret';

/** The error that a call ends with which is answered so. */
async function failureOf(
  answer: { readonly status?: number; readonly headers?: Record<string, string>; readonly body: string },
  options: { readonly repeatable?: boolean } = {},
): Promise<ChannelError> {
  const server = createServer((_request, response) => {
    response.writeHead(answer.status ?? 200, answer.headers);
    response.end(answer.body);
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  return failureAt(`http://127.0.0.1:${port}/api/`, options);
}

async function failureAt(apiUrl: string, options: { readonly repeatable?: boolean } = {}): Promise<ChannelError> {
  const api = new SlackApi({ token, apiUrl, requestTimeoutSecs: 1 });
  const error: unknown = await api
    .call('chat.postMessage', { text: 'hello' }, options)
    .catch((reason: unknown) => reason);
  if (!(error instanceof ChannelError)) throw new Error(`It is no ChannelError: ${String(error)}`);
  const told = `${JSON.stringify(error)} ${error.stack} ${String(error.cause)} ${JSON.stringify(error.cause)}`;
  expect(told).not.toContain(token);
  expect(told).not.toContain('hello');
  return error;
}

function refusal(error: string, rest: object = {}): { readonly body: string } {
  return { body: JSON.stringify({ ok: false, error, ...rest }) };
}

describe('what Slack refuses', () => {
  test.each([
    ['invalid_auth', 'auth'],
    ['token_revoked', 'auth'],
    ['not_allowed_token_type', 'auth'],
    ['account_inactive', 'auth'],
    ['internal_error', 'transient'],
    ['fatal_error', 'transient'],
    ['service_unavailable', 'transient'],
    ['ratelimited', 'rate-limited'],
    ['channel_not_found', 'permanent'],
    ['not_in_channel', 'permanent'],
    ['msg_too_long', 'permanent'],
    ['something_new', 'permanent'],
  ])('with %s is %s', async (code, type) => {
    const error = await failureOf(refusal(code));
    expect(error.fault.type).toBe(type);
    expect(refusalCode(error)).toBe(code);
    expect(error.message).toContain(code);
  });

  test('for want of a permission says which', async () => {
    const error = await failureOf(refusal('missing_scope', { needed: 'files:read', provided: 'chat:write' }));
    expect(error.fault.type).toBe('permanent');
    expect(error.message).toContain('files:read');
    expect(error.message).toContain('install');
  });

  test('because the bot is not there says how to invite it', async () => {
    expect((await failureOf(refusal('not_in_channel'))).message).toContain('/invite @');
  });

  test('because people cannot write to the app says where to let them', async () => {
    expect((await failureOf(refusal('messages_tab_disabled'))).message).toContain('"Messages Tab" under "App Home"');
  });

  test('as too many requests says for how long', async () => {
    const { fault } = await failureOf({ status: 429, headers: { 'retry-after': '7' }, body: '' });
    expect(fault).toEqual({ type: 'rate-limited', retryAfter: 7_000 });
    expect((await failureOf({ status: 429, body: '' })).fault).toEqual({ type: 'rate-limited', retryAfter: 5_000 });
  });
});

describe('what is no answer of Slack', () => {
  test.each([
    ['a page', { body: '<html>hello</html>' }, 'transient'],
    ['a broken gateway', { status: 502, body: '<html>hello</html>' }, 'transient'],
    ['a gateway that has waited in vain', { status: 504, body: '' }, 'ambiguous'],
    ['a page that is not there', { status: 404, body: 'hello' }, 'transient'],
    ['another address', { status: 302, headers: { location: 'https://example.com' }, body: '' }, 'transient'],
    ['half of an answer', { body: '{"ok":true,"text":"hello' }, 'ambiguous'],
    ['nothing', { body: '' }, 'ambiguous'],
    ['null', { body: 'null' }, 'ambiguous'],
    ['a list', { body: '[]' }, 'ambiguous'],
    ['something without "ok"', { body: '{"hello":1}' }, 'ambiguous'],
    ['an error that is no name', { body: '{"ok":false,"error":{"hello":1}}' }, 'ambiguous'],
  ])('as %s does not stop it', async (_, answer, type) => {
    expect((await failureOf(answer)).fault.type).toBe(type);
  });

  test('is transient where the request may be repeated', async () => {
    expect((await failureOf({ body: '{"ok":' }, { repeatable: true })).fault.type).toBe('transient');
  });
});

describe('a request', () => {
  test('that found nobody has not left', async () => {
    const server = createServer();
    const port = await listenOnLoopback(server);
    await closeServer(server);
    const error = await failureAt(`http://127.0.0.1:${port}/api/`);
    expect(error.fault.type).toBe('transient');
    expect(error.message).toContain('ECONNREFUSED');
  });

  test('to a host without a name has not left', async () => {
    expect((await failureAt('http://slack.invalid/api/')).fault.type).toBe('transient');
  });

  test('whose connection breaks, or that is never answered, may have been carried out', async () => {
    const setting = await OutboundSetting.start();
    setting.server.fault({ method: 'chat.postMessage', kind: 'drop-after', times: 1 });
    expect((await setting.faultOf(setting.sender.send(place(), reply('hello')))).type).toBe('ambiguous');

    setting.server.fault({ method: 'auth.test', kind: 'hang' });
    const { apiUrl } = setting.server;
    const api = new SlackApi({ token: setting.server.botToken, apiUrl, requestTimeoutSecs: 1 });
    const fault = await setting.faultOf(api.call('auth.test', {}));
    expect(fault).toMatchObject({ type: 'ambiguous', message: 'Slack, auth.test: no answer in time' });
    setting.server.release();
  });

  test('can be called off, before and while it is under way', async () => {
    const setting = await OutboundSetting.start();
    expect((await setting.faultOf(setting.api.call('auth.test', {}, { signal: AbortSignal.abort() }))).type).toBe(
      'transient',
    );
    expect(setting.server.calls).toEqual([]);

    setting.server.fault({ method: 'auth.test', kind: 'hang' });
    const controller = new AbortController();
    const fault = setting.faultOf(setting.api.call('auth.test', {}, { signal: controller.signal, repeatable: true }));
    await setting.server.waitFor(() => setting.calls('auth.test') === 1);
    controller.abort();
    expect(await fault).toMatchObject({ type: 'transient', message: 'Slack, auth.test: it was called off' });
    setting.server.release();
  });

  test('does not wait for another one that Slack has refused for now', async () => {
    const setting = await OutboundSetting.start();
    setting.server.fault({ method: 'chat.postMessage', kind: '429', retryAfter: 60, times: 1 });
    const faults = setting.faultOf(setting.sender.send(place(), reply('hello')));
    await setting.api.call('auth.test', {});
    expect(await faults).toMatchObject({ type: 'rate-limited', retryAfter: 60_000 });
    await setting.sender.send(place(), reply('again'));
    expect(setting.texts).toEqual(['again']);
  });
});
