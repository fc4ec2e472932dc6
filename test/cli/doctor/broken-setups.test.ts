import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runChecks } from '../../../src/cli/doctor/check.ts';
import { platformWords } from '../../../src/cli/doctor/platforms/words.ts';
import { doctorWords } from '../../../src/cli/doctor/words.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Language } from '../../../src/lib/words.ts';
import {
  discord,
  type Expected,
  examine,
  me,
  model,
  nowhere,
  problemsOf,
  type Row,
  scopes,
  server,
  slack,
  telegram,
  testRows,
} from './setups.ts';

function modelSays(status: number, key: 'modelKeyRefused' | 'modelFault'): Expected {
  return (language, { url }) => {
    const values = { name: 'main', address: `${url}/v1`, status };
    return {
      check: 'models',
      what: doctorWords[language][key].what(values),
      mend: doctorWords[language][key].mend(values),
    };
  };
}

function refusedConnection(check: 'models' | 'telegram' | 'slack' | 'discord', name: string): Expected {
  return (language) => {
    const why = doctorWords[language].noConnection({ code: 'ECONNREFUSED', host: '127.0.0.1:4' });
    return check === 'models'
      ? { check, what: doctorWords[language].modelUnreached.what({ name, why, address: nowhere, isHosted: false }) }
      : { check, what: platformWords[language].platformUnreached.what({ platform: name, why }) };
  };
}

function platform(check: string, name: string, key: 'tokenRefused' | 'platformFault', why: string): Expected {
  return (language) => ({
    check,
    what: platformWords[language][key].what({ platform: name, why }),
    mend: platformWords[language][key].mend({ platform: name, why }),
  });
}

const groupOf = { require_mention: false };
const dateOf = (offset: number): string => new Date(Date.now() + offset).toUTCString();

