import { expect, test } from 'vitest';
import { type Gap, Reception } from '../../../channels/kit/reception.ts';
import { Background } from '../../../src/lib/background.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordingHost } from '../../support/recording-host.ts';

const hour = 3_600_000;
const minute = 60_000;

function setting(former?: Reception, isFound = true) {
  const host = new RecordingHost(new ManualClock());
  const gaps: Gap[] = [];
  const ending = new AbortController();
  const reception = new Reception({
    ...{ channel: 'test', platform: 'Test', host, account: () => 'bot', former, keptFor: 5 * minute },
    look: async (gap) => {
      gaps.push(gap);
      return isFound;
    },
    background: new Background(host.log),
    signal: ending.signal,
  });
  return { host, gaps, ending, reception };
}

test('what was said while no process was there is asked for once it can be, whatever signs of life there are before', () => {
  const host = new RecordingHost(new ManualClock());
  host.leftAt = host.clock.now() - hour;
  const gaps: Gap[] = [];
  const parts = { background: new Background(host.log), signal: new AbortController().signal, former: undefined };
  const look = async (gap: Gap): Promise<boolean> => gaps.push(gap) > 0;
  const reception = new Reception({ ...parts, channel: 'test', platform: 'Test', host, account: () => '', look });
  expect(reception.heardAt).toBe(host.leftAt);
  reception.heard();
  reception.opened();
  expect(gaps).toEqual([{ since: host.leftAt - minute, isShort: false }]);
});

test('what was said more than a day ago is not asked for', () => {
  const { host, gaps, reception } = setting();
  reception.opened();
  reception.missed(host.clock.now() - 30 * hour);
  expect(gaps).toEqual([{ since: host.clock.now() - 24 * hour, isShort: false }]);
});

test('a session goes on with what the last one has heard and missed, also where it need not ask', async () => {
  const first = setting(undefined, false);
  first.reception.opened();
  expect(first.gaps).toEqual([]);
  const since = first.host.clock.now();
  first.reception.missed(since);
  first.ending.abort();
  first.host.clock.advance(hour);
  expect(first.reception.heardAt).toBe(since);

  const second = setting(first.reception);
  expect(second.reception.heardAt).toBe(since);
  second.reception.resumed();
  expect(second.gaps).toEqual([{ since: since - minute, isShort: false }]);
  await expect.poll(() => second.reception.heardAt).toBe(second.host.clock.now());
  const third = setting(second.reception);
  third.reception.resumed();
  expect(third.gaps).toEqual([]);
});

test('what waits to be stored is not heard yet; what was refused is asked for when the platform has given it up', async () => {
  const { host, gaps, reception } = setting();
  reception.opened();
  const at = host.clock.now();
  await expect(reception.take(() => Promise.reject(new Error('full')))).rejects.toThrow('full');
  host.clock.advance(6 * minute);
  reception.heard();
  expect(reception.heardAt).toBe(at);
  expect(host.health?.status).toBe('failing');
  expect(gaps).toEqual([{ since: at - minute, isShort: false }]);
  await reception.take(async () => true);
  expect(host.health).toEqual({ status: 'connected', account: 'bot' });
});

test('a connection that breaks while an earlier gap is still being read leaves a gap of its own length', async () => {
  const host = new RecordingHost(new ManualClock());
  host.leftAt = host.clock.now() - hour;
  const gaps: Gap[] = [];
  const first = Promise.withResolvers<boolean>();
  const reception = new Reception({
    channel: 'test',
    platform: 'Test',
    host,
    account: () => 'bot',
    former: undefined,
    look: (gap) => (gaps.push(gap) === 1 ? first.promise : Promise.resolve(true)),
    background: new Background(host.log),
    signal: new AbortController().signal,
  });
  reception.opened();
  host.clock.advance(minute);
  reception.heard();
  const heardAt = host.clock.now();
  reception.closed();
  host.clock.advance(2000);
  reception.opened();
  first.resolve(true);
  await expect.poll(() => gaps.at(1)).toEqual({ since: heardAt - minute, isShort: true });
});
