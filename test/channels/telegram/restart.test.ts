import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Receipt } from '../../../src/contract.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { AdapterSetting, ada } from './adapter-setting.ts';

let setting: AdapterSetting;
let next: RecordingHost;

beforeEach(async () => {
  setting = await AdapterSetting.start();
  next = new RecordingHost(setting.clock);
  await waitUntil(() => setting.host.health?.status === 'connected');
});

afterEach(() => setting.close());

/** Stops the adapter and starts it again, with another host. */
async function restart(): Promise<void> {
  const stopped = setting.adapter.stop();
  setting.clock.advance(2_000);
  await stopped;
  await setting.adapter.start(next);
}

describe('an adapter that is started again', () => {
  test('does so although its old poll never ends', async () => {
    setting.server.fault({ method: 'getUpdates', kind: 'hang', times: 1 });
    setting.server.say(ada, 'one');
    await setting.server.waitFor(() => setting.server.faultsFired('hang') === 1);
    const { length: reported } = setting.host.healths;
    await restart();
    await waitUntil(() => next.words.includes('one'));
    setting.clock.advance(120_000);
    expect(setting.host.healths).toHaveLength(reported);
  });

  test('takes nothing more to its old host, although that answers only now', async () => {
    const { promise, resolve } = Promise.withResolvers<Receipt>();
    setting.host.store = () => promise;
    setting.server.say(ada, 'one');
    await waitUntil(() => setting.host.words.includes('one'));
    const { length: reported } = setting.host.healths;
    await restart();
    await waitUntil(() => next.words.includes('one'));
    resolve({});
    setting.server.say(ada, 'two');
    await waitUntil(() => next.words.includes('two'));
    expect(setting.host.words).toEqual(['one']);
    expect(setting.host.healths).toHaveLength(reported);
    expect(next.words.filter((text) => text === 'two')).toHaveLength(1);
  });
});

test('says that it is connected as often as its polls can last', () => {
  expect(setting.adapter.capabilities.heartbeat).toBe(45_000);
  expect(setting.another({ poll_timeout_secs: 2, poll_grace_secs: 3 }).capabilities.heartbeat).toBe(5_000);
});