const rows: readonly Row[] = [
  [
    'a model at an address where nothing listens',
    model({ base_url: `${nowhere}/v1` }),
    refusedConnection('models', 'main'),
  ],
  ['a model whose key is refused', model({}, { '/models': { status: 401 } }), modelSays(401, 'modelKeyRefused')],
  ['a model whose key may not do that', model({}, { '/models': { status: 403 } }), modelSays(403, 'modelKeyRefused')],
  ['a model server with a fault', model({}, { '/models': { status: 500 } }), modelSays(500, 'modelFault')],
  ['a model server that is overloaded', model({}, { '/models': { status: 503 } }), modelSays(503, 'modelFault')],
  [
    'a model server behind a proxy that fails',
    model({}, { '/models': { status: 502, body: '<html>' } }),
    modelSays(502, 'modelFault'),
  ],
  [
    'an Anthropic key that is refused',
    model({ provider: 'anthropic' }, { '/models': { status: 401 } }),
    modelSays(401, 'modelKeyRefused'),
  ],
  [
    'an Anthropic server that cannot be reached',
    model({ provider: 'anthropic', base_url: nowhere }),
    refusedConnection('models', 'main'),
  ],
  [
    'an OpenAI key that is refused',
    model({ provider: 'openai' }, { '/models': { status: 401 } }),
    modelSays(401, 'modelKeyRefused'),
  ],
  [
    'a Google key that is refused',
    model({ provider: 'google' }, { '/models': { status: 400 } }),
    modelSays(400, 'modelKeyRefused'),
  ],
  [
    'a Google key without rights',
    model({ provider: 'google' }, { '/models': { status: 403 } }),
    modelSays(403, 'modelKeyRefused'),
  ],
  [
    'a model that its server does not have',
    model({}, { '/models': { body: { data: [{ id: 'qwen' }, { id: 'phi' }] } } }),
    (language) => ({
      check: 'models',
      what: doctorWords[language].modelUnknown.what({ name: 'main', model: 'llama', listed: [] }),
      mend: doctorWords[language].modelUnknown.mend({ name: 'main', model: 'llama', listed: ['qwen', 'phi'] }),
    }),
  ],
  [
    'a model server that has none',
    model({}, { '/models': { body: { data: [] } } }),
    (language) => ({
      check: 'models',
      what: doctorWords[language].modelUnknown.what({ name: 'main', model: 'llama', listed: [] }),
      mend: doctorWords[language].modelUnknown.mend({ name: 'main', model: 'llama', listed: [] }),
    }),
  ],
  [
    'a second model that cannot be reached',
    {
      config: { model: 'main', models: { main: server, spare: { ...server, base_url: `${nowhere}/v1` } } },
      answers: { '/models': { body: { data: [{ id: 'llama' }] } } },
    },
    refusedConnection('models', 'spare'),
  ],
  ['no AI', {}, (language) => ({ check: 'models', what: doctorWords[language].modelOffline.what() })],

  [
    'a Telegram token that is refused',
    telegram({ '/getMe': { status: 401 } }),
    platform('telegram', 'Telegram', 'tokenRefused', '401'),
  ],
  [
    'a Telegram token of no bot',
    telegram({ '/getMe': { status: 404 } }),
    platform('telegram', 'Telegram', 'tokenRefused', '404'),
  ],
  [
    'a Bot API with a fault',
    telegram({ '/getMe': { status: 500 } }),
    platform('telegram', 'Telegram', 'platformFault', '500'),
  ],
  [
    'a Bot API that is none',
    telegram({ '/getMe': { body: '<html>' } }),
    platform('telegram', 'Telegram', 'platformFault', '200'),
  ],
  [
    'a Bot API that is overloaded',
    telegram({ '/getMe': { status: 429 } }),
    platform('telegram', 'Telegram', 'platformFault', '429'),
  ],
  ['a Bot API that cannot be reached', telegram({}, { api_root: nowhere }), refusedConnection('telegram', 'Telegram')],
  [
    'a webhook that is left',
    telegram({ '/getWebhookInfo': { body: { ok: true, result: { url: 'https://bots.example/s3cret' } } } }),
    (language) => ({ check: 'telegram', what: platformWords[language].webhookSet.what({ url: 'bots.example' }) }),
  ],
  [
    'two pollers',
    telegram({ '/getUpdates': { status: 409, body: { ok: false } } }),
    (language) => ({ check: 'telegram', what: platformWords[language].otherPoller.what() }),
  ],
  [
    'a group that a bot in privacy mode does not hear',
    telegram(
      { '/getMe': { body: { ok: true, result: { ...me.result, can_read_all_group_messages: false } } } },
      { groups: { '-1': groupOf } },
    ),
    (language) => ({ check: 'telegram', what: platformWords[language].privacyMode.what({ groups: ['-1'] }) }),
  ],
  [
    'two groups that it does not hear, and one where it need not',
    telegram(
      { '/getMe': { body: { ok: true, result: { ...me.result, can_read_all_group_messages: false } } } },
      { groups: { '-1': groupOf, '-2': { require_mention: true }, '-3': groupOf } },
    ),
    (language) => ({ check: 'telegram', what: platformWords[language].privacyMode.what({ groups: ['-1', '-3'] }) }),
  ],

  ...['invalid_auth', 'token_revoked', 'token_expired', 'account_inactive', 'not_authed'].map(
    (error) =>
      [
        `a Slack token: ${error}`,
        slack({ '/auth.test': { body: { ok: false, error } } }),
        platform('slack', 'Slack', 'tokenRefused', error),
      ] as const,
  ),
  [
    'Slack with a fault',
    slack({ '/auth.test': { status: 500, body: 'oops' } }),
    platform('slack', 'Slack', 'platformFault', '500'),
  ],
  [
    'Slack with an error of its own',
    slack({ '/auth.test': { body: { ok: false, error: 'fatal_error' } } }),
    platform('slack', 'Slack', 'platformFault', '200'),
  ],
  ['Slack that cannot be reached', slack({}, { api_url: nowhere }), refusedConnection('slack', 'Slack')],
  ...[['chat:write'], ['im:history', 'im:write']].map(
    (lacking) =>
      [
        `a Slack app without ${lacking.join(' and ')}`,
        slack({
          '/auth.test': {
            body: { ok: true, user: 'k' },
            headers: {
              'x-oauth-scopes': scopes
                .split(',')
                .filter((one) => !lacking.includes(one))
                .join(','),
            },
          },
        }),
        (language: Language) => ({
          check: 'slack',
          what: platformWords[language].scopesMissing.what({ scopes: lacking }),
        }),
      ] as const,
  ),
  ...['invalid_auth', 'not_allowed_token_type', 'missing_scope'].map(
    (error) =>
      [
        `a Slack app token: ${error}`,
        slack({ '/apps.connections.open': { body: { ok: false, error } } }),
        (language: Language) => ({
          check: 'slack',
          what: platformWords[language].appTokenRefused.what({ why: error }),
        }),
      ] as const,
  ),

  ['a Discord token that is refused', discord({ status: 401 }), platform('discord', 'Discord', 'tokenRefused', '401')],
  [
    'a Discord token that may not do that',
    discord({ status: 403 }),
    platform('discord', 'Discord', 'tokenRefused', '403'),
  ],
  ['Discord with a fault', discord({ status: 502 }), platform('discord', 'Discord', 'platformFault', '502')],
  ['Discord that is none', discord({ body: 'hello' }), platform('discord', 'Discord', 'platformFault', '200')],
  ['Discord that cannot be reached', discord({}, { api_url: nowhere }), refusedConnection('discord', 'Discord')],
  [
    'a Discord application that may not read messages',
    discord({ body: { name: 'k', flags: 1 << 12 } }),
    (language) => ({ check: 'discord', what: platformWords[language].intentMissing.what() }),
  ],

  ...(
    [
      ['config.json', 0o644],
      ['config.json', 0o604],
      ['.env', 0o640],
      ['.env', 0o666],
    ] as const
  ).map(
    ([name, mode]) =>
      [
        `${name} with the mode ${mode.toString(8)}`,
        { ...telegram({}), modes: { [name]: mode } },
        (language: Language, { folder }: { readonly folder: string }) => {
          const at = { path: join(folder, name), mode: mode.toString(8) };
          return {
            check: 'permissions',
            what: doctorWords[language].openFile.what(at),
            mend: doctorWords[language].openFile.mend(at),
          };
        },
      ] as const,
  ),
  ...[0o755, 0o710].map(
    (mode) =>
      [
        `a data folder with the mode ${mode.toString(8)}`,
        { modes: { data: mode } },
        (language: Language, { folder }: { readonly folder: string }) => ({
          check: 'permissions',
          what: doctorWords[language].openFolder.what({ path: join(folder, 'data'), mode: mode.toString(8) }),
        }),
      ] as const,
  ),
  ...(
    [
      [0, '0 MB'],
      [200 * 2 ** 20, '200 MB'],
    ] as const
  ).map(
    ([free, shown]) =>
      [
        `a disk with ${shown}`,
        { free },
        (language: Language, { folder }: { readonly folder: string }) => ({
          check: 'disk',
          what: doctorWords[language].diskLow.what({ folder: join(folder, 'data'), free: shown }),
        }),
      ] as const,
  ),
  [
    'a proxy that is down',
    { env: { HTTPS_PROXY: nowhere } },
    (language) => ({
      check: 'proxy',
      what: doctorWords[language].proxyDown.what({ proxy: nowhere, source: 'HTTPS_PROXY', code: 'ECONNREFUSED' }),
    }),
  ],
  [
    'a SOCKS proxy of the config that is down',
    { config: { network: { proxy: 'socks5://127.0.0.1:4' } } },
    (language) => ({
      check: 'proxy',
      what: doctorWords[language].proxyDown.what({
        proxy: 'socks5://127.0.0.1:4',
        source: 'network.proxy',
        code: 'ECONNREFUSED',
      }),
    }),
  ],
  [
    'a certificate of the company that is over',
    { config: { network: { ca_file: resolve('test/support/tls/expired.pem') } } },
    (language) => ({
      check: 'certificates',
      what: doctorWords[language].certificateOver.what({ subject: 'expired', day: '2021-01-01', isOver: true }),
    }),
  ],
  [
    'a broken config',
    { config: '{ "model": ' },
    (language) => ({ check: 'config', what: doctorWords[language].configUnusable.what({ count: 1 }) }),
  ],
  [
    'a sandbox that is off',
    { config: { tools: { shell: { enabled: true, sandbox: 'off' } } } },
    (language) => ({ check: 'sandbox', what: doctorWords[language].sandboxOff.what() }),
  ],
  [
    'a process without a socket',
    { isRunning: true },
    (language) => ({
      check: 'process',
      what: doctorWords[language].socketFails.what({ why: '' }).replace(/[:：]? *$/, ''),
    }),
  ],
];

