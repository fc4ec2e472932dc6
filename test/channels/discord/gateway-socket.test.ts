import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Continuity, GatewaySocket, Session } from '../../../channels/discord/gateway-socket.ts';
import { discordWords } from '../../../channels/discord/words.ts';
import { Reception } from '../../../channels/kit/reception.ts';
import { directNetwork } from '../../../src/contract.ts';
import { Background } from '../../../src/lib/background.ts';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { openRawGateway, type RawGateway } from './raw-gateway.ts';

let gateway: RawGateway;
let told: string[];

beforeEach(async () => {
  gateway = await openRawGateway();
  told = [];
});

afterEach(() => gateway.close());

const ready = { session_id: 's1', resume_gateway_url: 'ws://127.0.0.1:1', guilds: [] };

function connect(session?: Session, clock: Clock = systemClock): GatewaySocket {
  return new GatewaySocket({
    ...{ token: 'secret', intents: 0, url: session?.resumeUrl ?? gateway.url, clock, network: directNetwork },
    session,
    listener: {
      began: ({ id }) => told.push(`began ${id}`),
      resumed: () => told.push('resumed'),
      event: ({ name }) => told.push(name),
      beat: () => told.push('beat'),
    },
  });
}

async function begin(interval = 60_000, clock: Clock = systemClock): Promise<GatewaySocket> {
  const socket = connect(undefined, clock);
  await waitUntil(() => gateway.open === 1);
  gateway.say(10, { heartbeat_interval: interval });
  await waitUntil(() => gateway.hears(2) === 1);
  gateway.say(0, ready, { t: 'READY', s: 1 });
  await waitUntil(() => told.includes('began s1'));
  return socket;
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
    expect(await socket.ended).toMatchObject({ endsSession: true });
    await socket.gone;
  });

  test('a second greeting gives it no second heart', async () => {
    const clock = new ManualClock();
    await begin(100, clock);
    const { waits } = clock;
    gateway.say(10, { heartbeat_interval: 1 });
    gateway.say(0, {}, { t: 'LATER', s: 2 });
    await waitUntil(() => told.includes('LATER'));
    expect(clock.waits).toEqual(waits);
  });
});

test('a session that goes on says with each heartbeat what is stored', async () => {
  const session = new Session('s0', gateway.url, 41);
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

test('ended before it has begun to connect, it leaves nothing behind', async () => {
  const socket = connect();
  socket.end({});
  expect(await socket.ended).toEqual({});
  await socket.gone;
  const other = connect();
  await waitUntil(() => gateway.open === 1);
  other.end({});
  await other.gone;
  await waitUntil(() => gateway.open === 0);
});

test('ended where nobody answers the farewell, it is gone all the same', async () => {
  const socket = await begin();
  socket.end({ reason: () => 'Silence.' });
  await socket.gone;
  await waitUntil(() => gateway.open === 0);
});

test('an address where nobody is says so', async () => {
  const session = new Session('s0', 'ws://127.0.0.1:1', 0);
  const { reason, ...end } = await connect(session).ended;
  expect(reason?.('en')).toBe(discordWords.en.unreachable({ cause: 'ECONNREFUSED' }));
  expect(end).toEqual({
    code: 1006,
    endsSession: false,
  });
});

const sessionAt = (sequence = 1): Session => new Session('s', 'wss://x', sequence);

test('a session goes on after the last event of which all before it are stored', () => {
  const own = sessionAt();
  const [second, third, fourth] = [2, 3, 4].map((sequence) => own.arrived(sequence));
  third?.();
  expect(own.sequence).toBe(1);
  second?.();
  expect(own.sequence).toBe(3);
  fourth?.();
  expect(own.sequence).toBe(4);
});

test('what was not stored is forgotten when it is to come again, and late news of it change nothing', () => {
  const own = sessionAt();
  const late = own.arrived(2);
  own.arrived(3)();
  own.rewind();
  late();
  expect(own.sequence).toBe(1);
  own.arrived(2)();
  own.arrived(3)();
  expect(own.sequence).toBe(3);
});

test('what comes a second time takes the session back nowhere', () => {
  const own = sessionAt();
  own.arrived(2)();
  own.arrived(3)();
  own.arrived(2)();
  expect(own.sequence).toBe(3);
});

test('a session that was not heard of for five minutes is over', () => {
  const continuity = new Continuity();
  expect(continuity.sessionAt(0)).toBeUndefined();
  const host = Object.assign(new RecordingHost(), { leftAt: 1_000 });
  continuity.session = sessionAt();
  continuity.reception = new Reception({
    ...{ channel: 'discord', platform: 'Discord', host, account: () => '', look: async () => true, former: undefined },
    ...{ background: new Background(host.log), signal: new AbortController().signal },
  });
  expect(continuity.sessionAt(301_000)).toBe(continuity.session);
  expect(continuity.sessionAt(301_001)).toBeUndefined();
});

test('two sessions are not begun within five seconds', () => {
  const continuity = new Continuity();
  expect(continuity.pauseBefore(0)).toBe(0);
  continuity.begunAt = 1_000;
  expect(continuity.pauseBefore(2_000)).toBe(4_000);
  expect(continuity.pauseBefore(9_000)).toBe(0);
});
