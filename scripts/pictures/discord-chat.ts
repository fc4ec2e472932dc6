import type { Language } from '../../src/lib/words.ts';
import { DiscordSetting } from '../../test/e2e/discord-setting.ts';
import { linesIn, type Stage } from './card-scenes.ts';
import { chatStage, webOf } from './chat-stage.ts';
import { discordEphemeral, discordMessage } from './discord-page.ts';

const onlyYou = { en: 'Only you can see this', zh: '只有你能看到' } as const;

export async function discordStage(language: Language): Promise<Stage> {
  const web = await webOf(language);
  const setting = await DiscordSetting.start({ config: web.config });
  const { discord, scene } = setting;
  const words = linesIn(language);
  const locale = { en: 'en-US', zh: 'zh-CN' }[language];
  const ada = person(setting.newOwner(), 'Ada');
  const lin = person('1001000000000009301', 'Lin');
  const chat = discord.direct(ada);
  discord.say(scene.channelId, `${setting.mention} ${words.hello}`, { from: ada });
  await discord.waitForMessage(scene.channelId, words.hello);
  return chatStage(
    {
      platform: 'discord',
      team: `discord:${scene.guildId}:${scene.channelId}`,
      seen: () =>
        discord
          .chat(chat)
          .filter(({ from }) => from === 'bot')
          .map((message) => ({
            id: message.id,
            shown: message.text,
            actions: message.buttons.flatMap(({ data }) => data ?? []),
            html: () => discordMessage(message),
          })),
      say: (text) => void discord.say(chat, text),
      press: (id, action) => void discord.press(chat, id, action, { locale }),
      waitFor: (look) => discord.waitFor(look, { timeoutMs: 20_000, what: 'a card' }),
      async unfold(id, action) {
        const { id: pressed } = discord.press(chat, id, action, { locale });
        const told = await discord.waitFor(() => discord.interaction(pressed).ephemeral.at(0));
        return discordEphemeral(told, onlyYou[language]);
      },
      meetStranger: () => void discord.say(discord.direct(lin), words.hello),
      joinGroup: () => void discord.scenery.addGuild({ name: words.team, owner: '1001000000000009301', isNew: true }),
    },
    setting,
    web.close,
  );
}

function person(id: string, name: string) {
  return { id, username: name.toLowerCase(), discriminator: '0', global_name: name, avatar: null } as const;
}
