import { describe, expect, test } from 'vitest';
import { slackWords } from '../../../channels/slack/words.ts';
import { ada, bot, general, type IntakeSetting, intakeSetting, team } from './intake-setting.ts';

const approve = { value: 'ap:k3f9:a' };
const ask = { value: JSON.stringify({ id: 'ap:k3f9:r', asks: 'Why not?' }) };

/** A message of the bot's, below which there may be buttons. */
function card(setting: IntakeSetting, channel: string, threadTs?: string): Promise<string> {
  const [workspace] = setting.workspaces.all;
  const parameters = { channel, text: 'May I?', ...(threadTs !== undefined && { thread_ts: threadTs }) };
  return (
    workspace?.api.call('chat.postMessage', parameters).then(({ ts }) => String(ts)) ??
    Promise.reject(new Error('none'))
  );
}

async function press(
  setting: IntakeSetting,
  message: { channel: string; ts: string },
  actionId: string,
  forged: object,
  options = {},
) {
  const { delivery } = setting.slack.press(message.channel, message.ts, actionId, { from: ada, forged, ...options });
  await setting.intake.take(delivery.payload);
  return delivery;
}

describe('a press', () => {
  test('belongs to the thread in which its message stands', async () => {
    const setting = await intakeSetting();
    const { ts: root } = await setting.hears(`<@${bot}> go`);
    const ts = await card(setting, general, root);
    await press(setting, { channel: general, ts }, 'press:0', approve);
    expect(setting.host.received.at(-1)).toEqual({
      type: 'action',
      key: expect.stringMatching(/^press:/),
      conversation: {
        channel: 'slack',
        tenant: team,
        chatId: general,
        threadId: root,
        kind: 'group',
        title: '#general',
      },
      sender: { id: `${team}/${ada}`, name: 'Ada', isPerson: true, language: 'en-US' },
      actionId: 'ap:k3f9:a',
      messageRef: { id: ts },
    });
  });

  test('below a message that stands beside all threads belongs to the chat', async () => {
    const setting = await intakeSetting();
    for (const channel of [setting.direct, general]) {
      const ts = await card(setting, channel);
      await press(setting, { channel, ts }, 'press:0', approve);
      expect(setting.host.received.at(-1)?.conversation.threadId).toBeUndefined();
      setting.slack.say(channel, 'an answer', { from: ada, threadTs: ts });
      await press(setting, { channel, ts }, 'press:0', approve);
      expect(setting.host.received.at(-1)?.conversation.threadId).toBeUndefined();
    }
  });

  test('of a guest is theirs by their own workspace', async () => {
    const setting = await intakeSetting();
    const ts = await card(setting, general);
    await press(setting, { channel: general, ts }, 'press:1', approve, { from: 'U0GUEST01', guestTeamId: 'T0GUESTS1' });
    expect(setting.host.received.at(-1)?.sender.id).toBe('T0GUESTS1/U0GUEST01');
  });

  test('is answered with a long text up to what one message holds, and says that there is more', async () => {
    const setting = await intakeSetting();
    const ts = await card(setting, general);
    const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at} <@${bot}>`).join('\n');
    setting.host.store = async () => ({ notice: `**Everything**\n\n\`\`\`\n${lines}\n\`\`\`` });
    await press(setting, { channel: general, ts }, 'press:0', approve);
    const shown = await setting.slack.waitFor(() => setting.slack.home.ephemerals(general, ada)[0], {
      what: 'a notice',
    });
    const [block] = shown.blocks ?? [];
    expect(String(block?.text)).toContain('line 200 ');
    expect(String(block?.text)).toMatch(new RegExp(`\`\`\`\\s+${slackWords.en.restNotShown}$`));
  });

  test('of a button that is not ours is ignored', async () => {
    const setting = await intakeSetting();
    const ts = await card(setting, general);
    await press(setting, { channel: general, ts }, 'somebody-elses', approve);
    expect(setting.host.received).toEqual([]);
  });

  test('below a message that one person sees is known by its container', async () => {
    const setting = await intakeSetting();
    const container = {
      type: 'message',
      message_ts: '1700000000.000300',
      channel_id: general,
      thread_ts: '1700000000.000100',
      is_ephemeral: true,
    };
    const actions = [{ type: 'button', action_id: 'press:0', value: 'x', action_ts: '1700000000.000400' }];
    const user = { id: ada, username: 'ada', team_id: team };
    await setting.intake.take({ type: 'block_actions', team: { id: team }, user, container, actions });
    expect(setting.host.received.at(-1)?.conversation).toMatchObject({
      chatId: general,
      threadId: '1700000000.000100',
    });
  });
});

