import { describe, expect, test } from 'vitest';
import type { ChannelHealth, ChannelHost, InboundMessage } from '../../src/contract.ts';
import { statusWords } from '../../src/conversation/commands/reports/words.ts';
import { createHealthBoard, type HealthBoard } from '../../src/conversation/health/health-board.ts';
import { healthWords } from '../../src/conversation/health/words.ts';
import type { Log } from '../../src/lib/log.ts';
import type { Language } from '../../src/lib/words.ts';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { ManualClock } from '../support/manual-clock.ts';
import type { TestChannel } from '../support/test-channel.ts';
import { waitUntil } from '../support/wait-for.ts';

const heartbeat = 45_000;
/** From the last word to the rebuild. */
const limit = 60_000;
const never = (): Promise<void> => new Promise(() => {});

async function watchedSetting(options: DaemonSettingOptions = {}): Promise<DaemonSetting> {
  return daemonSetting({ channel: { capabilities: { heartbeat } }, ...options });
}

function started(channel: TestChannel, times: number): Promise<unknown> {
  return waitUntil(() => channel.sessions.hosts.length === times, { what: `start ${times}` });
}

function hostOf(channel: TestChannel): ChannelHost {
  const host = channel.sessions.hosts.at(-1);
  if (host === undefined) throw new Error('the channel was not started');
  return host;
}

/** Counts the stops of a channel. A rebuild begins with one, at once. */
function stopsOf(channel: TestChannel): { count: number } {
  const stops = { count: 0 };
  channel.sessions.onStop = async () => {
    stops.count += 1;
  };
  return stops;
}

describe('a channel that falls silent', () => {
  test('is started again 15 s after it should have said something, and works', async () => {
    const { channel, clock } = await watchedSetting();
    const stops = stopsOf(channel);
    clock.advance(limit - 1);
    expect(stops.count).toBe(0);
    clock.advance(1);
    expect(stops.count).toBe(1);
    await started(channel, 2);
    await channel.ask('hello', 'echo: hello');
  });

  test('is noticed in little more than its time though the clock was set back', async () => {
    const { channel, clock } = await watchedSetting();
    const stops = stopsOf(channel);
    clock.jump(-3_600_000);
    clock.advance(20_000);
    clock.advance(limit - 1);
    expect(stops.count).toBe(0);
    clock.advance(1);
    expect(stops.count).toBe(1);
  });

  test('is left alone as long as it says again and again how it is', async () => {
    const { channel, clock } = await watchedSetting();
    const stops = stopsOf(channel);
    const says: readonly ChannelHealth[] = [
      { status: 'connected' },
      { status: 'failing', reason: 'no network' },
      { status: 'failing', reason: 'no network' },
      { status: 'connecting' },
      { status: 'connecting' },
    ];
    for (const health of says) {
      clock.advance(heartbeat);
      hostOf(channel).reportHealth(health);
    }
    clock.advance(limit - 1);
    expect(stops.count).toBe(0);
  });

  test.each<ChannelHealth>([{ status: 'connecting' }, { status: 'failing', reason: 'no network' }])(
    'is started again also while it is $status',
    async (health) => {
      const { channel, clock } = await watchedSetting();
      hostOf(channel).reportHealth(health);
      clock.advance(limit);
      await started(channel, 2);
    },
  );

  test('is not noticed where it never promised to say anything', async () => {
    const { channel, clock } = await daemonSetting();
    const stops = stopsOf(channel);
    for (let minutes = 0; minutes < 30; minutes += 1) clock.advance(60_000);
    expect(stops.count).toBe(0);
  });

  test('is seen as such by people on another channel', async () => {
    const setting = await watchedSetting({ moreChannels: [{ name: 'deaf', capabilities: { heartbeat } }] });
    const [, deaf] = setting.channels;
    if (deaf === undefined) throw new Error('there is one channel only');
    deaf.sessions.onStop = never;
    setting.clock.advance(heartbeat);
    hostOf(setting.channel).reportHealth({ status: 'connected' });
    setting.clock.advance(limit - heartbeat);
    await setting.channel.say('/status');
    const { channelLine, channelState } = statusWords.en;
    const reason = healthWords.en.silent({ time: '1 min' });
    const state = channelState({ status: 'failing', reason, account: undefined, isOff: false });
    await setting.channel.sees(
      channelLine({ name: 'deaf', state, duration: '0 s', heard: undefined, again: undefined }),
    );
    deaf.sessions.onStop = async () => {};
  });
});

