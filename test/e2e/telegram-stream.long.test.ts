import { afterAll, beforeAll, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

const words = Array.from({ length: 50 }, (_, index) => `word${index + 1}`).join(' ');
let killed: TelegramSetting;

beforeAll(async () => {
  killed = await TelegramSetting.start({ channel: { drafts: false } });
  killed.model.onUser('tell', { text: words, pieceSize: 20, pieceDelayMs: 180 });
});

afterAll(() => killed.dispose());

test('a reply in the midst of which the process is killed is there whole by the next one, and once', async () => {
  const chat = killed.newOwner();
  killed.telegram.say(chat, 'tell');
  const { id, text } = await killed.telegram.waitFor(
    () =>
      killed.telegram
        .chat(chat)
        .find((shown) => shown.from === 'bot' && /^word1/.test(shown.text) && shown.text !== words),
    { what: 'the beginning of the answer' },
  );
  await killed.shows(chat, id, new RegExp(`^${text}.+`));
  await killed.restart();
  await killed.telegram.waitFor(() => killed.said(chat).join() === words, { what: 'the answer alone' });
});
