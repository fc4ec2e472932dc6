import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import type { TelegramServer } from '../../support/telegram-server.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { Bench, connected, pass } from './bench.ts';

const ada = 42;
const nothing = { method: 'getUpdates', kind: 'status', status: 200, body: '{"ok":true,"result":[]}' } as const;

let bench: Bench;
let server: TelegramServer;
let clock: ManualClock;
let host: RecordingHost;

beforeEach(async () => {
  bench = await Bench.open();
  server = bench.server;
  clock = new ManualClock();
  host = new RecordingHost(clock);
});

afterEach(() => bench.close());

const probes = (): number => server.callsOf('getWebhookInfo').length;

/** Waits for the rest after a poll, and lets that many seconds pass in it. Resolves when the next poll is over. */
async function rest(seconds: number): Promise<void> {
  await waitUntil(() => clock.waits.includes(1_000));
  clock.advance(seconds * 1_000);
  await waitUntil(() => clock.waits.some((wait) => wait === 1_000 || wait === 250));
}

test('an empty answer that comes at once is not asked for without end', async () => {
  server.fault(nothing);
  await bench.connect(host);
  await rest(1);
  const { polls } = server;
  await rest(1);
  expect(server.polls).toBe(polls + 1);
  expect(probes()).toBe(0);
});

test('silence is asked about once a minute, and is no fault if nothing waits', async () => {
  server.fault(nothing);
  await bench.connect(host);
  const asked: number[] = [];
  for (const seconds of [59, 1, 1, 58, 1, 1]) {
    await rest(seconds);
    asked.push(probes());
  }
  expect(asked).toEqual([0, 1, 1, 1, 2, 2]);
  expect(host.healths.map(({ status }) => status)).not.toContain('failing');
});

test('what came in meanwhile is no deafness, and begins the silence again', async () => {
  const fault = server.fault(nothing);
  await bench.connect(host);
  await connected(host);
  server.say(ada, 'one');
  await rest(60);
  expect(probes()).toBe(1);
  fault.remove();
  clock.advance(1_000);
  await waitUntil(() => host.words.includes('one'));
  expect(host.healths.map(({ status }) => status)).not.toContain('failing');
});

test('something that waits while polls bring nothing is deafness, said within 90 s, and healed on new connections', async () => {
  const fault = server.fault(nothing);
  await bench.connect(host);
  await connected(host);
  server.say(ada, 'can you hear me?');
  await rest(60);
  expect(host.health?.status).toBe('connected');
  const { connections } = server;
  await rest(1);
  expect(host.health).toMatchObject({ status: 'failing', reason: expect.stringContaining('delivers none') });
  expect(probes()).toBe(2);

  // It stays so, and is tried ever more seldom, until something comes in.
  for (const wait of [250, 500]) await pass(clock, wait);
  await waitUntil(() => clock.waits.includes(1_000));
  expect(host.healths.slice(-3).map(({ status }) => status)).toEqual(['failing', 'failing', 'failing']);
  expect(server.connections).toBeGreaterThan(connections);
  fault.remove();
  await pass(clock, 1_000);
  await connected(host);
  expect(host.words).toEqual(['can you hear me?']);
});

test('a question about silence that is not answered holds nothing up for long', async () => {
  const fault = server.fault(nothing);
  await bench.connect(host);
  await connected(host);
  server.fault({ method: 'getWebhookInfo', kind: 'hang' });
  await waitUntil(() => clock.waits.includes(1_000));
  clock.advance(60_000);
  await waitUntil(() => clock.waits.includes(5_000));
  fault.remove();
  server.say(ada, 'hello');
  await pass(clock, 5_000);
  await waitUntil(() => host.words.includes('hello'));
  expect(host.health?.status).toBe('connected');
});
