import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { group } from '../../support/daemon-setting.ts';
import { wordsOf } from '../../support/scripted-model.ts';
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

const body = '{"app":"shop"}';

/** One more delivery is taken, and shown. */
async function isWell({ send, channel }: Setting): Promise<void> {
  expect(await send({ app: 'still there' })).toMatchObject(taken);
  await channel.sees('still there', 'test:team');
}

describe('who lacks the secret', () => {
  test.each(['deploy', 'nobody', 'constructor', 'tostring', 'hasownproperty', 'valueof', 'x'.repeat(48)])(
    'learns nothing of the name %s',
    async (name) => {
      const { post } = await webhookSetting();
      for (const [header, value] of [
        ['X-Other', 'x'],
        ['X-Signature', 'f'.repeat(64)],
        ['Authorization', 'Bearer x'],
      ] as const)
        expect(await answerOf(await post(`/hook/${name}`, body, { [header]: value }))).toMatchObject(unauthorized);
      expect((await post(`/hook/${name}`, 'x'.repeat(262_145))).status).toBe(413);
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
        expect((await fetch((await post(`/hook/${name}`, body)).url, { method })).status).toBe(404);
    },
  );

  test.each([
    '/hook',
    '/hook/',
    '/hook/deploy/',
    '/hook//deploy',
    '/hook/deploy/x',
    '/hook/../hook/x/deploy',
    '/hook/..%2fdeploy',
    '/hook/%2e%2e/%2e%2e/etc/passwd',
    '/hook/deploy%00',
    '/hook/deploy%20',
    '/hook/%64eploy',
    '/hook/Deploy',
    '/hook/dep%6coy',
    '/hook/dеploy',
    '/hook/__proto__',
    '/hook/d%C3%A9ploy',
    '/hook/DEPLOY',
    `/hook/${'x'.repeat(49)}`,
    '/hook/deploy;x=1',
    '/Hook/deploy',
    '/hooks/deploy',
  ])('finds nothing at %s, signed or not', async (path) => {
    const { post, deliveries } = await webhookSetting();
    expect((await post(path, body)).status).toBe(404);
    expect((await post(path, body, { 'X-Signature': hmac(body) })).status).toBe(404);
    expect(deliveries()).toEqual([]);
  });

  test('is refused as often as they like, and costs the sender nothing', async () => {
    const setting = await webhookSetting({ deploy: { ...deploy, max_per_minute: 1 } });
    const all = await Promise.all(Array.from({ length: 200 }, () => setting.send({ app: 'x' }, { key: 'not it' })));
    for (const answer of all) expect(answer).toMatchObject(unauthorized);
    await isWell(setting);
  });

  test('finds nothing where no webhook is, or all are off', async () => {
    const { send } = await webhookSetting({});
    expect((await send({ app: 'x' })).status).toBe(404);
    const off = await webhookSetting({ deploy: { ...deploy, enabled: false } });
    expect((await off.send({ app: 'x' })).status).toBe(404);
  });
});