describe('the session of a channel that was deaf', () => {
  const hello: InboundMessage = {
    type: 'message',
    key: 'm1',
    conversation: direct('test'),
    sender: { id: 'ada', name: 'Ada', isPerson: true },
    text: 'hello',
    addressed: true,
    sentAt: 0,
  };

  test('can bring nothing more: the platform delivers it again, to the new one', async () => {
    const { channel, clock, model } = await watchedSetting();
    const old = hostOf(channel);
    clock.advance(limit);
    await expect(old.receive(hello)).rejects.toThrow('another one receives in its place');
    await expect(old.moved(direct('test'), 'elsewhere')).rejects.toThrow('another one receives in its place');
    await started(channel, 2);
    await expect(old.receive(hello)).rejects.toThrow('another one receives in its place');
    await hostOf(channel).receive(hello);
    await channel.sees('echo: hello');
    expect(model.requests).toHaveLength(1);
  });

  test('can report nothing more', async () => {
    const { channel, clock } = await watchedSetting();
    const old = hostOf(channel);
    clock.advance(limit);
    await started(channel, 2);
    old.reportHealth({ status: 'dead', reason: 'the old one is gone' });
    await channel.ask('/status details', '- test: connected, for 0 s, last heard from 0 s ago');
  });

  test('has 5 s to end', async () => {
    const { channel, clock } = await watchedSetting();
    channel.sessions.onStop = never;
    clock.advance(limit);
    await clock.waitsFor(5_000);
    clock.advance(4_999);
    expect(channel.sessions.hosts).toHaveLength(1);
    clock.advance(1);
    await started(channel, 2);
    channel.sessions.onStop = async () => {};
  });

  test('is followed by another even if it ends by a fault', async () => {
    const { channel, clock } = await watchedSetting();
    channel.sessions.onStop = async () => {
      throw new Error('the socket is gone');
    };
    clock.advance(limit);
    await started(channel, 2);
    channel.sessions.onStop = async () => {};
  });
});

describe('a channel that cannot be started again', () => {
  const refusing = async (): Promise<void> => {
    throw new Error('no such host');
  };

  test('is tried again ever more seldom, up to every 10 minutes, until it works', async () => {
    const { channel, clock } = await watchedSetting();
    channel.sessions.onStart = refusing;
    let starts = 1;
    for (const seconds of [60, 120, 240, 480, 600, 600]) {
      await clock.waitsFor(seconds * 1000);
      clock.advance(seconds * 1000 - 1);
      expect(channel.sessions.hosts).toHaveLength(starts);
      clock.advance(1);
      starts += 1;
      await started(channel, starts);
    }
    await clock.waitsFor(600_000);
    channel.sessions.onStart = async () => {};
    clock.advance(600_000);
    await started(channel, starts + 1);
    await channel.ask('hello', 'echo: hello');
    // It was connected: the next time counts as the first.
    await clock.waitsFor(limit);
  });

  test('is tried again soon when it was connected in between', async () => {
    const { channel, clock } = await watchedSetting();
    channel.sessions.onStart = refusing;
    clock.advance(limit);
    await clock.waitsFor(2 * limit);
    channel.sessions.onStart = async () => {};
    clock.advance(2 * limit);
    await started(channel, 3);
    await clock.waitsFor(limit);
    clock.advance(heartbeat);
    hostOf(channel).reportHealth({ status: 'connected' });
    clock.advance(limit - heartbeat);
    hostOf(channel).reportHealth({ status: 'failing', reason: 'no network' });
    clock.advance(limit - 1);
    expect(channel.sessions.hosts).toHaveLength(3);
    clock.advance(1);
    await started(channel, 4);
  });

  test('says why', async () => {
    const config = { owners: ['other:ada'] };
    const setting = await watchedSetting({ config, moreChannels: [{ name: 'other' }] });
    const [channel, other] = setting.channels;
    if (channel === undefined || other === undefined) throw new Error('there are not two channels');
    channel.sessions.onStart = refusing;
    setting.clock.advance(limit);
    await setting.clock.waitsFor(2 * limit);
    await other.ask('/status', healthWords.en.silentStill({ reason: 'no such host' }));
  });

  test('has 5 s to start before it counts as silent', async () => {
    const { channel, clock } = await watchedSetting();
    channel.sessions.onStart = never;
    clock.advance(limit);
    await started(channel, 2);
    await clock.waitsFor(5_000);
    channel.sessions.onStart = async () => {};
    clock.advance(5_000);
    await clock.passes(2 * limit - 5_000);
    await started(channel, 3);
  });

  test('ends the daemon when it starts', async () => {
    const setting = await daemonSetting();
    await setting.stop();
    setting.channel.sessions.onStart = refusing;
    await expect(setting.start()).rejects.toThrow('no such host');
  });
});

