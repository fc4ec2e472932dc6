import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  DefaultWebSocketManagerOptions,
  type IContextFetchingStrategy,
  WebSocketShard,
  WebSocketShardEvents,
  WebSocketShardStatus,
} from '@discordjs/ws';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { GatewaySocket } from '../../../channels/discord/connection/gateway-socket.ts';
import { Session } from '../../../channels/discord/connection/session.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { RawGateway } from './raw-gateway.ts';

let gateway: RawGateway;
let told: string[];

beforeEach(async () => {
  gateway = await RawGateway.open();
  told = [];
});

afterEach(() => gateway.close());

const ready = { session_id: 's1', resume_gateway_url: 'ws://127.0.0.1:1', guilds: [] };

function connect(session?: Session): GatewaySocket {
  return new GatewaySocket({
    ...{ token: 'secret', intents: 0, url: gateway.url, clock: systemClock },
    ...(session !== undefined && { session }),
    listener: {
      began: (frame) => {
        told.push(`began ${frame.sessionId}`);
        return new Session(frame);
      },
      resumed: () => told.push('resumed'),
      event: ({ name }) => told.push(name),
      beat: () => told.push('beat'),
    },
  });
}

async function begin(interval = 60_000): Promise<GatewaySocket> {
  const socket = connect();
  await waitUntil(() => gateway.open === 1);
  gateway.say(10, { heartbeat_interval: interval });
  await waitUntil(() => gateway.hears(2) === 1);
  gateway.say(0, ready, { t: 'READY', s: 1 });
  await waitUntil(() => told.includes('began s1'));
  return socket;
}

/** What the library makes of the same gateway by itself. */
function bareShard(): WebSocketShard {
  const unused = { total: 0, remaining: 0, reset_after: 0, max_concurrency: 1 };
  const gatewayInformation = { url: gateway.url, shards: 1, session_start_limit: unused };
  const context: IContextFetchingStrategy = {
    options: { ...DefaultWebSocketManagerOptions, token: 'bare', intents: 0, gatewayInformation, shardCount: 1 },
    retrieveSessionInfo: () => null,
    updateSessionInfo: () => undefined,
    waitForIdentify: async () => {},
  };
  const shard = new WebSocketShard(context, 0);
  shard.on(WebSocketShardEvents.Error, () => {});
  return shard;
}

describe('what nobody documents', () => {
  const hostile: readonly unknown[] = [
    null,
    7,
    'text',
    [],
    {},
    { op: null },
    { op: 99, d: {} },
    { op: 10, d: null },
    { op: 10, d: { heartbeat_interval: null } },
    { op: 10, d: { heartbeat_interval: 1e9 } },
    { op: 10, d: { heartbeat_interval: 0 } },
    { op: 0, t: 'READY', s: 2, d: null },
    { op: 0, t: 'READY', s: 2, d: { session_id: null } },
    { op: 0, t: 'READY', s: 2, d: ready },
    { op: 0, t: 'RESUMED', s: 3, d: null },
    { op: 0, t: null, s: 4, d: {} },
    { op: 0, t: 'MESSAGE_CREATE', s: null, d: {} },
    { op: 0 },
    { op: 11, d: null },
    { op: 1, d: null },
  ];

  test('ends nothing: not the process, not the connection', async () => {
    await begin();
    for (const payload of hostile) gateway.write(JSON.stringify(payload));
    gateway.write('{"op":');
    gateway.write(Buffer.from([0x78, 0x9c, 0, 0xff]));
    gateway.say(0, { id: '1' }, { t: 'MESSAGE_CREATE', s: 9 });
    await waitUntil(() => told.includes('MESSAGE_CREATE'));
    expect(told.filter((words) => words !== 'beat')).toEqual(['began s1', 'MESSAGE_CREATE']);
    expect(gateway.open).toBe(1);
  });

  test('before there is a session is waited out', async () => {
    connect();
    await waitUntil(() => gateway.open === 1);
    for (const payload of hostile) gateway.write(JSON.stringify(payload));
    gateway.say(10, { heartbeat_interval: 60_000 });
    await waitUntil(() => gateway.hears(2) === 1);
    expect(gateway.open).toBe(1);
  });

  test('an end of a session without a word whether it can go on means that it can not', async () => {
    const socket = await begin();
    gateway.write('{"op":9,"d":null}');
    expect(await socket.ended).toEqual({ type: 'invalid-session', isResumable: false });
    await socket.gone;
  });

  test('a second greeting gives it no second heart', async () => {
    await begin(100);
    gateway.say(10, { heartbeat_interval: 1 });
    await waitUntil(() => gateway.hears(1) >= 1);
    const [beats, begun] = [gateway.hears(1), performance.now()];
    await waitUntil(() => gateway.hears(1) >= beats + 4);
    expect(performance.now() - begun).toBeGreaterThan(250);
  });
});

