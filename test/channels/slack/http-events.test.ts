import { createHmac } from 'node:crypto';
import { createServer, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { slackWords } from '../../../channels/slack/words.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { freePort } from '../../support/loopback.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { type ConnectionSetting, connectionSetting } from './connection-setting.ts';

const secret = '0123456789abcdef0123456789abcdef';
const path = '/slack/events';
const payload = { type: 'event_callback', event: { type: 'message', text: 'hello' } };

async function listening(): Promise<{
  readonly setting: ConnectionSetting;
  readonly url: string;
  readonly port: number;
}> {
  const port = await freePort();
  const setting = await connectionSetting({
    mode: 'http',
    signing_secret: secret,
    http: { port },
  });
  await setting.host.is('connected');
  return { setting, url: `http://127.0.0.1:${port}${path}`, port };
}

/** The status with which a body is answered that Slack has signed. */
async function postSigned(url: string, body: string, aheadSecs = 0): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1000) + aheadSecs);
  const hash = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${hash}`,
  };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

describe('over requests', () => {
  test('what comes in is answered with 200 once it is stored', async () => {
    const { setting, url } = await listening();
    await setting.slack.deliverTo(url);
    await setting.slack.acknowledged(setting.say('hello'));
    expect(setting.heard).toEqual(['hello']);
    expect(setting.slack.sockets.opened).toBe(0);
  });

  test('what could not be stored is answered with 500, and delivered again', async () => {
    const { setting, url } = await listening();
    let failures = 0;
    setting.store = async () => {
      failures += 1;
      if (failures === 1) throw new Error('The disk is full.');
    };
    const posts = setting.slack.postsTo(url);
    expect((await posts.post('events_api', payload)).status).toBe(500);
    expect((await posts.post('events_api', payload)).status).toBe(200);
    expect(setting.heard).toEqual(['hello']);
  });

  test('what takes too long to store is not acknowledged', async () => {
    const { setting, url } = await listening();
    const stored = Promise.withResolvers<void>();
    setting.store = () => stored.promise;
    const outcome = postSigned(url, JSON.stringify(payload));
    await waitUntil(() => setting.isWaiting, { what: 'it to come in' });
    setting.host.clock.advance(2_900);
    expect(await outcome).toBe(503);
    stored.resolve();
  });

  test('what is stored while the connection ends is answered with 200', async () => {
    const { setting, url } = await listening();
    const stored = Promise.withResolvers<void>();
    setting.store = () => stored.promise;
    const outcome = postSigned(url, JSON.stringify(payload));
    await waitUntil(() => setting.isWaiting, { what: 'it to come in' });
    const stopped = setting.connection.stop();
    stored.resolve();
    await stopped;
    expect(await outcome).toBe(200);
  });

  test.each(['wrong', 'missing', 'stale'] as const)('a request whose signature is %s is refused', async (signing) => {
    const { setting, url } = await listening();
    const { status } = await setting.slack.postsTo(url).post('events_api', payload, { signing });
    expect(status).toBe(401);
    expect(setting.bodies).toEqual([]);
  });

  test('a request that is signed for more than five minutes ahead is refused, and one for less is not', async () => {
    const { setting, url } = await listening();
    const body = JSON.stringify(payload);
    expect(await postSigned(url, body, 3_600)).toBe(401);
    expect(setting.bodies).toEqual([]);
    expect(await postSigned(url, body, 240)).toBe(200);
    expect(setting.heard).toEqual(['hello']);
  });

  test.each(['interactive', 'slash_commands'] as const)('%s is acknowledged with nothing in it', async (kind) => {
    const { setting, url } = await listening();
    const body: JsonObject =
      kind === 'interactive'
        ? { type: 'view_submission', user: { id: 'U1' }, view: {} }
        : { command: '/keyturn', text: 'help' };
    const { status, body: answer } = await setting.slack.postsTo(url).post(kind, body);
    expect([status, answer]).toEqual([200, '']);
    expect(setting.bodies).toHaveLength(1);
  });

  test('a body that is too large, another path and another method are refused', async () => {
    const { url, port } = await listening();
    expect((await fetch(url, { method: 'POST', body: 'x'.repeat(1_000_001) })).status).toBe(413);
    expect((await fetch(`http://127.0.0.1:${port}/other`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await fetch(url)).status).toBe(404);
  });

  test('a signed body that is null harms nothing', async () => {
    const { setting, url } = await listening();
    expect(await postSigned(url, 'null')).toBe(400);
    expect((await setting.slack.postsTo(url).post('events_api', payload)).status).toBe(200);
  });

  test('a port in use is said in words, and taken as soon as it is free', async () => {
    const port = await freePort();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const setting = await connectionSetting({
      mode: 'http',
      signing_secret: secret,
      http: { port },
    });
    await setting.host.is('failing');
    expect(setting.reason).toBe(slackWords.en.portTaken({ address: `127.0.0.1:${port}` }));
    await new Promise((resolve) => other.close(resolve));
    await setting.host.is('connected');
  });

  test('closes its port when it is stopped, even with a client connected', async () => {
    const { setting, port } = await listening();
    const idle = request({ port, host: '127.0.0.1', method: 'POST', path });
    idle.on('error', () => {});
    idle.write('{');
    await setting.connection.stop();
    await setting.running;
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
  });

  test('says that it is connected as long as it listens', async () => {
    const { setting } = await listening();
    const before = setting.host.healths.length;
    await setting.until(() => setting.host.healths.length >= before + 3, 'it to say so');
    expect(setting.host.health?.status).toBe('connected');
  });
});
