import { describe, expect, test } from 'vitest';
import {
  alreadyTaken,
  answerOf,
  deploy,
  hmac,
  secret,
  taken,
  unauthorized,
  webhookSetting,
} from './webhook-setting.ts';

type Setting = Awaited<ReturnType<typeof webhookSetting>>;
type Headers = Readonly<Record<string, string>>;

const body = '{"app":"shop","status":"failed"}';
const standardSecret = `whsec_${Buffer.from('twenty-four bytes of key').toString('base64')}`;

/** What a sender of each scheme writes at a time, in seconds. */
const schemes: Readonly<
  Record<string, { readonly secret: string; readonly headers: (text: string, time: number, key: string) => Headers }>
> = {
  github: {
    secret,
    headers: (text, _time, key) => ({ 'X-Hub-Signature-256': `sha256=${hmac(text, key)}`, 'X-GitHub-Delivery': 'd-1' }),
  },
  hmac_sha256: { secret, headers: (text, _time, key) => ({ 'X-Signature': hmac(text, key) }) },
  bearer: { secret, headers: (_text, _time, key) => ({ Authorization: `Bearer ${key}` }) },
  slack: {
    secret,
    headers: (text, time, key) => ({
      'X-Slack-Request-Timestamp': String(time),
      'X-Slack-Signature': `v0=${hmac(`v0:${time}:${text}`, key)}`,
    }),
  },
  stripe: {
    secret,
    headers: (text, time, key) => ({ 'Stripe-Signature': `t=${time},v1=${hmac(`${time}.${text}`, key)},v0=x` }),
  },
  standard: {
    secret: standardSecret,
    headers: (text, time, key) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(time),
      'webhook-signature': `v1,${'A'.repeat(43)}= v1,${hmac(
        `msg_1.${time}.${text}`,
        Buffer.from(key.slice('whsec_'.length), 'base64'),
        'base64',
      )}`,
    }),
  },
};
const names = Object.keys(schemes);
const timed = ['slack', 'stripe', 'standard'];

function setting(scheme: string, more: Readonly<Record<string, unknown>> = {}): Promise<Setting> {
  return webhookSetting({ deploy: { ...deploy, signature: scheme, secret: schemes[scheme]?.secret, ...more } });
}

/** What a sender of this scheme writes now, or so many seconds ago. */
function headersOf(
  scheme: string,
  { clock }: Setting,
  ago = 0,
  text = body,
  key = schemes[scheme]?.secret ?? '',
): Headers {
  return schemes[scheme]?.headers(text, Math.floor(clock.now() / 1000) - ago, key) ?? {};
}

const postTo = async ({ post }: Setting, headers: Headers, text = body) =>
  answerOf(await post('/hook/deploy', text, headers));

describe.each(names)('%s', (scheme) => {
  test('lets in what is signed with the secret', async () => {
    const parts = await setting(scheme);
    expect(await postTo(parts, headersOf(scheme, parts))).toMatchObject(taken);
    await parts.channel.sees('🔔 deploy: `shop · failed`', 'test:team');
  });

  test('refuses another secret, another body, and nothing at all, all alike', async () => {
    const parts = await setting(scheme);
    const good = headersOf(scheme, parts);
    const other = `${schemes[scheme]?.secret.slice(0, -1)}x`;
    expect(await postTo(parts, headersOf(scheme, parts, 0, body, other))).toMatchObject(unauthorized);
    expect(await postTo(parts, {})).toMatchObject(unauthorized);
    if (scheme !== 'bearer') expect(await postTo(parts, good, `${body} `)).toMatchObject(unauthorized);
    expect(parts.deliveries()).toEqual([]);
  });

  test('takes the very same request once, over restarts', async () => {
    const parts = await setting(scheme);
    const good = headersOf(scheme, parts);
    expect(await postTo(parts, good)).toMatchObject(taken);
    expect(await postTo(parts, good)).toMatchObject(alreadyTaken);
    await parts.daemon.restart();
    expect(await postTo(parts, good)).toMatchObject(alreadyTaken);
    const again = await Promise.all(Array.from({ length: 10 }, () => postTo(parts, good)));
    for (const answer of again) expect(answer).toMatchObject(alreadyTaken);
    expect(parts.deliveries()).toHaveLength(1);
  });

  test('takes one of many that come together', async () => {
    const parts = await setting(scheme);
    const good = headersOf(scheme, parts);
    const all = await Promise.all(Array.from({ length: 10 }, () => postTo(parts, good)));
    expect(all.filter(({ body: said }) => JSON.stringify(said) === JSON.stringify(taken.body))).toHaveLength(1);
    expect(parts.deliveries()).toHaveLength(1);
  });

  test('refuses the signature of another webhook', async () => {
    const key = schemes[scheme]?.secret;
    const other = { ...deploy, signature: scheme, secret: `${key?.slice(0, -2)}zz` };
    const parts = await webhookSetting({ deploy: { ...deploy, signature: scheme, secret: key }, other });
    const answer = await parts.post('/hook/other', body, headersOf(scheme, parts));
    expect(answer.status).toBe(401);
  });
});

