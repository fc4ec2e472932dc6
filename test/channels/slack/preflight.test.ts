import { describe, expect, test } from 'vitest';
import { settings } from '../../../channels/slack/settings.ts';
import { missingToTalk } from '../../../channels/slack/tokens.ts';
import { slackWords } from '../../../channels/slack/words.ts';
import { allScopes } from '../../../packages/fakes/src/slack/workspace-options.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { connectionSetting, withSecond } from './connection-setting.ts';

const words = slackWords.en;

describe('what only the operator can mend ends the connection, and the words say how', () => {
  test.each([
    ['auth.test', 'invalid_auth', 'unknownToken'],
    ['auth.test', 'account_inactive', 'closedWorkspace'],
    ['auth.test', 'token_revoked', 'revokedToken'],
    ['auth.test', 'token_expired', 'expiredToken'],
    ['auth.test', 'not_allowed_token_type', 'swappedToken'],
    ['apps.connections.open', 'invalid_auth', 'unknownToken'],
    ['apps.connections.open', 'not_allowed_token_type', 'swappedToken'],
    ['apps.connections.open', 'missing_scope', 'lacksScope'],
    ['apps.connections.open', 'link_disabled', 'socketModeOff'],
  ] as const)('a token is refused by %s with %s', async (method, code, key) => {
    const setting = await connectionSetting();
    setting.slack.fault({ method, kind: 'error', error: code });
    await setting.host.is('dead');
    const kind = method === 'auth.test' ? 'bot' : 'app';
    expect(setting.reason).toBe(words[key]({ kind, code }));
    await setting.running;
  });

  test('in the language of those who run it', async () => {
    const setting = await connectionSetting({}, { language: 'zh' });
    setting.slack.fault({ method: 'auth.test', kind: 'error', error: 'token_revoked' });
    await setting.host.is('dead');
    expect(setting.reason).toBe(slackWords.zh.revokedToken({ kind: 'bot', code: 'token_revoked' }));
    await setting.running;
  });

  test('the tokens are of two apps', async () => {
    const setting = await connectionSetting(
      ({ workspaces: [, other] }) => ({ app_token: other?.installation.appToken }),
      { workspaces: [{ appId: 'A0000000A' }, { appId: 'A0000000B', appToken: 'xapp-1-A0000000B-1-b' }] },
    );
    await setting.host.is('dead');
    expect(setting.reason).toBe(words.otherApp({ app: 'A0000000B', bot: 'A0000000A' }));
    await setting.running;
  });
});

describe('a bot token that is taken back while it is used', () => {
  test('is noticed though nothing is said, and ends the connection', async () => {
    const setting = await connectionSetting();
    await setting.host.is('connected');
    setting.slack.home.revoke();
    setting.host.clock.advance(15 * 60_000);
    await setting.host.is('dead');
    expect(setting.reason).toBe(words.revokedToken({ kind: 'bot', code: 'token_revoked' }));
    await setting.running;
  });

  test('ends nothing while another workspace works', async () => {
    const setting = await connectionSetting(withSecond, { workspaces: [{}, {}] });
    await waitUntil(() => setting.workspaces.all.length === 2, { what: 'both to be known' });
    setting.slack.workspaces[1]?.revoke();
    setting.host.clock.advance(15 * 60_000);
    await waitUntil(() => setting.host.logged.some((line) => line.includes(words.tokenNoLongerValid)));
    await setting.host.is('connected');
  });
});

describe('what heals by itself is tried again for ever', () => {
  test.each([
    [{ method: 'auth.test', kind: 'status', status: 503 }, 'Slack cannot be reached'],
    [{ method: 'auth.test', kind: 'html' }, 'proxy'],
    [{ method: 'auth.test', kind: '429', retryAfter: 2 }, 'wait'],
    [{ method: 'auth.test', kind: 'error', error: 'internal_error' }, 'internal_error'],
    [{ method: 'apps.connections.open', kind: 'drop-before' }, 'Slack cannot be reached'],
    [{ method: 'apps.connections.open', kind: '429', retryAfter: 2 }, 'wait'],
    [{ method: 'apps.connections.open', kind: 'error', error: 'internal_error' }, 'internal_error'],
  ] as const)('%j', async (fault, part) => {
    const setting = await connectionSetting();
    const active = setting.slack.fault(fault);
    await setting.host.is('failing');
    expect(setting.reason).toContain(part);
    await setting.until(() => active.fired >= 3, 'three tries');
    active.remove();
    await setting.host.is('connected');
    await setting.slack.acknowledged(setting.say('hello'));
  });
});

