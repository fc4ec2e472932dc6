import type { Language } from '../../src/lib/words.ts';
import { SlackSetting } from '../../test/e2e/slack-setting.ts';
import { linesIn, type Stage } from './card-scenes.ts';
import { chatStage, webOf } from './chat-stage.ts';
import { slackMessage } from './slack-page.ts';

const [team, newGroup] = ['C00TEAM', 'C00NEW'];
const [owner, stranger] = ['U0OWNER00', 'U00LIN'];

export async function slackStage(language: Language): Promise<Stage> {
  const web = await webOf(language);
  const setting = await SlackSetting.start({
    config: web.config,
    channel: { groups: { [team]: { allow_from: ['*'] } } },
  });
  const { slack } = setting;
  const words = linesIn(language);
  const locale = { en: 'en-US', zh: 'zh-CN' }[language];
  slack.addPerson({ id: owner, name: 'Ada', locale });
  slack.addPerson({ id: stranger, name: 'Lin', locale });
  const chat = setting.newOwner();
  for (const id of [team, newGroup]) slack.addChannel(id, { name: 'team', hasBot: id === team });
  const { ts } = slack.say(team, `<@${slack.installation.botUserId}> ${words.hello}`, { from: owner, isRaw: true });
  await slack.waitForMessage(team, words.hello);
  return chatStage(
    {
      platform: 'slack',
      team: `slack:${slack.installation.teamId}:${team}:#${ts}`,
      seen: () =>
        slack
          .chat(chat)
          .filter(({ from }) => from === 'bot')
          .map((message) => ({
            id: message.ts,
            shown: message.text,
            actions: message.buttons.flatMap(({ value }) => value ?? []),
            html: (isUnfolded) => slackMessage(message, isUnfolded),
          })),
      say: (text) => void slack.say(chat, text),
      press: (id, action) => void slack.press(chat, id, action),
      waitFor: (look) => slack.waitFor(look, { timeoutMs: 20_000, what: 'a card' }),
      unfold: undefined,
      meetStranger: () => void slack.say(slack.addDirect(stranger), words.hello),
      joinGroup: () => void slack.people.invite(newGroup, stranger),
    },
    setting,
    web.close,
  );
}