describe.each(timed)('%s, which has a time,', (scheme) => {
  test.each([
    [299, 202],
    [301, 401],
    [-299, 202],
    [-301, 401],
  ])('answers what was signed %i s ago with %i', async (ago, status) => {
    const parts = await setting(scheme);
    expect((await postTo(parts, headersOf(scheme, parts, ago))).status).toBe(status);
  });

  test('refuses a captured request for as long as its time is good, and afterwards', async () => {
    const parts = await setting(scheme);
    const captured = headersOf(scheme, parts, -299);
    expect(await postTo(parts, captured)).toMatchObject(taken);
    parts.clock.advance(597_000);
    expect(await postTo(parts, captured)).toMatchObject(alreadyTaken);
    parts.clock.advance(3_000);
    expect(await postTo(parts, captured)).toMatchObject(unauthorized);
    await parts.channel.ask('/status details', 'signed too long ago');
  });

  test('refuses times that are no number of seconds', async () => {
    const parts = await setting(scheme);
    const now = String(Math.floor(parts.clock.now() / 1000));
    for (const time of [
      '',
      'now',
      `${now}.5`,
      `+${now}`,
      ` ${now}e0`,
      '1e9',
      '-1',
      'NaN',
      'Infinity',
      `${now}000`,
      '9'.repeat(30),
    ]) {
      const headers = Object.fromEntries(
        Object.entries(headersOf(scheme, parts)).map(([name, value]) => [
          name,
          /timestamp/i.test(name) ? time : value.replace(/^t=\d+/, `t=${time}`),
        ]),
      );
      expect([time, (await postTo(parts, headers)).status]).toEqual([time, 401]);
    }
  });
});

test('a repetition that is signed anew is done once, and the same much later is another delivery', async () => {
  const parts = await setting('stripe');
  expect(await postTo(parts, headersOf('stripe', parts))).toMatchObject(taken);
  parts.clock.advance(60_000);
  expect(await postTo(parts, headersOf('stripe', parts))).toMatchObject(alreadyTaken);
  parts.clock.advance(3_600_000);
  expect(await postTo(parts, headersOf('stripe', parts))).toMatchObject(taken);
});

test('a Standard Webhook without an id is refused, even if it is signed so', async () => {
  const parts = await setting('standard');
  const { 'webhook-id': _id, 'webhook-timestamp': time = '', ...others } = headersOf('standard', parts);
  const key = Buffer.from(standardSecret.slice('whsec_'.length), 'base64');
  const signature = `v1,${hmac(`.${time}.${body}`, key, 'base64')}`;
  const headers = { ...others, 'webhook-timestamp': time, 'webhook-signature': signature };
  expect(await postTo(parts, headers)).toMatchObject(unauthorized);
});

test('with a bearer secret, an id of the sender tells deliveries apart', async () => {
  const parts = await setting('bearer');
  const send = (id: string) => postTo(parts, { ...headersOf('bearer', parts), 'Idempotency-Key': id });
  expect(await send('1')).toMatchObject(taken);
  expect(await send('2')).toMatchObject(taken);
  parts.clock.advance(86_400_000);
  expect(await send('1')).toMatchObject(alreadyTaken);
});

test('an id beside the signature makes no captured request a new one', async () => {
  for (const scheme of ['github', 'hmac_sha256']) {
    const parts = await setting(scheme);
    const good = headersOf(scheme, parts);
    expect(await postTo(parts, good)).toMatchObject(taken);
    for (const name of ['X-GitHub-Delivery', 'webhook-id', 'Idempotency-Key'])
      expect(await postTo(parts, { ...good, [name]: 'another' })).toMatchObject(alreadyTaken);
  }
});

test('a field of the body can tell deliveries apart', async () => {
  const { send, clock } = await webhookSetting({ deploy: { ...deploy, id: 'event.id' } });
  expect(await send({ app: 'a', event: { id: 7 } })).toMatchObject(taken);
  clock.advance(86_400_000);
  expect(await send({ app: 'a', event: { id: 7 }, attempt: 2 })).toMatchObject(alreadyTaken);
  expect(await send({ app: 'a', event: { id: 8 } })).toMatchObject(taken);
});

describe('hmac_sha256', () => {
  test.each<readonly [string, string | undefined, (digest: Buffer) => string]>([
    ['in capital letters', undefined, (digest) => digest.toString('hex').toUpperCase()],
    ['in base64', undefined, (digest) => digest.toString('base64')],
    ['with its name before it', undefined, (digest) => `sha256=${digest.toString('hex')}`],
    ['in a header of its own', 'X-Gitea-Signature', (digest) => digest.toString('hex')],
  ])('reads a digest %s', async (_what, header_name, spell) => {
    const parts = await setting('hmac_sha256', { header_name });
    const digest = Buffer.from(hmac(body), 'hex');
    expect(await postTo(parts, { [header_name ?? 'X-Signature']: spell(digest) })).toMatchObject(taken);
  });

  test.each([
    '',
    ' ',
    '0',
    'sha256=',
    'sha1=da39a3ee',
    'f'.repeat(63),
    'f'.repeat(65),
    '%00',
    'null',
    '[object Object]',
    '*',
    'ü',
    'f'.repeat(8000),
  ])('refuses %j for a digest', async (said) => {
    const parts = await setting('hmac_sha256');
    expect((await postTo(parts, { 'X-Signature': said })).status).toBe(401);
  });
});

test.each([
  'Bearer',
  `bearer  ${secret}  `,
  `Basic ${secret}`,
  secret,
  `Bearer ${secret}x`,
  `Bearer ${secret} x`,
  'Bearer ',
  `Bearer ${secret.slice(0, 16)}`,
])('only the whole secret is a bearer secret: %j', async (authorization) => {
  const parts = await setting('bearer');
  const isRight = /^bearer +a-secret-of-the-sender *$/i.test(authorization);
  expect((await postTo(parts, { Authorization: authorization })).status).toBe(isRight ? 202 : 401);
});

test('a bearer secret may have a header of its own', async () => {
  const parts = await setting('bearer', { header_name: 'X-Gitlab-Token' });
  expect(await postTo(parts, { 'X-Gitlab-Token': secret })).toMatchObject(taken);
  expect(await postTo(parts, { Authorization: `Bearer ${secret}` })).toMatchObject(unauthorized);
});