test('there are many of them', () => {
  expect(rows.length).toBeGreaterThanOrEqual(50);
});

testRows(rows);

test.each([
  ['ahead', -3_600_000, 3600],
  ['behind', 120_000, -120],
])('a clock that is %s is told', async (_way, offset, seconds) => {
  const headers = { date: dateOf(offset) };
  const setup = telegram({ '/': { headers }, '/getMe': { body: me, headers } });
  const { reports } = await examine(setup, 'en');
  const [problem] = problemsOf(reports, 'clock');
  const told = Number(/\d+/.exec(problem?.what ?? '')?.[0]);
  expect(Math.abs(told - Math.abs(seconds))).toBeLessThan(60);
});

test.each([
  ['Telegram', telegram({})],
  ['Slack', slack({})],
  ['Discord', discord({ body: { name: 'k', flags: 1 << 19, bot: { username: 'keyturn' } } })],
  ['a model', model({}, { '/models': { body: { data: [{ id: 'llama' }] } } })],
  ['a model of Ollama', model({}, { '/models': { body: { data: [{ id: 'llama:latest' }] } } })],
  ['a model of a server that lists none', model({}, { '/models': { status: 404 } })],
])('%s that works is in order', async (_what, setup) => {
  const { reports } = await examine(setup, 'en');
  const faults = reports.flatMap(({ problems }) => problems).filter(({ fault }) => fault);
  expect(faults).toEqual([]);
});

