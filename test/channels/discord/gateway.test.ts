import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discordWords } from '../../../channels/discord/words.ts';
import type { DiscordServer } from '../../../packages/fakes/src/discord-server.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { ada, GatewayBench } from './gateway-bench.ts';

let bench: GatewayBench;
let server: DiscordServer;
let host: RecordingHost;

beforeEach(async () => {
  bench = await GatewayBench.open();
  ({ server, host } = bench);
});

afterEach(() => bench.close());

/** What the last connection of the bot was used for. */
const starts = () => ({ identifies: server.gateway.identifies.length, resumes: server.gateway.resumes.length });

describe('receiving', () => {
  test('begins with a direct message, and says who the bot is', async () => {
    await bench.connect();
    expect(host.health).toEqual({ status: 'connected', account: '@keyturn_test' });
    await bench.hears('hello');
    expect(starts()).toEqual({ identifies: 1, resumes: 0 });
  });

  test('asks only for what it needs', async () => {
    await bench.connect();
    expect(server.gateway.identifies[0]?.intents).toBe((1 << 0) | (1 << 9) | (1 << 12) | (1 << 15));
  });
});

describe('a connection that ends', () => {
  test.each([
    ['because Discord asks for another', () => server.gateway.requestReconnect()],
    ['without a word', () => server.gateway.drop()],
    ['with an unknown error', () => server.gateway.closeWith(4000)],
    ['for a session that goes on', () => server.gateway.invalidate(true)],
  ])('%s is followed by one that goes on where it was, and brings what was missed', async (_why, end) => {
    await bench.connect();
    await bench.hears('before');
    end();
    await bench.hears('missed');
    await bench.hears('after');
    expect(starts()).toEqual({ identifies: 1, resumes: 1 });
    expect(bench.timesHeard('before')).toBe(1);
    expect(bench.timesHeard('missed')).toBe(1);
  });

  test.each([
    ['with its session', () => server.gateway.closeWith(1000)],
    ['because the session timed out', () => server.gateway.closeWith(4009)],
    ['for a session that is not valid', () => server.gateway.invalidate(false)],
  ])('%s is followed by another session', async (_why, end) => {
    await bench.connect();
    end();
    await bench.hears('after');
    expect(starts()).toEqual({ identifies: 2, resumes: 0 });
  });

  test('is resumed where Discord says, and starts over if that is refused', async () => {
    await bench.connect();
    server.gateway.mostReplayed = -1;
    server.gateway.drop();
    await bench.hears('after');
    expect(server.gateway.resumes).toMatchObject([{ path: '/gw/again/' }]);
    expect(server.gateway.identifies).toHaveLength(2);
  });

  test('leaves no second one behind', async () => {
    await bench.connect();
    for (const end of ['requestReconnect', 'drop'] as const) {
      server.gateway[end]();
      await bench.hears(`after ${end}`);
    }
    await server.waitFor(() => server.gateway.openConnections === 1);
  });
});

describe('a gateway that can not be reached', () => {
  test('is tried again ever more seldom, until it is there', async () => {
    server.gateway.refusal = 503;
    await bench.start();
    await host.is('failing');
    const before = server.gateway.connectionsMade;
    const begun = host.clock.now();
    const passed = (): number => host.clock.now() - begun;
    await waitUntil(() => passed() > 120_000, { meanwhile: () => host.clock.advance(500) });
    // 0.5, 1, 2, 4, 8, 16, 32, 60 s, less a fifth at most.
    expect(server.gateway.connectionsMade - before).toBeLessThanOrEqual(9);
    expect(server.gateway.connectionsMade - before).toBeGreaterThanOrEqual(4);
    server.gateway.refusal = undefined;
    await host.is('connected');
    await bench.hears('at last');
  });

  test('is not asked any more after the stop', async () => {
    server.gateway.refusal = 503;
    const adapter = await bench.start();
    await host.is('failing');
    await adapter.stop();
    const made = server.gateway.connectionsMade;
    const told = host.healths.length;
    host.clock.advance(600_000);
    await bench.close();
    expect(server.gateway.connectionsMade).toBe(made);
    expect(host.healths).toHaveLength(told);
  });

  test('that accepts and then says nothing is given up, and so is its silence later', async () => {
    server.gateway.isSilent = true;
    await bench.start();
    await server.waitFor(() => server.gateway.connectionsMade === 1);
    await host.is('failing');
    server.gateway.isSilent = false;
    await host.is('connected');
    server.gateway.isSilent = true;
    await host.is('failing');
    expect(host.health).toMatchObject({ reason: discordWords.en.fellSilent });
    server.gateway.isSilent = false;
    await bench.hears('again');
  });

  test('that acknowledges no heartbeat is left for another connection, and the session goes on', async () => {
    await bench.connect();
    server.gateway.isDeafToBeats = true;
    await waitUntil(() => server.gateway.resumes.length > 0, { meanwhile: () => host.clock.advance(250) });
    server.gateway.isDeafToBeats = false;
    await bench.hears('hello');
    expect(server.gateway.identifies).toHaveLength(1);
  });
});

describe('stopping', () => {
  test('ends all also where nobody answers, and the same adapter can begin again', async () => {
    const adapter = await bench.connect();
    server.gateway.isSilent = true;
    await adapter.stop();
    server.gateway.isSilent = false;
    server.say(server.direct(ada), 'in between');
    const next = new RecordingHost();
    await adapter.start(next);
    await next.hears('in between');
    expect(host.words).toEqual([]);
    // It goes on where it was: nothing had to begin.
    expect(server.gateway.identifies).toHaveLength(1);
  });

  test('before it is connected leaves nothing behind', async () => {
    const adapter = await bench.start();
    await adapter.stop();
    await adapter.stop();
    await server.waitFor(() => server.gateway.openConnections === 0);
    expect(host.healths).toEqual([{ status: 'connecting' }]);
  });
});

test('what can not be stored is left with Discord when it becomes too much, and comes when there is room', async () => {
  await bench.connect();
  const doors = Promise.withResolvers<void>();
  host.store = async () => {
    await doors.promise;
    return {};
  };
  const chat = server.direct(ada);
  for (let index = 0; index < 1_100; index += 1) server.say(chat, `message ${index}`);
  await waitUntil(() => host.healths.some(({ status }) => status === 'failing'));
  doors.resolve();
  await bench.comesIn('message 1099');
  await host.is('connected');
  expect(new Set(host.words).size).toBe(1_100);
  expect(server.gateway.identifies).toHaveLength(1);
});