describe('a channel that its platform refuses', () => {
  const refusal = { status: 'dead', reason: 'The token was revoked.' } as const;
  const warnings = ({ screen }: TestChannel): readonly string[] =>
    screen.map(({ text }) => text).filter((text) => text.includes('⚠️'));

  /** Ada, the owner, on two channels; both know where to write to her. */
  async function ownerOnTwo(heartbeats: { readonly heartbeat?: number } = {}) {
    const config = { owners: ['test:ada', 'other:ada'] };
    const setting = await daemonSetting({
      config,
      channel: { capabilities: heartbeats },
      moreChannels: [{ name: 'other' }],
    });
    const [, other] = setting.channels;
    if (other === undefined) throw new Error('there is one channel only');
    for (const channel of setting.channels) await channel.ask('hello', 'echo: hello');
    return { setting, clock: setting.clock, channel: setting.channel, other };
  }

  test.each([{ heartbeat }, {}])(
    'is tried again for ever, ever more seldom, up to every 15 minutes: %j',
    async (promised) => {
      const { channel, clock } = await daemonSetting({ channel: { capabilities: promised } });
      channel.sessions.health = refusal;
      hostOf(channel).reportHealth(refusal);
      let starts = 1;
      for (const seconds of [5, 60, 300, 900, 900, 900]) {
        await clock.waitsFor(seconds * 1000);
        clock.advance(seconds * 1000 - 1);
        expect(channel.sessions.hosts).toHaveLength(starts);
        clock.advance(1);
        starts += 1;
        await started(channel, starts);
      }
      await clock.waitsFor(900_000);
      channel.sessions.health = { status: 'connected' };
      clock.advance(900_000);
      await started(channel, starts + 1);
      await channel.ask('hello', 'echo: hello');
    },
  );

  test('once, by an error of the platform, is heard again 5 s later, and nobody is told', async () => {
    const { channel, other, clock } = await ownerOnTwo();
    hostOf(channel).reportHealth(refusal);
    await clock.passes(5_000);
    await started(channel, 2);
    for (const one of [channel, other]) await one.ask('again', 'echo: again');
    expect(warnings(other)).toEqual([]);
  });

  test('again after five good minutes is heard again as soon as the first time, and nobody is told', async () => {
    const { channel, other, clock } = await ownerOnTwo();
    for (const starts of [2, 3]) {
      hostOf(channel).reportHealth(refusal);
      await clock.passes(5_000);
      await started(channel, starts);
      await channel.ask('again', 'echo: again');
      clock.advance(300_000);
    }
    expect(warnings(other)).toEqual([]);
  });

  test('is told to the owner on another channel, once, and on both when it works again', async () => {
    const { channel, other, clock } = await ownerOnTwo({ heartbeat });
    channel.sessions.health = refusal;
    hostOf(channel).reportHealth(refusal);
    for (const seconds of [5, 60, 300]) await clock.passes(seconds * 1000);
    const reason = healthWords.en.retried({ reason: 'The token was revoked.' });
    await other.sees(healthWords.en.channelNeedsYou({ channel: 'test', reason }));
    await other.ask('/status details', /- test: refused \(The token was revoked.\), for 6 min, tried again in 15 min/);
    channel.sessions.health = { status: 'connected' };
    await clock.passes(900_000);
    const well = '✅ The channel `test` works again, after 21 min.';
    await other.sees(well);
    await channel.sees(well);
    expect(warnings(other)).toHaveLength(1);
    expect(warnings(channel)).toEqual([]);
  });

  test('tells each owner why in their own language, also in /status', async () => {
    const config = { owners: ['test:ada', 'other:ada'], language: 'zh' };
    const { channels, channel, clock } = await daemonSetting({ config, moreChannels: [{ name: 'other' }] });
    const [, other = channel] = channels;
    for (const one of channels) await one.ask('你好', 'echo: 你好');
    const reason = (language: Language): string => ({ en: 'The token was revoked.', zh: '令牌已被撤销。' })[language];
    channel.sessions.health = { status: 'dead', reason };
    hostOf(channel).reportHealth({ status: 'dead', reason });
    for (const seconds of [5, 60]) await clock.passes(seconds * 1000);
    const retried = healthWords.zh.retried({ reason: reason('zh') });
    await other.sees(healthWords.zh.channelNeedsYou({ channel: 'test', reason: retried }));
    await other.ask('/status', reason('zh'));
  });

  test.each([
    { others: [], ends: [refusal.reason] },
    { others: [{ name: 'other' }], ends: [] },
  ])('at the start, twice, ends the process if nobody else lives: $ends', async ({ others, ends }) => {
    const setting = await daemonSetting({ moreChannels: others });
    await setting.stop();
    setting.channel.sessions.health = refusal;
    await setting.start();
    expect(setting.endings).toEqual([]);
    await setting.clock.passes(5_000);
    await started(setting.channel, 3);
    await setting.clock.waitsFor(60_000);
    expect(setting.endings).toEqual(ends);
  });

  test('after it was connected does not end the process', async () => {
    const { channel, clock, endings } = await daemonSetting();
    channel.sessions.health = refusal;
    hostOf(channel).reportHealth(refusal);
    for (const seconds of [5, 60, 300]) await clock.passes(seconds * 1000);
    await started(channel, 4);
    expect(endings).toEqual([]);
  });

  test('and that cannot be started is tried again as well', async () => {
    const { channel, clock } = await daemonSetting();
    channel.sessions.onStart = async () => {
      throw new Error('no such host');
    };
    hostOf(channel).reportHealth(refusal);
    for (const seconds of [5, 60, 300, 900]) await clock.passes(seconds * 1000);
    await started(channel, 5);
  });

  test('is left to itself once it says that it tries by itself', async () => {
    const { channel, clock } = await daemonSetting();
    channel.sessions.health = { status: 'failing', reason: 'no network' };
    hostOf(channel).reportHealth(refusal);
    await clock.passes(5_000);
    await started(channel, 2);
    const stops = stopsOf(channel);
    for (let minutes = 0; minutes < 60; minutes += 1) clock.advance(60_000);
    expect(stops.count).toBe(0);
  });

  test('a channel that fails for half an hour is told to the owner on another one, once', async () => {
    const { channel, other, clock } = await ownerOnTwo();
    const fails = (): void => hostOf(channel).reportHealth({ status: 'failing', reason: 'no network' });
    fails();
    clock.advance(1_799_999);
    fails();
    expect(warnings(other)).toEqual([]);
    for (const milliseconds of [1, 60_000]) {
      clock.advance(milliseconds);
      fails();
    }
    await other.sees('⚠️ The channel `test` needs you. no network');
    hostOf(channel).reportHealth({ status: 'connected' });
    await other.sees('✅ The channel `test` works again, after 31 min.');
    expect(warnings(other)).toHaveLength(1);
  });

  test('of two channels that are refused, the one that works again tells of the other', async () => {
    const { channel, other, clock } = await ownerOnTwo();
    for (const one of [channel, other]) {
      one.sessions.health = refusal;
      hostOf(one).reportHealth(refusal);
    }
    await clock.passes(5_000);
    await started(channel, 2);
    await started(other, 2);
    other.sessions.health = { status: 'connected' };
    await clock.passes(60_000);
    await other.sees('works again');
    await other.sees('⚠️ The channel `test` needs you.');
  });

  test('a channel that an edit has removed is not told of again when another one works', async () => {
    const { setting, channel, other } = await ownerOnTwo();
    hostOf(channel).reportHealth({ status: 'failing', reason: 'no rights', needsOwner: true });
    await other.sees('⚠️ The channel `test` needs you.');
    hostOf(other).reportHealth({ status: 'failing', reason: 'no rights', needsOwner: true });
    await other.sees('⚠️ The channel `other` needs you.');
    await setting.edit({}, { gone: ['test'] });
    hostOf(other).reportHealth({ status: 'connected' });
    await other.sees('✅ The channel `other` works again');
    await other.whenIdle();
    expect(warnings(other).filter((text) => text.includes('`test`'))).toHaveLength(1);
  });
});

