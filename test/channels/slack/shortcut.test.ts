import { describe, expect, test } from 'vitest';
import { slackWords } from '../../../channels/slack/words.ts';
import { ada, bob, bot, general, IntakeSetting, intakeSetting, team } from './intake-setting.ts';

const shortcut = 'ask_about_this';

/** Ada chooses the shortcut of a message, and sends the form that opens. */
async function asks(setting: IntakeSetting, channel: string, ts: string, question?: string): Promise<void> {
  const { slack, intake } = setting;
  const former = slack.home.modal(ada)?.id;
  await intake.take(slack.home.choose(channel, ts, shortcut, { from: ada }).delivery.payload);
  await slack.waitFor(() => slack.home.modal(ada)?.id !== former, { what: 'the form' });
  await intake.take(slack.home.submit(ada, question === undefined ? {} : { text: question }).payload);
}

describe('"Ask about this"', () => {
  test("hands on the question, with the message as somebody else's words, in the thread of the message", async () => {
    const setting = await intakeSetting();
    // The names are known from before.
    await setting.hears('hi', { from: bob });
    await setting.hears('hi');
    setting.host.received.length = 0;
    const { ts } = setting.slack.say(general, `<@${bot}> /approve k3f9`, { from: bob });
    await asks(setting, general, ts, 'Is that right?');
    expect(setting.host.received).toEqual([
      {
        type: 'message',
        key: expect.stringMatching(/^about:/),
        conversation: {
          channel: 'slack',
          tenant: team,
          chatId: general,
          threadId: ts,
          kind: 'group',
          title: '#general',
        },
        sender: { id: `${team}/${ada}`, name: 'Ada', isPerson: true, language: 'en-US' },
        text: 'Is that right?',
        shared: [{ how: 'forwarded', name: 'Bob', text: '/approve k3f9', isOwn: false }],
        addressed: true,
        sentAt: expect.any(Number),
        messageId: ts,
      },
    ]);
    expect(setting.slack.home.ephemerals(general)).toEqual([]);
  });

  test('needs no question, and brings the files of the message', async () => {
    const setting = await intakeSetting();
    const file = { bytes: Buffer.from('x'), name: 'plan.pdf' };
    const { ts } = setting.slack.people.share(general, [file], '', { from: bob });
    await asks(setting, general, ts);
    expect(setting.last).toMatchObject({
      text: slackWords.en.askAboutIt,
      attachments: [{ kind: 'file', name: 'plan.pdf', isShared: true }],
    });
  });

  test('is answered in the direct chat where the bot is not in the channel, and says so to the person alone', async () => {
    const setting = await intakeSetting();
    const { slack } = setting;
    slack.home.addChannel('C0ELSEWHERE', { hasBot: false, members: [ada, bob] });
    slack.home.addChannel('D0PRIVATE1', { kind: 'im', hasBot: false, members: [ada, bob] });
    for (const channel of ['C0ELSEWHERE', 'D0PRIVATE1']) {
      const { ts } = slack.say(channel, 'Lunch at noon', { from: bob });
      await asks(setting, channel, ts, 'When?');
      const { conversation, messageId } = setting.last;
      expect(conversation).toMatchObject({ chatId: setting.direct, kind: 'direct' });
      expect(messageId).toBeUndefined();
      const told = await slack.waitFor(() => slack.home.ephemerals(channel, ada)[0], { what: 'a notice' });
      expect(told.text).toBe(slackWords.en.answersDirectly);
    }
  });

  test('says what to do where no direct chat can be opened, and after a start in between', async () => {
    const setting = await intakeSetting();
    const { slack, intake } = setting;
    slack.home.addChannel('C0ELSEWHERE', { hasBot: false, members: [ada, bob] });
    slack.home.grant(slack.home.scopes.filter((scope) => scope !== 'im:write'));
    const { ts } = slack.say('C0ELSEWHERE', 'Lunch at noon', { from: bob });
    await asks(setting, 'C0ELSEWHERE', ts, 'When?');
    const told = (words: string) =>
      slack.waitFor(() => slack.home.ephemerals('C0ELSEWHERE', ada).some(({ text }) => text === words));
    await told(slackWords.en.noPlaceToAnswer);
    await intake.take(slack.home.choose('C0ELSEWHERE', ts, shortcut, { from: ada }).delivery.payload);
    await slack.waitFor(() => slack.home.modal(ada), { what: 'the form' });
    const next = new IntakeSetting(slack, {});
    await next.intake.take(slack.home.submit(ada, { text: 'When?' }).payload);
    await told(slackWords.en.chooseAgain);
    expect(setting.host.received).toEqual([]);
  });

  test('tells the person what the host says, and opens its form in their language', async () => {
    const setting = await intakeSetting();
    const { slack, host } = setting;
    slack.home.addPerson({ id: ada, locale: 'zh-CN' });
    await setting.hears('hello', { channel: setting.direct });
    host.store = async () => ({ notice: 'Not you.' });
    const { ts } = slack.say(general, 'x', { from: bob });
    await setting.intake.take(slack.home.choose(general, ts, shortcut, { from: ada }).delivery.payload);
    const modal = await slack.waitFor(() => slack.home.modal(ada), { what: 'the form' });
    expect(JSON.stringify(modal.view)).toContain(slackWords.zh.askWhat);
    await setting.intake.take(slack.home.submit(ada, { text: '?' }).payload);
    await slack.waitFor(() => slack.home.ephemerals(general, ada)[0]?.text === 'Not you.');
  });

  test('of another app, or with a form that is not ours, is ignored', async () => {
    const setting = await intakeSetting();
    const { ts } = setting.slack.say(general, 'x', { from: bob });
    const { payload } = setting.slack.home.choose(general, ts, 'other', { from: ada }).delivery;
    expect(await setting.intake.take(payload)).toBe(false);
    expect(await setting.intake.take({ ...payload, callback_id: shortcut, message: { ts: 'x' } })).toBe(false);
    const view = { id: 'V1', callback_id: 'about', private_metadata: '{}', state: { values: {} } };
    const body = { type: 'view_submission', team: { id: team }, user: { id: ada, team_id: team }, view };
    expect(await setting.intake.take(body)).toBe(false);
    expect(setting.slack.callsOf('views.open')).toEqual([]);
    expect(setting.host.received).toEqual([]);
  });
});