describe('a press that asks', () => {
  test('opens a form and stores nothing; what is written there is stored', async () => {
    const setting = await intakeSetting();
    const { ts: root } = setting.slack.say(general, 'root', { from: ada });
    const ts = await card(setting, general, root);
    await press(setting, { channel: general, ts }, 'ask:2', ask);
    const modal = await setting.slack.waitFor(() => setting.slack.home.modal(ada), { what: 'the form' });
    expect(modal.title).toBe('Keyturn');
    expect(JSON.stringify(modal.view)).toContain('"Why not?"');
    expect(JSON.stringify(modal.view)).toContain(slackWords.en.buttonCancel);
    expect(setting.host.received).toEqual([]);

    await setting.intake.take(setting.slack.home.submit(ada, { text: 'too risky' }).payload);
    expect(setting.host.received).toEqual([
      {
        type: 'action',
        key: `view:${modal.id}`,
        conversation: {
          channel: 'slack',
          tenant: team,
          chatId: general,
          threadId: root,
          kind: 'group',
          title: '#general',
        },
        sender: { id: `${team}/${ada}`, name: 'Ada', isPerson: true, language: 'en-US' },
        actionId: 'ap:k3f9:r',
        messageRef: { id: ts },
        text: 'too risky',
      },
    ]);
  });

  test('asks somebody in the language of their Slack', async () => {
    const setting = await intakeSetting();
    setting.slack.home.addPerson({ id: ada, locale: 'zh-CN' });
    await setting.hears('hello', { channel: setting.direct });
    const ts = await card(setting, general);
    await press(setting, { channel: general, ts }, 'ask:2', ask);
    const { view } = await setting.slack.waitFor(() => setting.slack.home.modal(ada), { what: 'the form' });
    expect(JSON.stringify(view)).toContain(slackWords.zh.buttonCancel);
  });

  test('says so where Slack does not let it ask', async () => {
    const setting = await intakeSetting();
    setting.slack.fault({ method: 'views.open', kind: 'error', error: 'expired_trigger_id' });
    const ts = await card(setting, general);
    await press(setting, { channel: general, ts }, 'ask:2', ask);
    const shown = await setting.slack.waitFor(() => setting.slack.home.ephemerals(general, ada)[0], {
      what: 'a notice',
    });
    expect(JSON.stringify(shown)).toContain(slackWords.en.formNotOpened);
  });

  test('asks for nothing if nothing is to be asked', async () => {
    const setting = await intakeSetting();
    const ts = await card(setting, general);
    for (const value of ['', 'x', '{}', '{"id":"a"}', '{"id":"","asks":"b"}', 'null'])
      await press(setting, { channel: general, ts }, 'ask:2', { value });
    expect(setting.slack.callsOf('views.open')).toEqual([]);
    expect(setting.host.received).toEqual([]);
  });

  test('a form that is not ours is ignored', async () => {
    const setting = await intakeSetting();
    const view = { id: 'V1', callback_id: 'other', private_metadata: '{}', state: { values: {} } };
    const body = { type: 'view_submission', team: { id: team }, user: { id: ada, team_id: team }, view };
    await setting.intake.take(body);
    await setting.intake.take({ ...body, view: { ...view, callback_id: 'ask', private_metadata: '{' } });
    const form = JSON.stringify({ actionId: 'ap:k3f9:r', teamId: 'T0ELSEWHERE', chatId: general });
    const elsewhere = { ...body, view: { ...view, callback_id: 'ask', private_metadata: form } };
    await setting.intake.take(elsewhere);
    // It may still become known: the form is not acknowledged, and stays open.
    setting.workspaces.judge('xoxb-unknown', 'open');
    await expect(setting.intake.take(elsewhere)).rejects.toThrow('not known yet');
    expect(setting.host.received).toEqual([]);
  });
});
