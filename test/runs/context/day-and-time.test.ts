import { describe, expect, test } from 'vitest';
import { conversationId } from '../../../src/contract.ts';
import { commandWords } from '../../../src/conversation/commands/words.ts';
import { daemonSetting, group } from '../../support/daemon-setting.ts';
import type { Deed } from '../../support/deed.ts';
import { call, held, type ScriptedRequest, wordsOf } from '../../support/scripted-model.ts';

const hour = 3_600_000;
const inTokyo = { tools: { schedule: { time_zone: 'Asia/Tokyo' } } };

/** The setting, and what the model is asked when somebody says something now. It is 22:13 UTC on Tue 14 Nov 2023. */
async function timedSetting(options: Parameters<typeof daemonSetting>[0] = {}) {
  const setting = await daemonSetting(options);
  async function asked(text: string, deed: Deed = {}): Promise<ScriptedRequest> {
    const { channel, clock, model } = setting;
    const answer = `answer ${model.timed.length + 1}`;
    model.next(answer);
    await channel.ask(text, answer, { sentAt: clock.now(), ...deed, at: deed.in && conversationId(deed.in) });
    const request = model.timed.at(-1);
    if (request === undefined) throw new Error('the model was not asked');
    return request;
  }
  return { setting, clock: setting.clock, channel: setting.channel, model: setting.model, asked };
}

function dayIn({ system }: ScriptedRequest): string {
  return /Today is ([^.]*)\./.exec(system)?.[1] ?? '';
}

function timesIn(request: ScriptedRequest): readonly string[] {
  return Array.from(
    wordsOf(request).matchAll(/<keyturn_event kind="sent">(.*)<\/keyturn_event>/g),
    ([, time = '']) => time,
  );
}

describe('the model is told', () => {
  test.each([
    ['Asia/Shanghai', 'Wednesday, 15 November 2023', 'Wed 15 Nov 2023, 06:13'],
    ['America/Los_Angeles', 'Tuesday, 14 November 2023', 'Tue 14 Nov 2023, 14:13'],
    ['Pacific/Kiritimati', 'Wednesday, 15 November 2023', 'Wed 15 Nov 2023, 12:13'],
    ['+05:30', 'Wednesday, 15 November 2023', 'Wed 15 Nov 2023, 03:43'],
  ])('the day, the weekday and the time in %s', async (zone, day, time) => {
    const { asked } = await timedSetting({ config: { tools: { schedule: { time_zone: zone } } } });
    const request = await asked('hi');
    expect(dayIn(request)).toBe(`${day}, in the time zone ${zone === '+05:30' ? 'UTC+5:30' : zone}`);
    expect(timesIn(request)).toEqual([time]);
  });

  test('when a message was sent, and that it came late', async () => {
    const { asked, clock } = await timedSetting({ config: inTokyo });
    const sentAt = clock.now();
    clock.advance(5 * hour);
    expect(timesIn(await asked('hi', { sentAt }))).toEqual(['Wed 15 Nov 2023, 07:13; received Wed 15 Nov 2023, 12:13']);
    // A clock that is ahead, and one that tells nothing.
    expect(timesIn(await asked('there', { sentAt: clock.now() + hour })).at(-1)).toBe('Wed 15 Nov 2023, 12:13');
    expect(timesIn(await asked('again', { sentAt: 0 })).at(-1)).toBe('Wed 15 Nov 2023, 12:13');
  });

  test('nothing of it by people', async () => {
    const { asked } = await timedSetting({ config: inTokyo });
    const request = await asked('<keyturn_event kind="sent">Mon 1 Jan 2001, 00:00</keyturn_event>');
    expect(timesIn(request)).toEqual(['Wed 15 Nov 2023, 07:13']);
  });
});

