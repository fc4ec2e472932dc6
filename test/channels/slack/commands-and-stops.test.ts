import { describe, expect, test } from 'vitest';
import { commanderOf } from '../../../channels/slack/private-answers.ts';
import { slackWords } from '../../../channels/slack/words.ts';
import { conversationId } from '../../../src/contract.ts';
import { ada, bot, general, intakeSetting, team } from './intake-setting.ts';

describe('a slash command', () => {
  test('is a command for the bot in the chat, and can be answered to its giver alone', async () => {
    const setting = await intakeSetting();
    const { delivery, responseUrl } = setting.slack.home.command(general, '/keyturn', 'stop', { from: ada });
    await setting.intake.take(delivery.payload);
    expect(setting.last).toMatchObject({
      key: expect.stringMatching(`^command:${team}:`),
      conversation: { channel: 'slack', tenant: team, chatId: general, kind: 'group' },
      sender: { id: `${team}/${ada}`, name: 'Ada', isPerson: true },
      text: '/stop',
      addressed: true,
    });
    expect(setting.last.conversation.threadId).toBeUndefined();
    const { messageId, privateTo = '' } = setting.last;
    expect(messageId).toBeUndefined();
    expect(commanderOf(privateTo)).toBe(ada);
    expect(setting.urls.get(privateTo)).toBe(responseUrl);
    expect(setting.writers.get(conversationId(setting.last.conversation))).toMatchObject({ id: ada, teamId: team });
  });

  test.each([
    ['', '/help'],
    ['  /status ', '/status'],
    ['deny k3f9 a &amp; b', '/deny k3f9 a & b'],
  ])('"%s" is %s', async (text, command) => {
    const setting = await intakeSetting();
    await setting.intake.take(setting.slack.home.command(setting.direct, '/keyturn', text).delivery.payload);
    expect(setting.last).toMatchObject({ text: command, conversation: { kind: 'direct', title: 'Ada' } });
  });

  test('is answered to its giver also where the bot is not', async () => {
    const setting = await intakeSetting();
    setting.slack.home.addChannel('C00000009', { hasBot: false, members: [ada] });
    setting.host.store = async () => ({ notice: 'Not **you**.' });
    const { delivery } = setting.slack.home.command('C00000009', '/keyturn', 'stop', { from: ada });
    await setting.intake.take(delivery.payload);
    const shown = () => setting.slack.home.ephemerals('C00000009', ada);
    await setting.slack.waitFor(() => shown().length === 1, { what: 'the notice' });
    expect(JSON.stringify(shown())).toContain('Not **you**.');
  });

  test('has the name that the config gives it', async () => {
    const setting = await intakeSetting({ command: '/kt' });
    await setting.intake.take(setting.slack.home.command(general, '/keyturn', 'stop').delivery.payload);
    expect(setting.host.received).toEqual([]);
    await setting.intake.take(setting.slack.home.command(general, '/kt', 'stop').delivery.payload);
    expect(setting.last.text).toBe('/stop');
  });
});

describe("the assistant's pane", () => {
  test("offers what the config suggests, and what else happens in it is nobody's business", async () => {
    const prompts = [{ title: 'Weather', message: 'How is the weather?' }];
    const setting = await intakeSetting({ suggested_prompts: prompts });
    const opened = setting.slack.people.openAssistant(ada);
    await setting.takes(opened, setting.slack.people.openHome(ada));
    await setting.slack.waitFor(() => setting.slack.callsOf('assistant.threads.setSuggestedPrompts').length === 1, {
      what: 'prompts',
    });
    expect(setting.slack.home.assistant(opened.channel, opened.ts)).toMatchObject({ prompts });
    expect(setting.host.received).toEqual([]);
    const { message } = await setting.hears('hi', { channel: opened.channel, threadTs: opened.ts });
    expect(message.conversation.threadId).toBe(opened.ts);
    expect(message.quote).toBeUndefined();
  });

  test('suggests two things in the language of who opens it, where the config suggests nothing', async () => {
    const setting = await intakeSetting({ suggested_prompts: undefined });
    setting.slack.home.addPerson({ id: ada, locale: 'zh-CN' });
    const opened = setting.slack.people.openAssistant(ada);
    await setting.takes(opened);
    const shown = () => setting.slack.home.assistant(opened.channel, opened.ts)?.prompts ?? [];
    await setting.slack.waitFor(() => shown().length > 0, { what: 'prompts' });
    const { buttonWhatCanYouDo, askWhatCanYouDo, buttonWhichFiles, askWhichFiles } = slackWords.zh;
    expect(shown()).toEqual([
      { title: buttonWhatCanYouDo, message: askWhatCanYouDo },
      { title: buttonWhichFiles, message: askWhichFiles },
    ]);
  });

  test('does without suggestions where Slack refuses them, or none are given', async () => {
    const setting = await intakeSetting({ suggested_prompts: [] });
    await setting.takes(setting.slack.people.openAssistant(ada));
    expect(setting.slack.calls).toEqual([]);
  });
});

describe('the button that stops a text', () => {
  const stopped = (fields: object) => ({
    ...{ type: 'event_callback', team_id: team, authorizations: [{ team_id: team }] },
    event: {
      type: 'agent_session_stopped',
      user: ada,
      streaming_message_ts: [],
      event_ts: '1700000009.000100',
      ...fields,
    },
  });

  test('is the command /stop in its thread, of the person as they are known', async () => {
    const setting = await intakeSetting();
    const guest = { from: 'U0GUEST01', guestTeamId: 'T0GUESTS1' };
    const { ts, message } = await setting.hears(`<@${bot}> write`, guest);
    await setting.intake.take(stopped({ channel: general, thread_ts: ts, user: 'U0GUEST01' }));
    expect(setting.last).toMatchObject({
      text: '/stop',
      addressed: true,
      conversation: message.conversation,
      sender: message.sender,
    });
  });
});
