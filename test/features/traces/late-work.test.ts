import { expect, test } from 'vitest';
import { createLateWork } from '../../../src/features/traces/late-work.ts';
import { silentLog } from '../../../src/lib/log.ts';

test('one thing is done at a time, in order, and the end waits for what is being done', async () => {
  const late = createLateWork(silentLog);
  const done: string[] = [];
  const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: tellBegun } = Promise.withResolvers<void>();
  late.add(async () => {
    tellBegun();
    await mayEnd;
    done.push('first');
  });
  late.begin();
  await hasBegun;
  late.add(async () => void done.push('second'));
  const finished = late.finish();
  late.add(async () => void done.push('third'));
  expect(done).toEqual([]);
  letEnd();
  await finished;
  expect(done).toEqual(['first', 'second', 'third']);
});

test('what fails keeps nothing else from being done, and nothing is too little to end with', async () => {
  const late = createLateWork(silentLog);
  const done: string[] = [];
  late.begin();
  await late.finish();
  late.add(() => Promise.reject(new Error('unreadable')));
  late.add(async () => void done.push('next'));
  await late.finish();
  expect(done).toEqual(['next']);
});
