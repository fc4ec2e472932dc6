import { expect, test } from 'vitest';
import { waitUntil } from '../../support/wait-for.ts';
import { connected, openBench, pass } from './bench.ts';

const ada = 42;
const nothing = { method: 'getUpdates', kind: 'status', status: 200, body: '{"ok":true,"result":[]}' } as const;

/** A Telegram whose polls bring nothing, until the fault is removed. */
async function openSilent() {
  const bench = await openBench();
  const { server, clock, connect } = bench;
  const silence = server.fault(nothing);
  await connect();
  const probes = (): number => server.callsOf('getWebhookInfo').length;
  /** Waits for the rest after a poll, and lets that many seconds pass in it. Resolves when the next poll is over. */
  const rest = async (seconds: number): Promise<void> => {
    await waitUntil(() => clock.waits.includes(1_000));
    clock.advance(seconds * 1_000);
    await waitUntil(() => clock.waits.some((wait) => wait === 1_000 || wait === 250));
  };
  return { ...bench, silence, probes, rest };
}

test('an empty answer that comes at once is not asked for without end', async () => {
  const { server, probes, rest } = await openSilent();
  await rest(1);
  const { polls } = server;
  await rest(1);
  expect(server.polls).toBe(polls + 1);
  expect(probes()).toBe(0);
});

test('silence is asked about once a minute, and is no fault if nothing waits', async () => {
  const { host, probes, rest } = await openSilent();
  const asked: number[] = [];
  for (const seconds of [59, 1, 1, 58, 1, 1]) {
    await rest(seconds);
    asked.push(probes());
  }
  expect(asked).toEqual([0, 1, 1, 1, 2, 2]);
  expect(host.healths.map(({ status }) => status)).not.toContain('failing');
});

test('what came in meanwhile is no deafness, and begins the silence again', async () => {
  const { server, clock, host, silence, probes, rest } = await openSilent();
  await connected(host);
  server.say(ada, 'one');
  await rest(60);
  expect(probes()).toBe(1);
  silence.remove();
  clock.advance(1_000);
  await waitUntil(() => host.words.includes('one'));
  expect(host.healths.map(({ status }) => status)).not.toContain('failing');
});

test('something that waits while polls bring nothing is deafness, said within 90 s, and healed on new connections', async () => {
  const { server, clock, host, silence, probes, rest } = await openSilent();
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
  silence.remove();
  await pass(clock, 1_000);
  await connected(host);
  expect(host.words).toEqual(['can you hear me?']);
});

test('a question about silence that is not answered holds nothing up for long', async () => {
  const { server, clock, host, silence } = await openSilent();
  await connected(host);
  server.fault({ method: 'getWebhookInfo', kind: 'hang' });
  await waitUntil(() => clock.waits.includes(1_000));
  clock.advance(60_000);
  await waitUntil(() => clock.waits.includes(5_000));
  silence.remove();
  server.say(ada, 'hello');
  await pass(clock, 5_000);
  await waitUntil(() => host.words.includes('hello'));
  expect(host.health?.status).toBe('connected');
});
