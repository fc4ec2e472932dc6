import { expect, test } from 'vitest';
import { z } from 'zod';
import { TelegramSetting } from './telegram-setting.ts';

const price = { input_per_million: 1000, output_per_million: 1000 };

test('a budget of money holds when the process is killed: what was spent, what is asked, and what was allowed', async () => {
  await using setting = await TelegramSetting.start({
    modelSettings: { price },
    config: {
      budget: { money_per_run: 1, tokens_per_day: 1_000_000 },
      agent: { max_repeats: 0, burst_ms: 0 },
      approval: { policy: 'always_allow' },
      delivery: { tool_cards: false },
    },
  });
  const { telegram, model, daemon } = setting;
  const chat = setting.newOwner();
  model.onRequest(({ lastUserText }) => lastUserText === 'go', {
    calls: [{ name: 'echo', arguments: { message: 'again' } }],
    usage: { input: 390, output: 10 },
  });
  telegram.say(chat, 'go');
  const first = await setting.cardAfter(chat, 0);
  expect(first.text).toContain('The budget for this is used up: 1.20 of 1.00.');
  expect(model.requests).toHaveLength(3);

  await setting.restart();
  telegram.press(chat, first.id, '▶️ Go on for this run');
  // It was allowed up to 2.20, which the sixth request went beyond. A card whose delivery was not noted is there twice.
  const second = await telegram.waitForMessage(chat, '2.40 of 1.00');
  expect(model.requests).toHaveLength(6);

  await daemon.kill();
  const { polls } = telegram;
  await daemon.restart();
  await setting.connected(polls);
  telegram.press(chat, second.id, '⏹️ Stop');
  await telegram.waitForMessage(chat, '⏹️ Stopped by');
  telegram.say(chat, '/usage');
  await telegram.waitForMessage(chat, 'For you: 2,400 tokens, 2.40 in money');
  expect(model.requests).toHaveLength(6);
  expect(setting.rows(z.object({ model: z.string(), cost: z.number() }), 'SELECT model, cost FROM spending')).toEqual([
    { model: 'main', cost: 2_400_000 },
  ]);
});
