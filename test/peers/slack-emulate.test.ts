import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { closeServer, listenOnLoopback } from '../support/loopback.ts';
import { type SlackEmulate, startSlackEmulate } from './support/slack-emulate.ts';

let slack: SlackEmulate;

afterEach(() => slack.close());

/** What it answers to a request that anybody makes. */
async function ask(method: string, token: string, args: object = {}): Promise<{ status: number; answer: unknown }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${slack.apiUrl}${method}`, { method: 'POST', headers, body: JSON.stringify(args) });
  expect(response.headers.get('x-oauth-scopes')).toBeNull();
  return { status: response.status, answer: await response.json() };
}

test('what a person says is shown, and told to the app by a signed callback', async () => {
  slack = await startSlackEmulate({ sockets: false });
  const told: unknown[] = [];
  const app = createServer(async (request, response) => {
    expect(request.headers['x-slack-signature']).toMatch(/^v0=[0-9a-f]{64}$/);
    const body: unknown = JSON.parse(await text(request));
    told.push(body);
    response.end(JSON.stringify(body));
  });
  try {
    await slack.deliverTo(`http://127.0.0.1:${await listenOnLoopback(app)}/`);
    const { ann, ben } = slack;
    const threadTs = await ann.say(slack.general, 'hello');
    const ts = await ben.say({ ...slack.general, threadTs }, 'hello, Ann');
    await ben.edit(slack.general, ts, 'hello, Anne');
    expect(told).toMatchObject([
      { type: 'url_verification' },
      { team_id: slack.teamId, event: { type: 'message', user: ann.userId, text: 'hello', ts: threadTs } },
      { event: { user: ben.userId, thread_ts: threadTs, ts } },
      { event: { subtype: 'message_changed', message: { text: 'hello, Anne' } } },
    ]);
    await ann.sees({ ...slack.general, threadTs }, 'hello, Anne');
    expect((await ann.look(slack.general)).at(-1)?.text).toBe('hello');
    expect(slack.refused()).toEqual([]);
  } finally {
    await closeServer(app);
  }
  await slack.ann.say(slack.general, 'is anybody there?');
  expect(slack.refused()).toHaveLength(1);
});

test('its quirks: what it does not know is not found, anybody is its administrator, and scopes are not told', async () => {
  slack = await startSlackEmulate({ sockets: false });
  expect(await ask('chat.startStream', slack.botToken)).toMatchObject({
    status: 404,
    answer: { message: 'Not Found' },
  });
  expect(await ask('auth.test', 'xoxb-nobody')).toMatchObject({ answer: { ok: true, user: 'admin' } });
  const pins = await ask('pins.list', slack.botToken, { channel: slack.general.channel });
  expect(pins.answer).toMatchObject({ ok: false, error: 'missing_scope', needed: 'pins:read' });
});

test('with a door before it there are sockets for the app and nobody else, and the rest is as it was', async () => {
  slack = await startSlackEmulate({ sockets: true });
  const { answer } = await ask('apps.connections.open', slack.appToken);
  expect(answer).toMatchObject({ ok: true, url: expect.stringMatching(/^ws:/) });
  expect((await ask('apps.connections.open', slack.botToken)).answer).toEqual({ ok: false, error: 'invalid_auth' });
  expect((await ask('chat.startStream', slack.botToken)).status).toBe(404);
  expect((await ask('auth.test', slack.botToken)).answer).toMatchObject({ ok: true, team_id: slack.teamId });
});

test('a wait in vain shows what is there, and only buttons that are there can be pressed', async () => {
  slack = await startSlackEmulate({ sockets: false });
  const { ann } = slack;
  await ann.say(ann.direct, 'something else');
  await expect(ann.sees(ann.direct, 'hello', 30)).rejects.toThrow('something else');
  const message = await ann.sees(ann.direct, 'something else');
  await expect(ann.press(ann.direct, message, 'none')).rejects.toThrow('There is no button "none"');
});
