import { describe, expect, test } from 'vitest';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { ScriptedModel } from '../support/scripted-model.ts';

const config = { tools: { schedule: { time_zone: 'UTC' } } };

describe('/usage', () => {
  test('says that nothing was used', async () => {
    const { channel } = await daemonSetting({ config });
    const { text } = await channel.ask('/usage', 'Used today');
    expect(text).toBe(
      ['Used today:', '- In this conversation: 0 tokens', '- For you: 0 tokens', '- For all: 0 tokens'].join('\n'),
    );
  });

  test('tells an owner of the conversation, themselves and all, by model', async () => {
    const other = new ScriptedModel('other');
    other.usage = { inputTokens: 4000, outputTokens: 1000, cost: 27_000, model: 'other' };
    const { channel, model } = await daemonSetting({ config, allowFrom: ['bob'], moreModels: { other } });
    model.usage = { inputTokens: 90, outputTokens: 10, cost: 1_500_000 };
    await channel.ask('one', 'echo: one');
    await channel.say('/model other', { in: group });
    await channel.ask('two', 'echo: [Ada] two', { in: group });
    await channel.ask('three', 'echo: three', { by: 'bob' });
    const { text } = await channel.ask('/usage', 'Used today');
    expect(text.split('\n')).toEqual([
      'Used today:',
      '- In this conversation: 100 tokens, 1.50 in money (scripted)',
      '- For you: 5,100 tokens, 1.53 in money',
      '  - other: 5,000 tokens, 0.027 in money',
      '  - scripted: 100 tokens, 1.50 in money',
      '- For all: 5,200 tokens, 3.03 in money',
      '  - other: 5,000 tokens, 0.027 in money',
      '  - scripted: 200 tokens, 3.00 in money',
    ]);
  });

  test('tells others of themselves alone, with the bounds that hold for them', async () => {
    const budget = { tokens_per_run: 5000, money_per_run: 0.5, tokens_per_person_per_day: 1000, money_per_day: 20 };
    const { channel, model } = await daemonSetting({ config: { ...config, budget }, allowFrom: ['bob'] });
    model.usage = { inputTokens: 90, outputTokens: 10 };
    await channel.ask('one', 'echo: one');
    await channel.ask('two', 'echo: two', { by: 'bob' });
    const { text } = await channel.ask('/usage', 'Used today', { by: 'bob', at: 'test:bob' });
    expect(text.split('\n')).toEqual([
      'Used today:',
      '- In this conversation: 100 tokens (scripted)',
      '- For you: 100 of 1,000 tokens (scripted)',
      '',
      'Answering one message may take 5,000 tokens and 0.50 before I ask.',
    ]);
  });

  test('starts over with the day of the time zone that the config names', async () => {
    // The clock of the setting stands at 22:13 UTC.
    const zone = { tools: { schedule: { time_zone: 'Asia/Tokyo' } } };
    const { channel, model, clock, setting } = await settingIn(zone);
    model.usage = { inputTokens: 90, outputTokens: 10 };
    await channel.ask('one', 'echo: one');
    expect(setting.rows('SELECT day FROM spending')).toEqual([{ day: '2023-11-15' }]);
    clock.advance(17 * 3_600_000);
    await channel.ask('/usage', '- For you: 0 tokens');
  });

  test('counts answers that were not kept', async () => {
    const { channel, model, setting } = await settingIn(config);
    model.usage = { inputTokens: 90, outputTokens: 10 };
    model.next([]);
    await channel.askAtRest('one', 'The model gave an empty answer');
    expect(setting.rows('SELECT tokens FROM spending')).toEqual([{ tokens: 100 }]);
  });
});

async function settingIn(config: Readonly<Record<string, unknown>>) {
  const setting = await daemonSetting({ config });
  const { channel, model, clock } = setting;
  return { setting, channel, model, clock };
}
