import { expect, test } from 'vitest';
import { timeOfDay } from '../../src/lib/time-words.ts';
import { SlackSetting } from './slack-setting.ts';
import { TelegramSetting } from './telegram-setting.ts';

/** Where no machine stands that runs this: 45 minutes beside all others. */
const chatham = 'Pacific/Chatham';
const eucla = 'Australia/Eucla';

/** Holds that the words name a time of the last minutes there. */
function expectTimeIn(timeZone: string, words: string | undefined): void {
  const minutes = Array.from({ length: 15 }, (_, index) => timeOfDay(Date.now() - index * 60_000, timeZone));
  expect(minutes).toContain(words);
}

const wish = { calls: [{ name: 'shell', arguments: { command: 'touch made' } }] };

test('a person on Telegram reads the times of the zone that the config has for them', async () => {
  const people = { ada: { accounts: ['telegram:501'], time_zone: chatham } };
  await using setting = await TelegramSetting.start({ config: { people } });
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model.onUser('make it', wish);
  const card = await setting.askFor(chat, 'make it');
  telegram.press(chat, card.id, '✅ Approve');
  const { text } = await setting.shows(chat, card.id, /^✅ .* allowed it/);
  expectTimeIn(chatham, / at (\d\d:\d\d): /.exec(text)?.[1]);
  telegram.say(chat, '/status');
  const status = await telegram.waitForMessage(chat, /answered \d\d:\d\d/);
  expectTimeIn(chatham, /answered (\d\d:\d\d)\./.exec(status.text)?.[1]);
});

test('a person on Slack reads the times of the zone that Slack tells, and another one theirs', async () => {
  await using setting = await SlackSetting.start();
  const { slack, model } = setting;
  model.onUser('make it', wish);
  for (const [index, tz] of [chatham, eucla].entries()) {
    slack.home.addPerson({ id: `U0OWNER0${index}`, tz });
    const chat = setting.newOwner();
    slack.say(chat, 'make it');
    const card = await slack.waitFor(() => slack.chat(chat).find(({ buttons }) => buttons.length > 0), {
      what: 'a card',
    });
    slack.press(chat, card.ts, '✅ Approve');
    const { text } = await slack.waitForMessage(chat, /✅ .* allowed it/);
    expectTimeIn(tz, / at (\d\d:\d\d): /.exec(text)?.[1]);
  }
});