test('a channel that needs its owner says so in its own chats too, once, and when it is well', async () => {
  const { channel } = await daemonSetting();
  await channel.ask('hello', 'echo: hello');
  const contested = { status: 'failing', reason: 'Another process receives.', needsOwner: true } as const;
  for (let times = 0; times < 3; times += 1) hostOf(channel).reportHealth(contested);
  await channel.sees('⚠️ The channel `test` needs you. Another process receives.');
  hostOf(channel).reportHealth({ status: 'connected' });
  await channel.sees('✅ The channel `test` works again');
  expect(channel.screen.filter(({ text }) => text.includes('needs you'))).toHaveLength(1);
});

describe('the end of the process', () => {
  test('does not wait for a deaf channel that does not stop, and does not start it again', async () => {
    const { setting, channel, clock } = await watchedSetting();
    channel.sessions.onStop = never;
    clock.advance(limit);
    await clock.waitsFor(5_000);
    const stopped = setting.stop();
    await clock.passes(3_000);
    await stopped;
    expect(channel.sessions.hosts).toHaveLength(1);
    expect(clock.waits).toEqual([]);
  });

  test('ends a channel that is just being started again', async () => {
    const { setting, channel, clock } = await watchedSetting();
    const stops = stopsOf(channel);
    channel.sessions.onStart = never;
    clock.advance(limit);
    await started(channel, 2);
    await setting.stop();
    expect(stops.count).toBe(2);
    expect(clock.waits).toEqual([]);
  });

  test('comes also when a channel fails to stop', async () => {
    const setting = await watchedSetting();
    setting.channel.sessions.onStop = async () => {
      throw new Error('the socket is gone');
    };
    await setting.stop();
    setting.channel.sessions.onStop = async () => {};
    await setting.start();
    await setting.channel.ask('hello', 'echo: hello');
  });

  test('leaves no watch behind', async () => {
    const setting = await watchedSetting();
    expect(setting.clock.waits).toContain(limit);
    await setting.stop();
    expect(setting.clock.waits).toEqual([]);
  });
});

