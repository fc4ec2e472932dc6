import { expect, test } from 'vitest';
import { conversationId } from '../../../src/contract.ts';
import { type ChangesCore, createChanges } from '../../../src/features/page/changes.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { createTelemetry } from '../../../src/telemetry.ts';
import { direct } from '../../support/deed.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { newStore, originOf, said } from '../../support/store-setting.ts';

/** Ada's page, while its hints are read from the store. */
async function following() {
  const { store, database } = await newStore();
  const chat = direct('test', 'ada');
  await store.inbox.accept(said(originOf('ada', chat), 'hello'));
  const telemetry = createTelemetry(silentLog);
  const clock = new ManualClock();
  const rights = { isOwner: false, isApprover: true };
  const logged: string[] = [];
  const core: ChangesCore = {
    telemetry,
    clock,
    database,
    log: { ...silentLog, warn: (_fields, message) => logged.push(message) },
    health: { listen: () => () => {} },
    edited: { listen: () => () => {} },
    owners: { isOwner: () => rights.isOwner },
    approvals: { isApprover: () => rights.isApprover },
    accounts: { accountsOf: (principal) => [principal, 'test:ada'] },
  };
  const gone = new AbortController();
  const frames: JsonObject[] = [];
  const device = {
    id: 'b1',
    name: 'browser',
    principal: 'test:ada',
    personName: 'Ada',
    isBrowser: true,
    createdAt: 0,
  };
  createChanges(core)({
    visitor: { device, principal: 'device:b1' },
    send: (frame) => frames.push(frame),
    gone: gone.signal,
  });
  const hear = (place: string): void => {
    telemetry.tell({
      type: 'approval_decided',
      conversationId: place,
      approvalId: 'a1',
      kind: 'permission',
      callId: 'c1',
      tool: 'unlock',
      decision: 'approved',
      by: 'test:ada',
      waited: 0,
    });
    clock.advance(100);
  };
  const topics = (): unknown => frames.slice(1).map((frame) => frame.topics);
  return { own: conversationId(chat), hear, topics, rights, gone, logged, database };
}

const elsewhere = conversationId(direct('test', 'bob'));

test('a page that goes while it is read what it may know is told nothing', async () => {
  const { own, hear, topics, gone } = await following();
  hear(own);
  gone.abort();
  await settled();
  expect(topics()).toEqual([]);
});

test('rights that end while it is read what a page may know do not count', async () => {
  const { own, hear, topics, rights } = await following();
  hear(elsewhere);
  rights.isApprover = false;
  await settled();
  expect(topics()).toEqual([]);
  hear(own);
  await settled();
  expect(topics()).toEqual([['waiting', `conversation:${own}`]]);
});

test('what could not be read is logged', async () => {
  const { own, hear, topics, logged, database } = await following();
  hear(own);
  await settled();
  expect(topics()).toHaveLength(1);
  await database.close();
  hear(own);
  await settled();
  expect(logged).toEqual(['a page could not be told what has changed']);
});

/** All that needs no other turn of the loop is done. */
async function settled(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
