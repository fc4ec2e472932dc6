import { expect, test } from 'vitest';
import { Continuity, Session } from '../../../channels/discord/session.ts';

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

test('a session that was not heard of for five minutes is over, and when it was heard of is remembered', () => {
  const continuity = new Continuity();
  expect(continuity.sessionAt(0)).toBeUndefined();
  const own = session();
  Object.assign(continuity, { session: own, heardAt: 1_000 });
  expect(continuity.sessionAt(301_000)).toBe(own);
  expect(continuity.sessionAt(301_001)).toBeUndefined();
  expect(continuity.heardAt).toBe(1_000);
});

test('two sessions are not begun within five seconds', () => {
  const continuity = new Continuity();
  expect(continuity.pauseBefore(0)).toBe(0);
  continuity.begunAt = 1_000;
  expect(continuity.pauseBefore(2_000)).toBe(4_000);
  expect(continuity.pauseBefore(9_000)).toBe(0);
});