test('/status tells since when a channel is connected, and when it was last heard from', async () => {
  const { channel, clock } = await watchedSetting();
  for (let seconds = 0; seconds < 3 * 3600; seconds += 45) {
    clock.advance(heartbeat);
    hostOf(channel).reportHealth({ status: 'connected', account: '@keys' });
  }
  clock.advance(4_000);
  await channel.ask('/status details', '- test: connected as @keys, for 3 h, last heard from 4 s ago');
});

function board(): { readonly board: HealthBoard; readonly clock: ManualClock; readonly lines: readonly object[] } {
  const clock = new ManualClock(0);
  const lines: object[] = [];
  const write = (level: string) => (fields: object, message: string) => lines.push({ level, message, ...fields });
  const log: Log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  };
  return { board: createHealthBoard({ clock, log }), clock, lines };
}

describe('what is known of a channel', () => {
  test('is since when it is so, and when that was last said', () => {
    const { board: health, clock } = board();
    health.report('test', { status: 'connected' });
    clock.advance(1000);
    health.report('test', { status: 'connected', account: '@keys' });
    expect(health.of('test')).toEqual({
      name: 'test',
      health: { status: 'connected', account: '@keys' },
      since: 0,
      heardAt: 1000,
    });
  });

  test('is logged when it changes, with what was before and since when, and not when it is only repeated', () => {
    const { board: health, clock, lines } = board();
    health.report('test', { status: 'connected' });
    clock.advance(60_000);
    health.report('test', { status: 'connected' });
    for (let times = 0; times < 2; times += 1)
      health.report('test', {
        status: 'failing',
        reason: (language) => ({ en: 'no network', zh: '没有网络' })[language],
      });
    expect(lines).toEqual([
      { level: 'info', message: 'channel connected', channel: 'test', status: 'connected' },
      {
        level: 'warn',
        message: 'channel failing',
        channel: 'test',
        status: 'failing',
        reason: 'no network',
        before: 'connected',
        beforeSince: '1970-01-01T00:00:00.000Z',
      },
    ]);
  });
});

describe('waiting for all channels to be connected', () => {
  test('ends with the last one, and does not wait for one that is shut out', async () => {
    const { board: health } = board();
    let isOver = false;
    for (const name of ['one', 'two', 'three']) health.report(name, { status: 'connecting' });
    const over = health.whenConnected().then(() => {
      isOver = true;
    });
    health.report('one', { status: 'connected' });
    health.report('two', { status: 'dead', reason: 'the token was revoked' });
    await Promise.resolve();
    expect(isOver).toBe(false);
    health.report('three', { status: 'connected' });
    await over;
  });
});