test('a config without a secret may be read by all, and one that cannot be used may not', async () => {
  const modes = { 'config.json': 0o644 };
  const { reports } = await examine({ modes, config: '{ "model": "offline" }' }, 'en');
  expect(problemsOf(reports, 'permissions')).toEqual([]);
  const { reports: ofBroken } = await examine({ modes, config: '{' }, 'en');
  expect(problemsOf(ofBroken, 'permissions')).toHaveLength(1);
});

test('a check that fails is told, and the others are made', async () => {
  const { reports } = await examine({}, 'en');
  const broken = await runChecks(
    {
      bad: () => Promise.reject(new Error('it broke')),
      good: async () => ({ name: 'good', state: () => 'fine', problems: [] }),
      none: async () => undefined,
    },
    {
      place: { path: '', explicit: false, cwd: '', home: '', env: {} },
      loaded: undefined,
      faults: 0,
      dataFolder: '',
      isRunning: false,
      fetch,
      clock: systemClock,
    },
    'en',
  );
  expect(broken).toMatchObject([
    {
      name: 'bad',
      ok: false,
      problems: [{ what: doctorWords.en.checkFails.what({ name: 'bad', why: 'it broke' }), fault: false }],
    },
    { name: 'good', ok: true },
  ]);
  expect(reports.length).toBeGreaterThan(4);
});
