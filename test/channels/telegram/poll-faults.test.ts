import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TelegramServer } from '../../support/telegram-server.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { Bench, connected, pass } from './bench.ts';
import { ManualClock } from './manual-clock.ts';
import { RecordingHost } from './recording-host.ts';

const ada = 42;
const conflict = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';

let bench: Bench;
let server: TelegramServer;

beforeEach(async () => {
  bench = await Bench.open();
  server = bench.server;
});

afterEach(() => bench.close());

describe('when Telegram fails', () => {
  test('starting resolves though nobody is there, and connects when somebody is', async () => {
    const clock = new ManualClock();
    const host = new RecordingHost(clock);
    server.outage(true);
    await bench.connect(host);
    await waitUntil(() => host.health?.status === 'failing');
    server.outage(false);
    await pass(clock, 250);
    await connected(host);
  });

  test('a poll that nobody answers is given up', async () => {
    const clock = new ManualClock();
    const host = new RecordingHost(clock);
    await bench.connect(host);
    await connected(host);
    const hang = server.fault({ method: 'getUpdates', kind: 'hang', times: 1 });
    server.say(ada, 'wake');
    await waitUntil(() => hang.fired === 1);
    await pass(clock, 45_000);
    await waitUntil(() => host.health?.status === 'failing');
    await pass(clock, 250);
    await connected(host);
    server.say(ada, 'still there');
    await waitUntil(() => host.texts.includes('still there'));
  });

  test.each([
    ['a page of a proxy', { kind: 'html' }, /proxy/],
    ['a broken connection', { kind: 'drop-before' }, /broke/],
    ['an error of the server', { kind: 'status', status: 500 }, /500/],
    ['the JSON value null', { kind: 'status', status: 200, body: 'null' }, /could not be read/],
    ['an answer that is no list', { kind: 'status', status: 200, body: '{"ok":true,"result":7}' }, /does not say/],
    ['JSON of something else', { kind: 'status', status: 200, body: '{"hello":1}' }, /api_root/],
    ['updates without ids', { kind: 'status', status: 200, body: '{"ok":true,"result":[{},null]}' }, /without ids/],
  ] as const)('%s is no end', async (_name, fault, reason) => {
    const clock = new ManualClock();
    const host = new RecordingHost(clock);
    server.fault({ method: 'getUpdates', times: 2, ...fault });
    await bench.connect(host);
    await pass(clock, 250);
    expect(host.health).toMatchObject({ status: 'failing', reason: expect.stringMatching(reason) });
    await pass(clock, 500);
    await connected(host);
    expect(host.logged.join()).not.toContain(server.token);
  });

  test('too many requests wait as long as Telegram says', async () => {
    const clock = new ManualClock();
    const host = new RecordingHost(clock);
    server.fault({ method: 'getUpdates', kind: '429', retryAfter: 17, times: 1 });
    await bench.connect(host);
    await pass(clock, 17_000);
    await connected(host);
  });

  test('another process with the same token is said after the sixth conflict, and receiving goes on', async () => {
    const clock = new ManualClock();
    const host = new RecordingHost(clock);
    server.fault({ method: 'getUpdates', kind: 'status', status: 409, description: conflict, times: 7 });
    await bench.connect(host);
    for (const wait of [2_000, 4_000, 6_000, 8_000, 10_000]) await pass(clock, wait);
    expect(host.healths.map(({ status }) => status)).not.toContain('failing');
    await pass(clock, 12_000);
    expect(host.health).toMatchObject({ status: 'failing', reason: expect.stringContaining('Another process') });
    await pass(clock, 14_000);
    // A poll that waits: in a conflict a quick one would only hide the other process.
    await waitUntil(() => clock.waits.includes(45_000));
    await server.waitFor(() => server.polls === 8);
    expect(server.callsOf('getUpdates').map(({ params }) => params.timeout)).toEqual([0, 30, 30, 30, 30, 30, 30, 30]);
    server.say(ada, 'hello');
    await connected(host);
  });

  test('a webhook is ended', async () => {
    const clock = new ManualClock();
    const host = new RecordingHost(clock);
    server.setWebhook('https://old.example.com');
    await bench.connect(host);
    await connected(host);
    server.setWebhook('https://new.example.com');
    server.say(ada, 'wake');
    await pass(clock, 250);
    await connected(host);
    expect(server.callsOf('deleteWebhook')).toHaveLength(2);
  });

  test.each([
    ['a wrong token', `1:${'A'.repeat(35)}`],
    ['a token with a wrong shape', '1:A'],
  ])('%s is the end, with advice', async (_name, token) => {
    const clock = new ManualClock();
    const host = new RecordingHost(clock);
    await bench.connect(host, { token });
    await waitUntil(() => host.health?.status === 'dead');
    expect(host.health).toMatchObject({ reason: expect.stringContaining('@BotFather') });
    clock.advance(3_600_000);
    expect(clock.waits).toEqual([]);
    expect(JSON.stringify(host.healths) + host.logged.join()).not.toContain(token);
  });

  test('payloads of any kind are skipped and confirmed, and what is sound among them is taken', async () => {
    const host = new RecordingHost();
    const sound = {
      message_id: 1,
      date: 1,
      chat: { id: ada, type: 'private' },
      from: { id: ada, is_bot: false },
      text: 'sound',
    };
    const press = { id: '1', from: sound.from, data: 'x', message: sound };
    const mutated = fc.sample(fc.tuple(fc.constantFrom(...Object.keys(sound)), fc.jsonValue(), fc.boolean()), {
      numRuns: 200,
      seed: 7,
    });
    const result: unknown[] = mutated.map(([key, value, isPress], index) => {
      const content = { ...sound, [key]: value };
      return {
        update_id: 1000 + index,
        ...(isPress ? { callback_query: { ...press, [key]: value, message: content } } : { message: content }),
      };
    });
    result.push(
      null,
      7,
      [],
      { update_id: 'x' },
      { update_id: 2000, message: null },
      { update_id: 2001, message: { ...sound, text: 'last' } },
    );
    server.fault({
      method: 'getUpdates',
      kind: 'status',
      status: 200,
      body: JSON.stringify({ ok: true, result }),
      times: 1,
    });
    await bench.connect(host);
    await waitUntil(() => host.texts.includes('last'));
    await server.waitFor(() => server.callsOf('getUpdates')[1]?.params.offset === 2002);
    expect(host.logged.join()).toContain('2000');
    server.say(ada, 'and on');
    await waitUntil(() => host.texts.includes('and on'));
  });
});
