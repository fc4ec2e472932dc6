import { describe, expect, test } from 'vitest';
import { refusalCode } from '../../../channels/kit/request-failure.ts';
import { kitWords } from '../../../channels/kit/words.ts';
import { SlackApi } from '../../../channels/slack/api.ts';
import { slackWords } from '../../../channels/slack/words.ts';
import type { ChannelError } from '../../../src/contract.ts';
import { type Answer, answering, failureOf, requestFaults } from '../kit/request-faults.ts';
import { general, OutboundSetting, reply } from './outbound-setting.ts';

const token = 'xoxb-1-secret';
const post = (origin: string, repeatable: boolean): Promise<unknown> =>
  new SlackApi({ token, apiUrl: `${origin}/api/`, requestTimeoutSecs: 1 }).call(
    'chat.postMessage',
    { text: 'hello' },
    { repeatable },
  );

/** The error that a call ends with which is answered so. */
async function refused({ status = 200, headers, body }: Answer): Promise<ChannelError> {
  const { origin } = await answering((_request, response) => response.writeHead(status, headers).end(body));
  return failureOf(post(origin, false));
}

function refusal(error: string, rest: object = {}): { readonly body: string } {
  return { body: JSON.stringify({ ok: false, error, ...rest }) };
}

const words = slackWords.en;

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
    const error = await refused(refusal(code));
    expect(error.fault.type).toBe(type);
    expect(refusalCode(error)).toBe(code);
    expect(error.message).toContain(code);
  });

  test.each([
    ['missing_scope', words.lacksPermission({ scopes: 'files:read' })],
    ['not_in_channel', words.botNotInChannel],
    ['messages_tab_disabled', words.messagesTabOff],
    ['restricted_action', words.appsMayNotWrite],
  ])('with %s for good says what to do', async (code, advice) => {
    const error = await refused(refusal(code, { needed: 'files:read', provided: 'chat:write' }));
    expect(error).toMatchObject({
      fault: { type: 'permanent' },
      message: expect.stringContaining(`${code}: ${advice}`),
    });
  });

  test('as too many requests says for how long', async () => {
    const { fault } = await refused({ status: 429, headers: { 'retry-after': '7' }, body: '' });
    expect(fault).toEqual({ type: 'rate-limited', retryAfter: 7_000 });
    expect((await refused({ status: 429, body: '' })).fault).toEqual({ type: 'rate-limited', retryAfter: 5_000 });
  });
});

requestFaults({
  at: (origin) => ({ send: () => post(origin, false), change: () => post(origin, true) }),
  secrets: [token, 'hello'],
  answers: [
    ['a page', { body: '<html>hello</html>' }, 'transient'],
    ['a broken gateway', { status: 502, body: '<html>hello</html>' }, 'transient'],
    ['a gateway that has waited in vain', { status: 504, body: '' }, 'ambiguous', 'transient'],
    ['a page that is not there', { status: 404, body: 'hello' }, 'transient'],
    ['another address', { status: 302, headers: { location: 'https://example.com' }, body: '' }, 'transient'],
    ['half of an answer', { body: '{"ok":true,"text":"hello' }, 'ambiguous', 'transient'],
    ['nothing', { body: '' }, 'ambiguous', 'transient'],
    ['null', { body: 'null' }, 'ambiguous', 'transient'],
    ['a list', { body: '[]' }, 'ambiguous', 'transient'],
    ['something without "ok"', { body: '{"hello":1}' }, 'ambiguous', 'transient'],
    ['an error that is no name', { body: '{"ok":false,"error":{"hello":1}}' }, 'ambiguous', 'transient'],
  ],
});

describe('a request', () => {
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
    const why = kitWords.en.calledOff;
    const message = kitWords.en.requestFailed({ platform: 'Slack', tried: 'auth.test', why });
    expect(await fault).toMatchObject({ type: 'transient', message });
    setting.server.release();
  });

  test('does not wait for another one that Slack has refused for now', async () => {
    const setting = await OutboundSetting.start();
    setting.server.fault({ method: 'chat.postMessage', kind: '429', retryAfter: 60, times: 1 });
    const faults = setting.faultOf(setting.sender.send(general(), reply('hello')));
    await setting.api.call('auth.test', {});
    expect(await faults).toMatchObject({ type: 'rate-limited', retryAfter: 60_000 });
    await setting.sender.send(general(), reply('again'));
    expect(setting.texts).toEqual(['again']);
  });
});