test.each([
  ['auth.test', {}],
  ['apps.connections.open', {}],
  ['*', { mode: 'http', signing_secret: '0123456789abcdef', http: { host: '192.0.2.1', port: 9 } }],
])('in a long pause after %s it says again and again why it does not receive', async (method, overrides) => {
  const setting = await connectionSetting(overrides);
  if (method !== '*') setting.slack.fault({ method, kind: 'status', status: 503 });
  await setting.host.is('failing');
  const told: number[] = [];
  let seen = setting.host.healths.length;
  const begun = setting.host.clock.now();
  await setting.until(() => {
    const now = setting.host.clock.now();
    if (setting.host.healths.length > seen) told.push(now);
    seen = setting.host.healths.length;
    return now - begun > 300_000;
  }, 'time to pass');
  const pauses = told.slice(1).map((at, index) => at - (told[index] ?? 0));
  expect(Math.max(...pauses)).toBeLessThan(30_000);
  expect(setting.host.health?.status).toBe('failing');
});

describe('scopes', () => {
  test('without which nobody is heard are named, and looked for until they are granted', async () => {
    const setting = await connectionSetting({}, { workspaces: [{ scopes: ['chat:write'] }] });
    await setting.host.is('failing');
    expect(setting.reason).toBe(words.mayNotTalk({ scopes: missingToTalk(new Set(['chat:write'])).join(', ') }));
    setting.slack.home.grant(allScopes);
    await setting.host.is('connected');
  });

  test('without which something is off are logged once', async () => {
    const scopes = allScopes.filter((scope) => scope !== 'reactions:write' && scope !== 'files:read');
    const setting = await connectionSetting({}, { workspaces: [{ scopes }] });
    await setting.host.is('connected');
    const said = words.partlyOff({ scopes: 'reactions:write, files:read' });
    expect(setting.host.logged.filter((line) => line.includes(said))).toHaveLength(1);
  });
});

test('one of several tokens that is refused by mistake at the start is taken up later', async () => {
  let asked = 0;
  const setting = await connectionSetting(
    (slack) => {
      slack.fault({ method: 'auth.test', kind: 'error', error: 'invalid_auth', when: () => ++asked === 2 });
      return withSecond(slack);
    },
    { workspaces: [{ name: 'One' }, { name: 'Two' }] },
  );
  await setting.host.is('connected');
  await waitUntil(() => setting.host.logged.some((line) => line.includes(words.uselessToken)));
  expect(setting.workspaces.all).toHaveLength(1);
  // What waits to be said there is not refused for good.
  expect(() => setting.workspaces.of({ tenant: 'T9' })).toThrow(words.workspaceUnknown);
  await setting.until(() => setting.workspaces.all.length === 2, 'the other workspace');
  expect(setting.workspaces.all.map(({ name }) => name)).toEqual(expect.arrayContaining(['One', 'Two']));
});

test.each([
  [
    { bot_token: 'xapp-1', app_token: 'xoxb-1' },
    ['belongs in app_token. Take the bot', 'belongs in bot_token. Take the app'],
  ],
  [{ bot_token: 'hello', app_token: 'xapp-1' }, ['This is not the bot token. Take the bot token from api.slack.com']],
  [{ mode: 'http', bot_token: 'xoxb-1', signing_secret: 'no' }, ['This is not a signing secret']],
])('tokens of the wrong kind are refused with words that say where to find the right ones: %j', (tokens, parts) => {
  const { error } = settings.safeParse({ enabled: true, ...tokens });
  expect(error?.issues.map(({ message }) => message)).toEqual(parts.map((part) => expect.stringContaining(part)));
  expect(settings.safeParse(tokens).success).toBe(true);
});

test('several workspaces are told apart', async () => {
  const setting = await connectionSetting(withSecond, { workspaces: [{ name: 'One' }, { name: 'Two' }] });
  const [, two] = setting.slack.workspaces;
  await setting.host.is('connected');
  await waitUntil(() => setting.workspaces.all.length === 2);
  expect(setting.workspaces.find(two?.installation.teamId)?.name).toBe('Two');
  expect(setting.workspaces.find()?.name).toBe('One');
  expect(() => setting.workspaces.of({ tenant: 'T9' })).toThrow(words.noBotToken({ team: 'T9' }));
});

test('neither tokens nor texts are logged', async () => {
  const setting = await connectionSetting();
  setting.slack.outage(true);
  await setting.host.is('failing');
  setting.slack.outage(false);
  await setting.host.is('connected');
  setting.store = async () => {
    throw new Error('The disk is full.');
  };
  setting.say('a secret text');
  await waitUntil(() => setting.host.logged.some((line) => line.includes('not stored')));
  setting.slack.sockets.drop();
  await setting.has(2);
  const all = setting.host.logged.join('\n');
  for (const secret of [setting.slack.botToken, setting.slack.appToken, 'a secret text'])
    expect(all).not.toContain(secret);
});