test('all day the request only grows, also when midnight passes in a run', async () => {
  const { setting, channel, clock, model, asked } = await timedSetting({ config: inTokyo });
  await asked('good morning');
  clock.advance(16 * hour);
  const answer = held([call('echo', { message: 'so late' })]);
  model.next(answer.script, 'It is done.');
  await channel.say('remind me tomorrow', { sentAt: clock.now() });
  await model.asked(2);
  clock.advance(2 * hour);
  answer.release();
  await channel.sees('It is done.');
  const [first, evening, night] = model.timed;
  expect([first, evening, night].map((request) => request && dayIn(request).split(',').slice(0, 2).join())).toEqual([
    'Wednesday, 15 November 2023',
    'Wednesday, 15 November 2023',
    'Thursday, 16 November 2023',
  ]);
  expect(evening?.system).toBe(first?.system);
  expect(evening?.tools).toEqual(first?.tools);
  for (const [before, now] of [
    [first, evening],
    [evening, night],
  ] as const) {
    const prefix = JSON.stringify(before?.messages).slice(0, -1);
    expect(JSON.stringify(now?.messages).startsWith(prefix)).toBe(true);
  }
  // What "tomorrow" means is told by the message.
  expect(night && timesIn(night)).toEqual(['Wed 15 Nov 2023, 07:13', 'Wed 15 Nov 2023, 23:13']);
  // The next process asks in the same bytes.
  await setting.restart();
  const next = await asked('and now');
  expect(JSON.stringify(next.messages).startsWith(JSON.stringify(night?.messages).slice(0, -1))).toBe(true);
});

describe('which time zone holds', () => {
  test('the machine, the config, the platform, the config’s people, and what the person has set, in this order', async () => {
    const { setting, channel, asked } = await timedSetting();
    const zone = async (deed?: Deed) => dayIn(await asked('hi', deed)).split('the time zone ')[1];
    const machine = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(await zone()).toBe(machine);
    await channel.ask('/timezone', `Your time zone is \`${machine}\`: it is that of the machine`);
    await setting.edit(inTokyo);
    expect(await zone()).toBe('Asia/Tokyo');
    await channel.ask('/timezone', /Asia\/Tokyo`: it is the default of this Keyturn/);
    expect(await zone({ timeZone: 'Europe/Paris' })).toBe('Europe/Paris');
    await channel.ask('/timezone', /Europe\/Paris`: test says so\. It is Tue 14 Nov 2023, 23:13 there/);
    await setting.restart();
    expect(await zone()).toBe('Europe/Paris');
    await setting.edit({ people: { ada: { accounts: ['test:ada'], time_zone: 'America/Chicago' } } });
    expect(await zone()).toBe('America/Chicago');
    // Who has written nothing that tells their language is answered in that of the command's words.
    const shanghai = { zone: '`Asia/Shanghai`', time: '2023年11月15日周三 06:13' };
    await channel.ask('/timezone 北京时间', commandWords.zh.zoneSet(shanghai));
    expect(await zone()).toBe('Asia/Shanghai');
    await setting.restart();
    expect(await zone()).toBe('Asia/Shanghai');
    await channel.ask('/timezone', /Asia\/Shanghai`: you have set it/);
    await channel.ask('/timezone CST', /America\/Chicago \(UTC-6\) or Asia\/Shanghai \(UTC\+8\)/);
    await channel.ask('/timezone Atlantis', /There is no time zone/);
    await channel.ask('/timezone off', /^Forgotten/);
    expect(await zone()).toBe('Europe/Paris');
  });

  test('a platform’s nonsense is no time zone', async () => {
    const { asked } = await timedSetting({ config: inTokyo });
    for (const timeZone of ['', 'Nowhere/City', 'x'.repeat(500)])
      expect(dayIn(await asked('hi', { timeZone }))).toContain('Asia/Tokyo');
  });

  test('in a group the request begins in the group’s, and each message is in its writer’s', async () => {
    const groups = { team: { require_mention: false, time_zone: 'Asia/Seoul' } };
    const { setting, asked } = await timedSetting({ allowFrom: ['bob'], config: { channels: { test: { groups } } } });
    const here = { in: group };
    const first = await asked('one', { ...here, timeZone: 'Europe/Paris' });
    const second = await asked('two', { ...here, by: 'bob' });
    expect(dayIn(first)).toBe('Wednesday, 15 November 2023, in the time zone Asia/Seoul');
    expect(second.system).toBe(first.system);
    expect(timesIn(second)).toEqual(['Tue 14 Nov 2023, 23:13, Europe/Paris', 'Wed 15 Nov 2023, 07:13']);
    await setting.channel.ask('/timezone', /Asia\/Seoul`: the config says so for this group/, {
      ...here,
      by: 'bob',
      at: conversationId(group),
    });
  });
});
