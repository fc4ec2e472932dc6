import { expect, test } from 'vitest';
import { CallLog } from '../support/call-log.ts';

interface Call {
  readonly method: string;
  readonly status: number | undefined;
}

const makeLog = () => new CallLog<Call>(({ method }, name) => method === name);
const call = (method: string): Call => ({ method, status: undefined });

test('requests stand in the order in which they came, with how they ended', () => {
  const log = makeLog();
  const ends = ['a', 'b', 'a'].map((method) => log.begin(call(method)));
  ends[2]?.({ status: 500 });
  ends[0]?.({ status: 200 });
  expect(log.all).toEqual([{ method: 'a', status: 200 }, call('b'), { method: 'a', status: 500 }]);
  expect(log.of('a').map(({ status }) => status)).toEqual([200, 500]);
});

test('what was handed out does not change, and what ends after the log was emptied is in no later one', () => {
  const log = makeLog();
  const end = log.begin(call('a'));
  const before = log.all;
  log.forget();
  log.begin(call('b'));
  end({ status: 200 });
  expect(before).toEqual([call('a')]);
  expect(log.all).toEqual([call('b')]);
});
