import { describe, expect, test } from 'vitest';
import { approvalWords } from '../../src/approval/words.ts';
import { statusWords } from '../../src/conversation/commands/reports/words.ts';
import { healthWords } from '../../src/conversation/health/words.ts';

import { ModelError } from '../../src/models/language-model.ts';
import { askedSetting, deploySetting } from '../engine/deploy-setting.ts';
import { type DaemonSettingOptions, daemonSetting, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { modelWaits } from '../support/model-waits.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { anything, saying, sayingOnly } from '../support/saying.ts';
import { call } from '../support/scripted-model.ts';
import { knock } from './pairing-setting.ts';

const minute = 60_000;
const hour = 60 * minute;
/** What follows the last late message, before owners are told. */
const quiet = 2_000;

/** When it is 22:13 UTC on 14 Nov 2023: the time, half an hour later, and the day. */
const zones = [
  ['Asia/Shanghai', '06:13', '06:43', '15 Nov 2023'],
  ['America/New_York', '17:13', '17:43', '14 Nov 2023'],
  ['Asia/Kolkata', '03:43', '04:13', '15 Nov 2023'],
  ['Pacific/Kiritimati', '12:13', '12:43', '15 Nov 2023'],
] as const;

/** The config knows where Ada is. */
const adaIn = (timeZone: string) => ({ people: { ada: { accounts: ['test:ada'], time_zone: timeZone } } });

/** Two owners, in Shanghai and New York. */
const two = {
  owners: ['test:ada', 'test:bob'],
  people: {
    ada: { accounts: ['test:ada'], time_zone: 'Asia/Shanghai' },
    bob: { accounts: ['test:bob'], time_zone: 'America/New_York' },
  },
};

const unreachable = (): never => {
  throw new ModelError('transient', 'It is overloaded.');
};

/** That the daemon was away for so long, from then until then. */
function away(time: string, from: string, until: string): RegExp {
  return saying(healthWords.en.away({ time, from, until }));
}

/** That the deployment still waits for a decision, until then. */
function stillWaiting(time: string): RegExp {
  return saying(approvalWords.en.stillWaiting({ what: anything, time: `<time datetime="${anything}">${time}</time>` }));
}

describe.each(zones)('somebody in %s reads by their clock', (timeZone, time, later, day) => {
  const config = adaIn(timeZone);

  test('/status, until when a card is open and a permission holds, and when it was given', async () => {
    const { channel, card } = await askedSetting({ config, answers: ['deployed'] });
    await channel.whenIdle();
    const { text } = await channel.ask('/status', 'is up for');
    expect(text).toContain(`Model: scripted, answered ${time}.`);
    const line = statusWords.en.waitingLine({ what: anything, until: later, conversationIds: undefined });
    expect(text.split('\n\n').at(-1)).toMatch(sayingOnly(statusWords.en.waiting({ lines: [`1. ${line}`] })));
    await channel.press(buttonOf(card, '15 min'));
    await channel.sees(new RegExp(`^✅ .* allowed it at .*>${time}<.*, and `));
    const hourAndMinute = later.split(':').map(Number);
    const until = new Date(Date.UTC(2000, 0, 1, hourAndMinute[0], (hourAndMinute[1] ?? 0) - 15)).toISOString();
    await channel.ask('/grants', `until ${until.slice(11, 16)}`);
  });

  test('how long a model and a decision are waited for', async () => {
    const { channel, model, clock } = await deploySetting({ config });
    await channel.ask('hello', 'echo: hello');
    model.otherwise(unreachable);
    await channel.askAtRest('and now?', modelWaits('It is overloaded.', later));
    await channel.ask('/status', `since ${time}: It is overloaded.`);
    await channel.ask('/stop', 'Stopped');
    model.next([call('deploy', { what: 'site' })]);
    await channel.cardFor('deploy the site');
    await channel.whenIdle();
    await clock.passes(15 * minute);
    await channel.sees(stillWaiting(later));
  });

  test('the days of people and edits', async () => {
    const setting = await daemonSetting({ config });
    const { channel } = setting;
    await channel.ask('/config', `since ${day}, ${time}, when I started`);
    await channel.ask(`/pair ${await knock(channel, 'eve')}`, 'Let in');
    await channel.ask('/people', `since ${day}`);
    await setting.edit({ ...config, agent: { max_turns: 40 } });
    await channel.ask('/config', `- ${day}, ${time}: `);
  });

  test('how long nobody was there', async () => {
    const setting = await daemonSetting({ config });
    await setting.channel.ask('hello', 'echo: hello');
    await setting.stop();
    setting.clock.advance(2 * hour);
    await setting.start();
    await setting.clock.passes(quiet);
    await setting.channel.sees(away('2 h', time, anything));
  });

  test('when a message was written that comes late', async () => {
    const { channel, clock } = await daemonSetting({ config });
    await channel.ask('hello', 'echo: hello');
    channel.failNext({ type: 'rate-limited', retryAfter: 25 * minute });
    await channel.say('and now?');
    await clock.waitsFor(15 * minute);
    clock.advance(25 * minute);
    await channel.sees(`Late: written at ${time}, 25 min ago`);
  });
});

describe('readers in several places', () => {
  /** Fred asks, in a chat without approvers: Ada and Bob get the card. */
  async function asked(config: Readonly<Record<string, unknown>> = two) {
    const around = await deploySetting({ allowFrom: ['bob', 'fred'], config });
    for (const by of ['ada', 'bob']) {
      await around.channel.say('hello', { by });
      await around.channel.whenIdle(direct('test', by));
    }
    around.model.next([call('deploy', { what: 'site' })], 'deployed');
    const card = await around.channel.cardFor('deploy', { by: 'fred', at: 'test:ada' });
    return { ...around, card };
  }

  test('read of one decision at their own times, each in their chat', async () => {
    const { channel, card } = await asked();
    await channel.press(card);
    await channel.sees(/^✅ .* allowed it at .*>06:13<.*: /i, 'test:ada');
    await channel.sees(/^✅ .* allowed it at .*>17:13<.*: /i, 'test:bob');
  });

  test('are reminded by their own clocks', async () => {
    const { channel, clock } = await asked();
    await channel.whenIdle(direct('test', 'bob'));
    await clock.passes(15 * minute);
    await channel.sees(stillWaiting('06:43'), 'test:ada');
    await channel.sees(stillWaiting('17:43'), 'test:bob');
  });

  test('get a card that follows to them with their own times', async () => {
    const around = await deploySetting({ allowFrom: ['bob'], config: two });
    const { channel, model, setting, clock } = around;
    await channel.ask('hello', 'echo: hello', { by: 'bob', at: 'test:bob' });
    model.next([call('deploy', { what: 'site' })], 'deployed');
    await channel.cardFor('deploy');
    await channel.whenIdle();
    clock.advance(5 * minute);
    await setting.edit({ ...two, owners: ['test:bob'] });
    await channel.sees(/^↪️ Asked in `test:ada` at 17:13, .*expires .*>17:43</s, 'test:bob');
  });

  test('are both told of the time without a process', async () => {
    const setting = await daemonSetting({ allowFrom: ['bob'], config: two });
    for (const by of ['ada', 'bob']) {
      await setting.channel.say('hello', { by });
      await setting.channel.whenIdle(direct('test', by));
    }
    await setting.stop();
    setting.clock.advance(hour);
    await setting.start();
    await setting.clock.passes(quiet);
    await setting.channel.sees(away('1 h', '06:13', '07:13'), 'test:ada');
    await setting.channel.sees(away('1 h', '17:13', '18:13'), 'test:bob');
  });
});

describe('a group reads by', () => {
  const inTeam = { in: group, at: 'test:team' };
  const answered = async (options: DaemonSettingOptions) => {
    const { channel } = await daemonSetting(options);
    await channel.ask('hello', 'echo: [Ada] hello', inTeam);
    const { text } = await channel.ask('/status', 'is up for', inTeam);
    return / answered ([^.]*)/.exec(text)?.[1];
  };
  const groups = { team: { time_zone: 'Asia/Tokyo' } };

  test('the zone that the config has for it, not by that of the one who asks', async () => {
    const config = { ...adaIn('America/New_York'), channels: { test: { groups } } };
    expect(await answered({ config })).toBe('07:13');
  });

  test('the usual zone, which is named there, since its members may be elsewhere', async () => {
    const config = { ...adaIn('America/New_York'), tools: { schedule: { time_zone: 'Asia/Tokyo' } } };
    expect(await answered({ config })).toBe('07:13 GMT+9');
  });
});

describe('a person reads by', () => {
  const answered = async (options: DaemonSettingOptions, timeZone?: string) => {
    const { channel } = await daemonSetting(options);
    await channel.ask('hello', 'echo: hello', { timeZone });
    const { text } = await channel.ask('/status', 'is up for', { timeZone });
    return / answered ([^.]*)/.exec(text)?.[1];
  };

  test('the usual zone without its name', async () => {
    expect(await answered({ config: { tools: { schedule: { time_zone: 'Asia/Tokyo' } } } })).toBe('07:13');
  });

  test('the zone that their platform tells', async () => {
    expect(await answered({}, 'Europe/London')).toBe('22:13');
    expect(await answered({}, 'Australia/Eucla')).toBe('06:58');
  });

  test('the zone that they have set, from the next text on', async () => {
    const { channel } = await daemonSetting({});
    await channel.ask('hello', 'echo: hello', { timeZone: 'Europe/London' });
    await channel.ask('/timezone Beijing', 'Asia/Shanghai');
    await channel.ask('/status', 'answered 06:13.');
    await channel.ask('/timezone off', 'Forgotten');
    await channel.ask('/status', 'answered 22:13.');
  });
});

test('in the hour that occurs twice, the time says which one it is', async () => {
  const { channel, model, clock } = await daemonSetting({ config: adaIn('Europe/Berlin') });
  await channel.ask('hello', 'echo: hello');
  clock.advance(Date.UTC(2024, 9, 27, 0, 10) - clock.now());
  await channel.ask('hello again', 'echo: hello again');
  model.otherwise(unreachable);
  await channel.askAtRest('and now?', modelWaits('It is overloaded.', '02:40 GMT+2'));
  await channel.ask('/stop', 'Stopped');
  clock.advance(hour);
  await channel.askAtRest('and then?', modelWaits('It is overloaded.', '02:40 GMT+1'));
  await channel.ask('/stop', 'Stopped');
  clock.advance(hour);
  await channel.askAtRest('and later?', modelWaits('It is overloaded.', '03:40'));
});
