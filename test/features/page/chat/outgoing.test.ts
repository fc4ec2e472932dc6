import { beforeEach, describe, expect, test } from 'vitest';
import { Outgoing } from '../../../../packages/page/src/views/chat/outgoing.ts';
import type { ChatEntry } from '../../../../src/features/page/wire/chat.ts';

const said = (id: string, text = 'yes'): ChatEntry => ({
  type: 'person',
  id,
  at: 1,
  name: 'Ada',
  isOwn: true,
  text,
  files: [],
  isCommand: false,
});

let outgoing = new Outgoing('device:a');
beforeEach(() => {
  outgoing = new Outgoing('device:a');
});

/** Sends the same twice. */
const twice = (entries: readonly ChatEntry[] = []) => [
  outgoing.add('yes', [], entries).id,
  outgoing.add('yes', [], entries).id,
];

const left = () => outgoing.messages.value.map(({ id }) => id);

describe('of two messages with the same text', () => {
  test('one is on its way while one is stored', () => {
    const [, second] = twice();
    outgoing.settle([said('1')]);
    expect(left()).toEqual([second]);
    outgoing.settle([said('1'), said('2')]);
    expect(left()).toEqual([]);
  });

  test.each([0, 1])('the one that was refused stays: number %i', (refused) => {
    const ids = twice();
    outgoing.settle([said('1')]);
    outgoing.refuse(ids[refused] ?? '', 'too large', false);
    outgoing.settle([said('1')]);
    expect(left()).toEqual([ids[refused]]);
  });

  test('the one that was refused stays, though the other was taken first', () => {
    const [first = '', second = ''] = twice();
    outgoing.settle([said('1')]);
    outgoing.take(second);
    outgoing.refuse(first, 'too large', false);
    outgoing.settle([said('1')]);
    expect(left()).toEqual([first]);
    outgoing.sendAgain(first);
    expect(left()).toEqual([first]);
    outgoing.settle([said('1'), said('2')]);
    expect(left()).toEqual([]);
  });

  test('both are on their way while the same stands there from before', () => {
    const before = [said('0'), said('1', 'no')];
    const ids = twice(before);
    outgoing.settle(before);
    expect(left()).toEqual(ids);
  });
});

test('a message of which nobody knows whether it came through is over once it is stored', () => {
  const { id } = outgoing.add('yes', [], []);
  outgoing.refuse(id, 'closed', true);
  expect(left()).toEqual([id]);
  outgoing.settle([said('1')]);
  expect(left()).toEqual([]);
  const { id: next } = outgoing.add('yes', [], []);
  expect(left()).toEqual([next]);
});
