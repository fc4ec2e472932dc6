import { expect, test } from 'vitest';
import { z } from 'zod';
import { TelegramSetting } from './telegram-setting.ts';

const never = new Promise<never>(() => {});

test.concurrent('a process that is killed while a model answers has paid for that call: a budget holds over a crash loop', async () => {
  await using setting = await TelegramSetting.start({ config: { budget: { tokens_per_day: 500 } } });
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model.onUser('work', { until: never });
  telegram.say(chat, 'work');
  await model.waitForRequests(1);
  await setting.restart();
  expect((await setting.cardAfter(chat, 0)).text).toContain('of 500 tokens');
  await setting.restart();
  await setting.restart();
  telegram.say(chat, '/usage');
  await telegram.waitForMessage(chat, 'tokens');
  expect(model.requests).toHaveLength(1);
  const spent = setting.rows(z.object({ model: z.string(), tokens: z.number() }), 'SELECT model, tokens FROM spending');
  expect(spent).toEqual([{ model: 'main', tokens: expect.any(Number) }]);
});

test.concurrent('a message that kills the process is set aside after three tries, and the others are answered', async () => {
  await using setting = await TelegramSetting.start({ config: { agent: { last_try_after_secs: 1 } } });
  const { telegram, model, daemon } = setting;
  const [poisoned, other] = [setting.newOwner(), setting.newOwner()];
  model.onUser(/poison$/, { until: never });
  telegram.say(poisoned, 'poison');
  for (let tries = 1; tries <= 3; tries += 1) {
    // The last one waits for a process that has lived for a while.
    await model.waitFor(
      () => model.requests.filter(({ lastUserText }) => lastUserText.endsWith('poison')).length === tries,
      { what: `try ${tries}` },
    );
    await daemon.kill();
    telegram.say(other, `hello ${tries}`);
    await daemon.restart();
    await telegram.waitForMessage(other, `echo: hello ${tries}`);
  }
  await telegram.waitForMessage(poisoned, 'I was stopped three times while I worked on this, so I have set it aside.');
  telegram.say(poisoned, 'something else');
  await telegram.waitForMessage(poisoned, 'something else');
  await setting.restart();
  expect(model.requests.filter(({ lastUserText }) => lastUserText.endsWith('poison'))).toHaveLength(3);
});

test.concurrent('a message that kills the process which sends it is parked after three times, and others arrive', async () => {
  await using setting = await TelegramSetting.start({ config: { agent: { last_try_after_secs: 1 } } });
  const { telegram, model, daemon } = setting;
  const [poisoned, other] = [setting.newOwner(), setting.newOwner()];
  model.onUser(/poison$/, 'the poison');
  telegram.fault({ method: 'sendMessage', kind: 'hang', when: ({ text }) => String(text).includes('poison') });
  telegram.say(poisoned, 'poison');
  const sent = () => telegram.callsOf('sendMessage').filter(({ fault }) => fault === 'hang').length;
  for (let tries = 1; tries <= 3; tries += 1) {
    await telegram.waitFor(() => sent() === tries, { what: `try ${tries}` });
    await daemon.kill();
    if (tries === 3) telegram.clearFaults();
    telegram.say(other, `hello ${tries}`);
    await daemon.restart();
    await telegram.waitForMessage(other, `echo: hello ${tries}`);
  }
  await telegram.waitForMessage(poisoned, 'Keyturn was stopped 3 times while it was sent');
});