test('a page of another origin, and a name that is not ours, may not call', async () => {
  const { send, raw } = await webhookSetting();
  expect((await send({ app: 'x' }, { headers: { Origin: 'https://evil.example' } })).status).toBe(403);
  const { socket, closed } = raw();
  socket.write(
    `POST /hook/deploy HTTP/1.1\r\nHost: evil.example\r\nX-Signature: ${hmac(body)}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  expect(await closed).toContain('403');
});

describe('a body', () => {
  const head = `POST /hook/deploy HTTP/1.1\r\nHost: localhost\r\nX-Signature: ${hmac(body)}\r\nConnection: close\r\n`;

  test('may come in chunks, without its length', async () => {
    const { raw, deliveries } = await webhookSetting();
    const { socket, closed } = raw();
    const chunks = [...body].map((character) => `1\r\n${character}\r\n`).join('');
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    expect(await closed).toContain('202');
    expect(deliveries()).toHaveLength(1);
  });

  test('that never ends is cut off where it is too long', async () => {
    const setting = await webhookSetting({ deploy: { ...deploy, max_bytes: 1000 } });
    const { socket, closed } = setting.raw();
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${`400\r\n${'x'.repeat(1024)}\r\n`.repeat(4)}`);
    expect(await closed).toContain('413');
    await isWell(setting);
  });

  test('that does not come to its end is given up', async () => {
    const setting = await webhookSetting(
      { deploy },
      { config: { gateway: { enabled: true, port: 0, hello_secs: 1 } } },
    );
    const slow = Array.from({ length: 20 }, () => setting.raw());
    for (const { socket } of slow) socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(1)}`);
    for (const said of await Promise.all(slow.map(({ closed }) => closed))) expect(said).not.toContain('202');
    const gone = setting.raw();
    gone.socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(1)}`);
    gone.socket.destroy();
    expect(setting.deliveries()).toEqual([]);
    await isWell(setting);
  });

  test.each([
    ['two lengths', `Content-Length: ${body.length}\r\nContent-Length: 5\r\n\r\n${body}`],
    ['a length and chunks', `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks of a strange kind', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a negative length', `Content-Length: -1\r\n\r\n${body}`],
    ['a length that is none', `Content-Length: 0x10\r\n\r\n${body}`],
    ['a chunk of a strange size', `Transfer-Encoding: chunked\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n`],
    ['a header in a header', `X-A: b\rX-Signature: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`],
    ['a header of 20,000 bytes', `X-Long: ${'x'.repeat(20_000)}\r\n\r\n${body}`],
  ])('with %s is refused', async (_what, rest) => {
    const setting = await webhookSetting();
    const { socket, closed } = setting.raw();
    socket.write(`${head}${rest}`);
    expect(await closed).toMatch(/^HTTP\/1\.1 4\d\d/);
    expect(setting.deliveries()).toEqual([]);
    await isWell(setting);
  });

  test('with 10,000 bytes of headers is read', async () => {
    const { send } = await webhookSetting();
    expect(await send({ app: 'x' }, { headers: { 'X-Long': 'x'.repeat(10_000) } })).toMatchObject(taken);
  });

  test('that is compressed is refused, and no bomb', async () => {
    const { post } = await webhookSetting();
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(10_000_000)));
    for (const encoding of ['gzip', 'br', 'deflate', 'GZIP', 'x-gzip, identity']) {
      const headers = { 'X-Signature': hmac(bomb), 'Content-Encoding': encoding };
      expect((await post('/hook/deploy', bomb, headers)).status).toBe(415);
    }
  });

  test('is too long by one byte, and not', async () => {
    const other = { ...deploy, max_bytes: 1000 };
    const { send } = await webhookSetting({ deploy: { ...deploy, max_bytes: 100 }, other });
    const of = (length: number) => `{"app":"${'x'.repeat(length - 10)}"}`;
    expect(await send(of(100))).toMatchObject(taken);
    expect((await send(of(101))).status).toBe(413);
    expect((await send(of(1001))).status).toBe(413);
  });

  test('is held by 300 connections at a time, which share what may be held', async () => {
    const setting = await webhookSetting({ deploy: { ...deploy, max_bytes: 200_000 } });
    const many = Array.from({ length: 300 }, () => setting.raw());
    for (const { socket } of many) socket.write(`${head}Content-Length: 190000\r\n\r\n${'x'.repeat(150_000)}`);
    const first = await Promise.race(many.map(({ closed }) => closed));
    expect(first).toContain('503');
    expect(first).toContain('Retry-After: 1'.toLowerCase());
    for (const { socket } of many) socket.destroy();
    await expect.poll(async () => (await setting.send({ app: 'still there' })).status).toBe(202);
  });
});

describe('JSON', () => {
  test.each([
    '',
    ' ',
    '{',
    '{"app":}',
    "{'app':1}",
    'app=shop',
    'NaN',
    '\u0000',
    '<xml/>',
    `${'['.repeat(100)}${']'.repeat(100)}`,
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    `${'{"app":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  ])('that is odd is refused with 400 (case %#)', async (text) => {
    const setting = await webhookSetting();
    const { status, body: said } = await setting.send(text, { headers: { 'Content-Type': 'application/json' } });
    expect(status).toBe(400);
    expect(JSON.stringify(said).length).toBeLessThan(100);
    await isWell(setting);
  });

  test('that is not UTF-8 is refused with 400', async () => {
    const { post } = await webhookSetting();
    const bytes = new Uint8Array([0x7b, 0x22, 0x61, 0x70, 0x70, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]);
    expect((await post('/hook/deploy', bytes, { 'X-Signature': hmac(bytes) })).status).toBe(400);
  });

  test.each(['null', '7', '"app"', '[]', '[{"app":1}]', '{}', '{"App":1}', '{"__proto__":{"app":1}}', '{"app":null}'])(
    'without any of the fields is ignored: %s',
    async (text) => {
      const { send, deliveries } = await webhookSetting();
      expect(await send(text)).toMatchObject({ status: 202, body: { status: 'ignored' } });
      expect(deliveries()).toEqual([]);
    },
  );

  test.each<readonly [string, string, string]>([
    ['{"app":{"__proto__":1}}', 'app.__proto__', '1'],
    ['{"a":[{"b":"x"}]}', 'a.0.b', 'x'],
    ['{"a":{"b":[1,2]}}', 'a.b', '[1,2]'],
    ['{"a":true}', 'a', 'true'],
    ['{"名前":"值"}', '名前', '值'],
    ['{"a":0}', 'a', '0'],
    ['{"a":1,"a":2}', 'a', '2'],
    ['{"a":12345678901234567891}', 'a', '12345678901234567891'],
    ['{"a":{"b":[-9007199254740993]}}', 'a.b.0', '-9007199254740993'],
    ['{"a":1.10}', 'a', '1.10'],
    ['{"a":1e400}', 'a', '1e400'],
    ['{"a":[1,2.50]}', 'a', '[1,"2.50"]'],
    ['{"a.b":"x"}', 'a.b', 'x'],
    ['{"a":{"b":"inner"},"a.b":"x"}', 'a.b', 'inner'],
  ])('%s has at %s: %s', async (text, field, value) => {
    const { send, model } = await webhookSetting({ deploy: { ...deploy, fields: [field] } });
    expect(await send(text)).toMatchObject(taken);
    expect(wordsOf(await model.asked(2))).toContain(`{${field}}:\n> ${value}\n`);
  });

  test.each(['constructor', 'toString', 'a.length', 'a.constructor', 'a.0.toString', 'hasOwnProperty', '__proto__'])(
    'has nothing inherited at %s',
    async (field) => {
      const { send } = await webhookSetting({ deploy: { ...deploy, fields: [field] } });
      expect(await send({ a: ['x'] })).toMatchObject({ body: { status: 'ignored' } });
    },
  );

  test('may be sent as a form, as GitHub does, or be one', async () => {
    const { send, channel } = await webhookSetting();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(await send(`payload=${encodeURIComponent('{"app":"from the payload"}')}`, { headers })).toMatchObject(taken);
    expect(await send('app=a+form&status=%3F', { headers })).toMatchObject(taken);
    // As curl sends it that is not told otherwise.
    expect(await send('{"app":"curl"}', { headers })).toMatchObject(taken);
    for (const words of ['from the payload', 'a form · ?', 'curl']) await channel.sees(words, 'test:team');
  });

  test.each([
    ['app=shop&payload=17', 'app', 'shop'],
    ['app=shop&payload=', 'app', 'shop'],
    ['app=shop&payload=null', 'app', 'shop'],
    ['app=shop&payload=[1]', 'app', 'shop'],
    ['app=shop&payload=%22x%22', 'payload', '"x"'],
    ['app=shop&payload={"a":1}', 'app', 'shop'],
    ['app=shop&payload={"app":"inner"}', 'app', 'inner'],
    ['payload={"a":{"b":1.0}}', 'a.b', '1.0'],
    ['repository.name=shop', 'repository.name', 'shop'],
    ['repository=x&repository.name=shop', 'repository.name', 'shop'],
    ['__proto__=x&app=shop', 'app', 'shop'],
  ])('the form %s has at %s: %s', async (text, field, value) => {
    const { send, model } = await webhookSetting({ deploy: { ...deploy, fields: [field] } });
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect(await send(text, { headers })).toMatchObject(taken);
    expect(wordsOf(await model.asked(2))).toContain(`{${field}}:\n> ${value}\n`);
  });

  test('counts only where its fields have the values that are wanted', async () => {
    const when = { 'run.conclusion': ['failure', 'timed_out'], attempt: ['1'] };
    const { send } = await webhookSetting({ deploy: { ...deploy, when } });
    const ignored = { status: 202, body: { status: 'ignored' } };
    expect(await send({ app: 'a', run: { conclusion: 'success' }, attempt: 1 })).toMatchObject(ignored);
    expect(await send({ app: 'a', run: { conclusion: 'failure' } })).toMatchObject(ignored);
    expect(await send({ app: 'a', run: { conclusion: 'timed_out' }, attempt: 1 })).toMatchObject(taken);
  });
});

describe('what was sent', () => {
  const text = { chat: 'test:team', signature: 'hmac_sha256', secret, body: 'text' };

  test.each([
    ['[click](https://evil.example) @everyone', '🔔 deploy: `[click](https://evil.example) @everyone`'],
    ['`` ` ``\n# big', '🔔 deploy: ``` `` ` `` ⏎ # big ```'],
    ['a\u202eb\u0000', '🔔 deploy: `a\\u202eb\\u0000`'],
    ['部署失败', '🔔 deploy: `部署失败`'],
    ['   ', '🔔 deploy'],
  ])('is shown as it is: %j', async (sent, shown) => {
    const { send, channel } = await webhookSetting({ deploy: text });
    expect(await send(sent)).toMatchObject(taken);
    await channel.sees(shown, 'test:team');
    expect(channel.textsIn('test:team')).toContain(shown);
  });

  test('is cut where it is long, for people and for the model', async () => {
    const { send, channel, model } = await webhookSetting({ deploy: text });
    expect(await send('x'.repeat(200_000))).toMatchObject(taken);
    const said = wordsOf(await model.asked(2));
    expect(said).toContain('{body} (the first 8000 of 200000 characters):');
    expect(said.length).toBeLessThan(10_000);
    const shown = await channel.sees('🔔 deploy', 'test:team');
    expect(shown.text.length).toBeLessThan(200);
  });

  test('of many fields is cut in all', async () => {
    const fields = Array.from({ length: 10 }, (_, index) => `f${index}`);
    const { send, model } = await webhookSetting({ deploy: { ...deploy, fields } });
    expect(await send(Object.fromEntries(fields.map((field) => [field, 'y'.repeat(5000)])))).toMatchObject(taken);
    expect(wordsOf(await model.asked(2)).length).toBeLessThan(11_000);
  });

  test('does not matter where the webhook wants nothing of it', async () => {
    const { send, model } = await webhookSetting({ deploy: { ...text, body: 'none', prompt: 'Look at the disk.' } });
    expect(await send('do something else')).toMatchObject(taken);
    const said = wordsOf(await model.asked(2));
    expect(said).toContain('> Look at the disk.');
    expect(said).not.toContain('something else');
  });

  test('is no command, no decision, and no word of anybody', async () => {
    const { send, channel, daemon } = await webhookSetting({ deploy: text });
    for (const words of ['/stop', '/claim k3f9abcd', '/approve', 'yes', '/trust here', '/pair abc'])
      expect(await send(words)).toMatchObject(taken);
    await channel.whenIdle(group);
    expect(daemon.rows(`SELECT count(*) AS n FROM inbox WHERE kind <> 'event' AND principal LIKE 'webhook:%'`)).toEqual(
      [{ n: 0 }],
    );
    expect(daemon.rows('SELECT tainted, taint_sources FROM conversations')).toEqual([
      { tainted: 1, taint_sources: '["webhook deploy"]' },
    ]);
  });

  test('is private if the operator says so', async () => {
    const { send, daemon } = await webhookSetting({ deploy: { ...text, private: true } });
    await send('a letter');
    expect(daemon.rows('SELECT private FROM conversations')).toEqual([{ private: 1 }]);
  });
});

test('more than so many in a minute are told when to come again', async () => {
  const { send, clock } = await webhookSetting({ deploy: { ...deploy, max_per_minute: 3 } });
  for (const app of ['1', '2', '3']) expect(await send({ app })).toMatchObject(taken);
  clock.advance(20_000);
  expect(await send({ app: '4' })).toMatchObject({ status: 429, retryAfter: '40' });
  clock.advance(40_000);
  expect(await send({ app: '4' })).toMatchObject(taken);
  expect(await send({ app: '4' })).toMatchObject(alreadyTaken);
});

test('a captured request that is sent again and again keeps nobody out', async () => {
  const { send } = await webhookSetting({ deploy: { ...deploy, max_per_minute: 3 } });
  expect(await send({ app: '1' })).toMatchObject(taken);
  for (let count = 0; count < 30; count++) expect(await send({ app: '1' })).toMatchObject(alreadyTaken);
  expect(await send({ app: '1' })).toMatchObject({ status: 429, retryAfter: '60' });
  expect(await send({ other: '1' })).toMatchObject({ status: 429 });
  expect(await send({ app: '2' })).toMatchObject(taken);
  expect(await send({ app: '3' })).toMatchObject(taken);
  expect(await send({ app: '4' })).toMatchObject({ status: 429 });
});

test('the same request many times at a time counts once', async () => {
  const { send } = await webhookSetting({ deploy: { ...deploy, max_per_minute: 20 } });
  const answers = await Promise.all(Array.from({ length: 15 }, () => send({ app: '1' })));
  expect(answers.map(({ body: said }) => said)).toEqual(
    expect.arrayContaining([{ status: 'taken' }, ...Array.from({ length: 14 }, () => ({ status: 'already taken' }))]),
  );
  for (let app = 2; app <= 20; app++) expect(await send({ app })).toMatchObject(taken);
  expect(await send({ app: 21 })).toMatchObject({ status: 429 });
});

test.each([
  ['numbers beyond the safe ones', '12345678901234567891', '12345678901234567892', taken],
  ['numbers that are written otherwise', '1.1', '1.10', taken],
  ['empty ids', '""', '""', taken],
  ['blank ids', '" \\n"', '" \\n"', taken],
  ['objects', '{}', '{}', taken],
  ['lists', '[1]', '[1]', taken],
  ['truth', 'true', 'true', taken],
  ['nothing', 'null', 'null', taken],
  ['zero', '0', '0', alreadyTaken],
  ['texts', '"a"', '"a"', alreadyTaken],
  ['a number and its text', '7', '"7"', alreadyTaken],
])('ids tell deliveries apart, and nothing else does: %s', async (_what, one, other, expected) => {
  const { send } = await webhookSetting({ deploy: { ...deploy, id: 'event' } });
  expect(await send(`{"app":"a","event":${one}}`)).toMatchObject(taken);
  expect(await send(`{"app":"b","event":${other}}`)).toMatchObject(expected);
  expect(await send(`{"app":"a","event":${one}}`)).toMatchObject(alreadyTaken);
});

test('a clock that was set back lets the sender in again', async () => {
  const { send, clock } = await webhookSetting({ deploy: { ...deploy, max_per_minute: 1 } });
  expect(await send({ app: '1' })).toMatchObject(taken);
  clock.jump(-86_400_000);
  expect(await send({ app: '2' })).toMatchObject(taken);
});
