import { expect, test } from 'vitest';
import { Continuity, Session } from '../../../channels/discord/gateway-socket.ts';
import { createReception } from '../../../channels/kit/reception.ts';
import { Background } from '../../../src/lib/background.ts';
import { RecordingHost } from '../../support/recording-host.ts';

const session = (sequence = 1): Session => new Session({ sessionId: 's', resumeUrl: 'wss://x', sequence });

test('a session goes on after the last event of which all before it are stored', () => {
  const own = session();
  const [second, third, fourth] = [2, 3, 4].map((sequence) => own.arrived(sequence));
  third?.();
  expect(own.sequence).toBe(1);
  second?.();
  expect(own.sequence).toBe(3);
  fourth?.();
  expect(own.sequence).toBe(4);
});

test('what was not stored is forgotten when it is to come again, and late news of it change nothing', () => {
  const own = session();
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
  const own = session();
  own.arrived(2)();
  own.arrived(3)();
  own.arrived(2)();
  expect(own.sequence).toBe(3);
});

test('a session that was not heard of for five minutes is over', () => {
  const continuity = new Continuity();
  expect(continuity.sessionAt(0)).toBeUndefined();
  const host = Object.assign(new RecordingHost(), { leftAt: 1_000 });
  continuity.session = session();
  continuity.reception = createReception({
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
