import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../support/wait-for.ts';
import { ada, GatewayBench } from './gateway-bench.ts';

const hour = 3_600_000;
const looks = 'GET /channels/:channel/messages';
let bench: GatewayBench;

beforeEach(async () => {
  bench = await GatewayBench.open();
  bench.host.leftAt = bench.host.clock.now() - hour;
});

afterEach(() => bench.close());

test('what was missed counts as heard when it has been looked for to the end, and not before', async () => {
  const { server, host } = bench;
  server.say(server.direct(ada), 'while away');
  const hanging = server.fault({ route: looks, kind: 'hang' });
  const adapter = bench.create();
  expect(adapter.heardAt).toBeUndefined();
  await adapter.start(host);
  await server.waitFor(() => server.callsOf(looks).length === 1);
  expect(adapter.heardAt).toBe(host.leftAt);
  hanging.release();
  await bench.comesIn('while away');
  const before = host.clock.now();
  await waitUntil(() => (adapter.heardAt ?? 0) >= before, { what: 'all to be heard' });
});

test('what is said meanwhile comes in behind it', async () => {
  const { server, host } = bench;
  const chat = server.direct(ada);
  server.say(chat, 'while away');
  const hanging = server.fault({ route: looks, kind: 'hang' });
  await bench.connect({ request_timeout_secs: 100 });
  await server.waitFor(() => server.callsOf(looks).length === 1);
  server.say(chat, 'now');
  server.say(server.direct('1001000000000000043'), 'elsewhere');
  // Time stands still: nothing is given up for its length.
  await waitUntil(() => host.words.length > 0, { what: 'what waits for nothing' });
  expect(host.words).toEqual(['elsewhere']);
  hanging.release();
  await waitUntil(() => host.words.includes('now'), { what: 'the others' });
  expect(host.words.slice(1, 3)).toEqual(['while away', 'now']);
});

test('what is said meanwhile does not wait for long', async () => {
  const { server, host } = bench;
  const chat = server.direct(ada);
  server.fault({ route: looks, kind: 'hang' });
  await bench.connect();
  await server.waitFor(() => server.callsOf(looks).length === 1);
  server.say(chat, 'now');
  await waitUntil(() => host.words.includes('now'), {
    what: 'what is said now',
    meanwhile: () => host.clock.advance(1_000),
  });
});

test('an adapter that is stopped meanwhile looks for it again, although its session goes on', async () => {
  const { server, host } = bench;
  server.say(server.direct(ada), 'while away');
  const hanging = server.fault({ route: looks, kind: 'hang' });
  const adapter = await bench.connect();
  await server.waitFor(() => server.callsOf(looks).length === 1);
  await adapter.stop();
  expect(adapter.heardAt).toBe(host.leftAt);
  hanging.remove();
  await adapter.start(host);
  await bench.comesIn('while away');
  expect(server.gateway.identifies).toHaveLength(1);
});

test('nothing counts as heard while the gateway is away', async () => {
  const adapter = await bench.connect();
  await bench.hears('before');
  bench.server.gateway.refusal = 503;
  bench.server.gateway.drop();
  await bench.host.is('failing');
  const { heardAt } = adapter;
  bench.host.clock.advance(hour);
  expect(adapter.heardAt).toBe(heardAt);
  expect(heardAt).toBeGreaterThan(bench.host.leftAt ?? 0);
});

test('what is stored long after the connection has ended says nothing of the time since', async () => {
  const { server, host } = bench;
  const adapter = await bench.connect();
  const stored = Promise.withResolvers<object>();
  host.store = () => stored.promise;
  host.clock.advance(1_000);
  const saidAt = host.clock.now();
  server.say(server.direct(ada), 'slow to store');
  const { heartbeats } = server.gateway;
  await server.waitFor(() => host.words.includes('slow to store') && server.gateway.heartbeats > heartbeats + 1);
  const until = host.clock.now() + 60_000;
  server.gateway.refusal = 503;
  server.gateway.drop();
  await host.is('failing');
  const said = host.healths.length;
  host.clock.advance(hour);
  stored.resolve({});
  await waitUntil(() => (adapter.heardAt ?? 0) >= saidAt, { what: 'it to be stored' });
  expect(adapter.heardAt).toBeLessThan(until);
  expect(host.healths.slice(said).map(({ status }) => status)).not.toContain('connected');
});
