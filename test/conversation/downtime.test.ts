import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../src/contract.ts';
import { downtimeWords, type LateMessages } from '../../src/conversation/health/downtime.ts';
import { healthWords } from '../../src/conversation/health/words.ts';
import type { Reader } from '../../src/lib/time-words.ts';
import { deploySetting } from '../engine/deploy-setting.ts';
import { type DaemonSetting, daemonSetting, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { RecordingTool, untilStopped } from '../support/recording-tool.ts';
import { anything, saying, sayingOnly } from '../support/saying.ts';
import { call, held } from '../support/scripted-model.ts';
import { waitUntil } from '../support/wait-for.ts';

const hours = 3_600_000;
const quiet = 2_000;
const team = { ...group, title: 'Team' };

/** That the daemon was away for so long, whenever that was. */
function awayFor(time: string): string {
  return healthWords.en.away({ time, from: anything, until: anything });
}

/** A daemon that is stopped for so long. Ada, the owner, has talked with it before. */
async function away(milliseconds: number, setting?: DaemonSetting): Promise<DaemonSetting> {
  const talked = setting ?? (await daemonSetting({ allowFrom: ['bob'] }));
  if (setting === undefined) await greet(talked);
  await talked.stop();
  talked.clock.advance(milliseconds);
  await talked.start();
  return talked;
}

async function greet({ channel }: DaemonSetting): Promise<void> {
  await channel.askAtRest('good morning', 'echo: good morning');
}

/** Lets the time pass that follows the last late message. */
async function nothingMoreComes({ clock }: DaemonSetting): Promise<void> {
  await clock.passes(quiet);
}

/** Resolves when it was decided whom to tell. */
function told(setting: DaemonSetting): Promise<unknown> {
  return waitUntil(() => setting.rows('SELECT away_seq AS seq FROM lifetime')[0]?.seq === null, {
    what: 'the telling',
  });
}

function notices(setting: DaemonSetting): readonly unknown[] {
  const sql = `SELECT conversation_id AS id FROM outbox WHERE kind = 'notice' ORDER BY seq`;
  return setting.rows(sql).map(({ id }) => id);
}

describe('an owner is told', () => {
  test('how long the daemon was away, once', async () => {
    const setting = await away(2 * hours + 5 * 60_000);
    await nothingMoreComes(setting);
    const { text } = await setting.channel.sees(sayingOnly(awayFor('2 h 5 min')));
    // The machine's zone decides which days it were, and whether that zone is named.
    expect(text).toMatch(/ (\d+ \w+ 2023, )?\d\d:\d\d( UTC)? .* (\d+ \w+ 2023, )?\d\d:\d\d( UTC)?\.$/);
    await setting.restart();
    expect(setting.clock.waits).not.toContain(quiet);
    expect(notices(setting)).toEqual(['test:ada']);
  });

  test('what the platforms kept meanwhile, and nothing of what came later', async () => {
    const { setting, channel, clock } = await away(3 * hours);
    const sentAt = clock.now() - hours;
    for (const words of ['one', 'two', 'three']) await channel.say(words, { by: 'bob', sentAt });
    await channel.say('hey', { in: team, sentAt });
    await channel.say('I am new here', { by: 'bob', sentAt: clock.now() });
    await nothingMoreComes(setting);
    await nothingMoreComes(setting);
    const { text } = await channel.sees(saying(awayFor('3 h')));
    expect(text.split('\n\n')).toEqual([
      expect.stringMatching(sayingOnly(healthWords.en.withTakenUp({ first: awayFor('3 h') }))),
      '- 3 messages from `Bob`\n- 1 message in the group `Team`',
    ]);
  });

  test('what the former process had taken in and not answered', async () => {
    const setting = await daemonSetting();
    await greet(setting);
    setting.model.next(held('never').script);
    await setting.channel.say('one');
    await setting.model.asked(2);
    await setting.channel.say('two');
    await away(hours, setting);
    await nothingMoreComes(setting);
    await setting.channel.sees('- 2 messages from `Ada`');
  });

  test('of a message once that its sender has changed before it was answered', async () => {
    const setting = await daemonSetting();
    await greet(setting);
    setting.model.next(held('never').script, held('never').script);
    await setting.channel.say('one', { key: 'm1' });
    await setting.model.asked(2);
    setting.clock.advance(1000);
    await away(hours, setting);
    await setting.channel.change('m1', 'one and a half');
    await nothingMoreComes(setting);
    const { text } = await setting.channel.sees(saying(awayFor('1 h')));
    expect(text).toContain('- 1 message from `Ada`');
  });

  test('of a message whose call was under way when the process ended', async () => {
    const slow = new RecordingTool('slow', 'memory', untilStopped);
    const { setting, model, channel, clock } = await deploySetting({}, slow);
    model.next([call('slow', { what: 'work' })]);
    await channel.say('work');
    await slow.ran(1);
    const stopped = setting.stop();
    await clock.passes(2_500);
    await stopped;
    await away(hours, setting);
    await nothingMoreComes(setting);
    await channel.sees('- 1 message from `Ada`');
  });

  test('nothing of a message that only waits for a decision', async () => {
    const { setting, model, channel } = await deploySetting();
    model.next([call('deploy', { what: 'site' })]);
    await channel.say('deploy');
    await channel.card();
    await channel.whenIdle();
    await away(hours, setting);
    await nothingMoreComes(setting);
    await channel.sees(sayingOnly(awayFor('1 h')));
  });

  test('in one chat, however many threads they have there', async () => {
    const setting = await daemonSetting();
    for (const threadId of ['1', '2']) await setting.channel.say('hello', { in: { ...direct('test'), threadId } });
    await greet(setting);
    await away(hours, setting);
    await nothingMoreComes(setting);
    await setting.channel.sees(saying(awayFor('1 h')));
    expect(notices(setting)).toEqual(['test:ada']);
  });

  test('by the next process, if one ended before it could tell', async () => {
    const setting = await away(2 * hours);
    await setting.channel.say('late', { sentAt: setting.clock.now() - hours });
    await setting.clock.waitsFor(quiet);
    await away(10_000, setting);
    await nothingMoreComes(setting);
    const { text } = await setting.channel.sees(saying(healthWords.en.withTakenUp({ first: awayFor('2 h') })));
    expect(text).toContain('- 1 message from `Ada`');
  });

  test('of two absences together, if there was no time to tell of the first', async () => {
    const setting = await away(2 * hours);
    await setting.clock.waitsFor(quiet);
    await away(hours, setting);
    await nothingMoreComes(setting);
    await setting.channel.sees(saying(awayFor('3 h')));
    expect(notices(setting)).toEqual(['test:ada']);
  });
});

describe('an owner is told only when all is there', () => {
  test('when no more late messages come', async () => {
    const { setting, channel, clock } = await away(hours);
    const sentAt = clock.now() - 1000;
    await clock.waitsFor(quiet);
    await channel.say('one', { sentAt });
    clock.advance(quiet);
    await clock.waitsFor(quiet);
    await channel.say('two', { sentAt });
    await nothingMoreComes(setting);
    await nothingMoreComes(setting);
    await channel.sees('- 2 messages from `Ada`');
  });

  test('or after 30 s, if they do not end', async () => {
    const { channel, clock } = await away(hours);
    const sentAt = clock.now() - 1000;
    for (let seconds = 0; seconds < 30; seconds += 2) {
      await clock.waitsFor(quiet);
      await channel.say(`after ${seconds} s`, { sentAt });
      clock.advance(quiet);
    }
    await channel.sees('- 15 messages from `Ada`');
  });

  const other = { name: 'other' };

  test('when all channels are connected', async () => {
    const setting = await daemonSetting({ moreChannels: [other] });
    await greet(setting);
    failAtStart(setting);
    await away(hours, setting);
    await setting.clock.waitsFor(60_000);
    expect(setting.clock.waits).not.toContain(quiet);
    setting.channel.sessions.hosts.at(-1)?.reportHealth({ status: 'connected' });
    await nothingMoreComes(setting);
    await setting.channel.sees(saying(awayFor('1 h')));
    expect(setting.clock.waits).not.toContain(60_000);
  });

  test('or after 60 s, if one does not come', async () => {
    const setting = await daemonSetting({ moreChannels: [other] });
    await greet(setting);
    failAtStart(setting);
    await away(hours, setting);
    await setting.clock.passes(60_000);
    await nothingMoreComes(setting);
    await setting.channel.sees(saying(awayFor('1 h')));
  });

  /** The first channel fails as soon as the second one starts. */
  function failAtStart({ channels: [first, second] }: DaemonSetting): void {
    if (first === undefined || second === undefined) throw new Error('there are not two channels');
    second.sessions.onStart = async () => {
      first.sessions.hosts.at(-1)?.reportHealth({ status: 'failing', reason: 'no network' });
    };
  }
});

describe('nobody is told', () => {
  test('at the very first start', async () => {
    const setting = await daemonSetting();
    expect(setting.clock.waits).not.toContain(quiet);
  });

  test('after five minutes, unless the config says so', async () => {
    const setting = await away(300_000);
    expect(setting.clock.waits).not.toContain(quiet);
    await setting.stop();
    setting.clock.advance(300_000);
    await setting.start({ delivery: { downtime_after_secs: 299 } });
    await nothingMoreComes(setting);
    await setting.channel.sees(saying(awayFor('5 min')));
  });

  test('if the config says never', async () => {
    const setting = await away(1000);
    await setting.stop();
    setting.clock.advance(100 * hours);
    await setting.start({ delivery: { downtime_after_secs: 0 } });
    expect(setting.clock.waits).not.toContain(quiet);
  });

  test('who is no owner, or in a group', async () => {
    const setting = await daemonSetting({ allowFrom: ['bob'] });
    await setting.channel.say('hello', { by: 'bob' });
    await setting.channel.ask('hello', 'hello', { in: team, at: 'test:team' });
    await setting.channel.whenIdle(team);
    await away(hours, setting);
    await nothingMoreComes(setting);
    await told(setting);
    expect(notices(setting)).toEqual([]);
  });

  test('where people see only what is said while they are there', async () => {
    const setting = await daemonSetting({ channel: { capabilities: { history: false } } });
    await greet(setting);
    await away(hours, setting);
    await nothingMoreComes(setting);
    await told(setting);
    expect(notices(setting)).toEqual([]);
  });
});

test('an owner with several accounts is told of a time away once, where they were heard last', async () => {
  const people = { Ada: ['test:ada', 'test:ada2'] };
  const setting = await daemonSetting({ config: { owners: ['test:ada'], people } });
  await greet(setting);
  setting.clock.advance(1);
  await setting.channel.say('hello', { by: 'ada2' });
  await setting.channel.whenIdle(direct('test', 'ada2'));
  await away(hours, setting);
  await nothingMoreComes(setting);
  await told(setting);
  expect(setting.rows(`SELECT conversation_id AS id FROM outbox WHERE kind = 'notice'`)).toEqual([{ id: 'test:ada2' }]);
});

describe('that the process is alive', () => {
  test('is noted every 30 s and when it ends', async () => {
    const { setting, clock } = await daemonSetting();
    const aliveAt = (): unknown => setting.rows('SELECT alive_at AS at FROM lifetime')[0]?.at;
    for (const passed of [30_000, 30_000, 30_000]) {
      clock.advance(passed);
      await waitUntil(() => aliveAt() === clock.now(), { what: 'the note' });
    }
    clock.advance(7_000);
    await setting.stop();
    expect(aliveAt()).toBe(clock.now());
    expect(clock.waits).toEqual([]);
  });

  test('is not noted any more by a process that was killed: its last note counts', async () => {
    const setting = await daemonSetting();
    await greet(setting);
    await setting.stop();
    setting.tamper(`UPDATE lifetime SET alive_at = ${setting.clock.now() - hours}`);
    await setting.start();
    await nothingMoreComes(setting);
    await setting.channel.sees(saying(awayFor('1 h')));
  });
});

test('the end of the process does not wait until the owners are told', async () => {
  const setting = await away(hours);
  await setting.clock.waitsFor(quiet);
  await setting.stop();
  expect(setting.clock.waits).toEqual([]);
});

test('a channel that was deaf for long before the process ended is told until when it has heard all', async () => {
  const { setting, channel, clock } = await daemonSetting();
  await greet(setting);
  channel.heardAt = clock.now();
  clock.advance(3 * hours);
  await setting.restart();
  expect(channel.leftAt).toBe(clock.now() - 3 * hours);
});

const noon = Date.UTC(2026, 2, 9, 4, 0);
const beijing: Reader = { timeZone: 'Asia/Shanghai', isNamed: false, language: 'en' };
const span = { from: noon, until: noon + 2 * 3_600_000 };

function from(name: string, count: number, more: Partial<Conversation> = {}): LateMessages {
  return { conversation: { channel: 'test', chatId: name, kind: 'direct', ...more }, name, count };
}

function linesOf(late: readonly LateMessages[]): readonly string[] {
  return downtimeWords(span, late, beijing).split('\n').slice(2);
}

describe('what owners read after a time away', () => {
  test('is the local time, with the day where it is not the same', () => {
    expect(downtimeWords(span, [], beijing)).toBe(healthWords.en.away({ time: '2 h', from: '12:00', until: '14:00' }));
    expect(downtimeWords({ from: noon, until: noon + 14 * 3_600_000 }, [], beijing)).toBe(
      healthWords.en.away({ time: '14 h', from: '9 Mar 2026, 12:00', until: '10 Mar 2026, 02:00' }),
    );
  });

  test('is how many messages of whom, and in which group, the most first', () => {
    const late = [
      from('Bob', 1),
      from('Ada', 2),
      from('Ada', 1, { threadId: '7' }),
      from('Cy', 5, { kind: 'group', title: 'Team' }),
      from('Cy', 1, { kind: 'group' }),
    ];
    expect(linesOf(late)).toEqual([
      '- 5 messages in the group `Team`',
      '- 3 messages from `Ada`',
      '- 1 message from `Bob`',
      '- 1 message in a group',
    ]);
  });

  test('is at most ten lines', () => {
    const ten = Array.from({ length: 10 }, (_, index) => from(`Person ${index}`, 3));
    expect(linesOf(ten)).toHaveLength(10);
    const lines = linesOf([...ten, from('One more', 2), from('Another', 1)]);
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toBe('- 6 messages in 3 other chats');
  });

  test('shows a name as it is, whatever it holds', () => {
    expect(linesOf([from('*Ada*\n[x](http://y)', 1)])).toEqual(['- 1 message from `*Ada* ⏎ [x](http://y)`']);
  });
});
