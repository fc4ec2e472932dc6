import type { Language } from '../../src/lib/words.ts';
import { TelegramSetting } from '../../test/e2e/telegram-setting.ts';
import { linesIn, type Stage } from './card-scenes.ts';
import { shownText, telegramMessage } from './chat-page.ts';
import { chatStage, webOf } from './chat-stage.ts';

const team = -1_001_000_000_001;
const newGroup = -1_001_000_000_002;
const stranger = 9301;

export async function telegramStage(language: Language): Promise<Stage> {
  const web = await webOf(language);
  const setting = await TelegramSetting.start({
    config: web.config,
    channel: { groups: { [team]: { allow_from: ['*'] } } },
  });
  const { telegram } = setting;
  const chat = setting.newOwner();
  const words = linesIn(language);
  const ada = { id: chat, is_bot: false, first_name: 'Ada' };
  const lin = { id: stranger, is_bot: false, first_name: 'Lin' };
  telegram.addChat(team, words.team);
  telegram.addChat(newGroup, words.team);
  telegram.say(team, `@${telegram.bot.username} ${words.hello}`, { from: ada });
  await telegram.waitForMessage(team, words.hello);
  return chatStage(
    {
      platform: 'telegram',
      team: `telegram:${team}`,
      seen: () =>
        telegram
          .chat(chat)
          .filter(({ from }) => from === 'bot')
          .map((message) => ({
            id: String(message.id),
            shown: shownText(message),
            actions: message.buttons.flatMap(({ data }) => data ?? []),
            html: (isUnfolded) => telegramMessage(message, isUnfolded),
          })),
      say: (text) => void telegram.say(chat, text, { from: ada }),
      press: (id, action) => void telegram.press(chat, Number(id), action, { from: ada }),
      waitFor: (look) => telegram.waitFor(look, { timeoutMs: 20_000, what: 'a card' }),
      unfold: undefined,
      meetStranger: () => void telegram.say(stranger, words.hello, { from: lin }),
      joinGroup: () => void telegram.people.member(newGroup, 'added', lin),
    },
    setting,
    web.close,
  );
}