describe('the library below it', () => {
  test('would connect again by itself, even destroyed, and does not', async () => {
    const bare = bareShard();
    const closed = new Promise((resolve) => bare.on(WebSocketShardEvents.Closed, resolve));
    bare.connect().catch(() => {});
    await waitUntil(() => gateway.open === 1);
    gateway.hangUp(4000);
    await closed;
    await waitUntil(() => bare.status === WebSocketShardStatus.Idle);
    await bare.destroy();
    const socket = connect();
    await waitUntil(() => gateway.connections === 2);
    gateway.hangUp(4000);
    expect(await socket.ended).toEqual({ type: 'closed', code: 4000 });
    await socket.gone;
    let attempts = 0;
    const count = (): void => {
      attempts += 1;
    };
    subscribe('net.client.socket', count);
    onTestFinished(() => void unsubscribe('net.client.socket', count));
    // By the time of the bare one's second attempt, ours would have had its own.
    await waitUntil(() => gateway.connections === 3);
    gateway.hangUp(4000);
    await waitUntil(() => gateway.connections === 4);
    expect(attempts).toBe(2);
    gateway.hangUp(4004);
  });

  test('receives its session from us, and says with each heartbeat what is stored', async () => {
    const session = new Session({ sessionId: 's0', resumeUrl: gateway.url, sequence: 41 });
    connect(session);
    await waitUntil(() => gateway.open === 1);
    gateway.say(10, { heartbeat_interval: 30 });
    await waitUntil(() => gateway.hears(6) === 1);
    expect(gateway.heard[0]?.d).toEqual({ token: 'secret', session_id: 's0', seq: 41 });
    gateway.say(0, {}, { t: 'RESUMED', s: 42 });
    await waitUntil(() => told.includes('resumed'));
    const stored = session.arrived(43);
    await waitUntil(() => gateway.heard.some(({ op, d }) => op === 1 && d === 42));
    stored();
    gateway.say(1, null);
    await waitUntil(() => gateway.heard.some(({ op, d }) => op === 1 && d === 43));
    expect(gateway.hears(2)).toBe(0);
  });
});

test('ended before it has begun to connect, it leaves nothing behind', async () => {
  const socket = connect();
  socket.end({ type: 'stopped' });
  expect(await socket.ended).toEqual({ type: 'stopped' });
  await socket.gone;
  const other = connect();
  await waitUntil(() => gateway.open === 1);
  other.end({ type: 'stopped' });
  await other.gone;
  await waitUntil(() => gateway.open === 0);
});

test('ended where nobody answers the farewell, it is gone within a second', async () => {
  const socket = await begin();
  const begun = performance.now();
  socket.end({ type: 'silent' });
  await socket.gone;
  expect(performance.now() - begun).toBeLessThan(3_000);
  await waitUntil(() => gateway.open === 0);
});

test('an address where nobody is says so', async () => {
  const session = new Session({ sessionId: 's0', resumeUrl: 'ws://127.0.0.1:1', sequence: 0 });
  const end = await connect(session).ended;
  expect(end).toEqual({ type: 'closed', code: 1006, trouble: 'ECONNREFUSED' });
});
