import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { telegramWords } from '../../../channels/telegram/words.ts';
import type { ShownMessage } from '../../../packages/fakes/src/telegram/chats.ts';
import type { Button, Conversation } from '../../../src/contract.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { AdapterSetting, ada, reply, to } from './adapter-setting.ts';

const why: Button = { actionId: 'ap:1:r', label: 'Deny, why', shortcut: 'r', style: 'plain', asks: 'Why not?' };
const family = -1001;
const group: Conversation = { channel: 'telegram', chatId: String(family), kind: 'group' };
const eve = 66;

let setting: AdapterSetting;

beforeEach(async () => {
  setting = await AdapterSetting.start();
  setting.server.addChat(family);
});

afterEach(() => setting.close());

/** A card with the button is pressed, and the question stands there. */
async function asked(chatId = ada, where: Conversation = to) {
  const { server, adapter } = setting;
  const { id } = await adapter.send(where, reply('May I?', { buttons: [[why]] }));
  const press = server.press(chatId, Number(id), why.label, { from: ada });
  expect(await press.answered).toEqual({ text: '', showAlert: false });
  const question = await server.waitFor(() => server.chat(chatId).find(({ forcesReply }) => forcesReply === true));
  return { card: id, question };
}

const actions = (host = setting.host) => host.received.filter(({ type }) => type === 'action');
const isQuestion = ({ forcesReply }: ShownMessage): boolean => forcesReply === true;

describe('a button that asks for a text', () => {
  test('is answered with a question that opens the reply box, without a sound, and nothing is decided yet', async () => {
    const { card, question } = await asked();
    expect(question).toMatchObject({ replyTo: Number(card), isSilent: true });
    expect(question.text).toContain(telegramWords.en.whyNot);
    expect(actions()).toEqual([]);
  });

  test('asks a person once, however often they press', async () => {
    const { card } = await asked(family, group);
    for (let again = 0; again < 3; again += 1)
      await setting.server.press(family, Number(card), why.label, { from: ada }).answered;
    expect(setting.server.chat(family).filter(isQuestion)).toHaveLength(1);
    await setting.server.press(family, Number(card), why.label, { from: eve }).answered;
    expect(setting.server.chat(family).filter(isQuestion)).toHaveLength(2);
  });

  test('is pressed with the text of the reply, once', async () => {
    const { card, question } = await asked();
    setting.server.say(ada, 'too risky', { replyTo: question.id });
    await setting.host.receives(1);
    expect(setting.host.received).toEqual([
      {
        type: 'action',
        key: expect.stringMatching(/:a$/),
        conversation: expect.objectContaining({ chatId: String(ada), kind: 'direct' }),
        sender: expect.objectContaining({ id: String(ada) }),
        actionId: 'ap:1:r',
        messageRef: { id: card },
        text: 'too risky',
      },
    ]);
  });

  test('mentions the person in a group, so that the box opens for them alone; what others answer is no press', async () => {
    const { question } = await asked(family, group);
    expect(question.text).toContain(`@person_${ada}`);
    const { params } = setting.server.callsOf('sendMessage').at(-1) ?? {};
    expect(params).toMatchObject({ reply_markup: { force_reply: true, selective: true } });
    setting.server.say(family, 'because I say so', { from: eve, replyTo: question.id });
    await setting.host.hears('because I say so');
    expect(actions()).toEqual([]);
    setting.server.say(family, 'too risky', { from: ada, replyTo: question.id });
    await waitUntil(() => actions().length === 1);
    expect(actions()).toMatchObject([{ sender: { id: String(ada) }, text: 'too risky' }]);
  });

  test('is pressed by a reply to another process of the same bot', async () => {
    const { question } = await asked();
    await setting.adapter.stop();
    const host = new RecordingHost();
    const next = setting.another({});
    await next.start(host);
    setting.server.say(ada, 'too risky', { replyTo: question.id });
    await waitUntil(() => actions(host).length === 1);
    expect(actions(host)).toMatchObject([{ actionId: 'ap:1:r', text: 'too risky' }]);
    await next.stop();
  });

  test('tells the person what a press would have told, if it is too late', async () => {
    const { question } = await asked();
    setting.host.store = async () => ({ notice: 'Decided *already*.' });
    const { message } = setting.server.say(ada, 'too risky', { replyTo: question.id });
    const told = await setting.server.waitForMessage(ada, 'Decided *already*.');
    expect(told.replyTo).toBe(message?.message_id);
  });

  test('is not pressed by a command, nor by words that answer something else', async () => {
    const { card, question } = await asked();
    setting.server.say(ada, '/stop', { replyTo: question.id });
    setting.server.say(ada, 'hm', { replyTo: Number(card) });
    setting.server.say(ada, 'hello');
    await setting.host.receives(3);
    expect(actions()).toEqual([]);
  });

  test('tells the person if they cannot be asked', async () => {
    const { server, adapter } = setting;
    const { id } = await adapter.send(to, reply('May I?', { buttons: [[why]] }));
    server.fault({ method: 'sendMessage', kind: 'status', status: 500, times: 1 });
    const { text } = await server.press(ada, Number(id), why.label).answered;
    expect(text).toBe(telegramWords.en.cannotAsk);
    expect(server.chat(ada).filter(isQuestion)).toEqual([]);
  });

  test('is left out if its action is too long to be asked for', async () => {
    await setting.adapter.send(to, reply('May I?', { buttons: [[{ ...why, actionId: 'a'.repeat(61) }]] }));
    expect(setting.server.chat(ada)[0]?.buttons).toEqual([]);
  });
});

describe('what looks like a question', () => {
  /** The bot says this, as a model may have written it, and the person answers. */
  async function answering(markdown: string): Promise<void> {
    const { id } = await setting.adapter.send(to, reply(markdown));
    setting.server.say(ada, 'yes', { replyTo: Number(id) });
    await setting.host.hears('yes');
  }

  test.each([
    ['no signature', 'https://t.me/?a=ap:1:a&m=1'],
    ['a wrong one', `https://t.me/?a=ap:1:a&m=1&s=${'x'.repeat(32)}`],
    ['an empty one', 'https://t.me/?a=ap:1:a&m=1&s='],
  ])('with %s is none', async (_, address) => {
    await answering(`[✏️](${address}) Why not?`);
    expect(actions()).toEqual([]);
  });

  test('and has the signature of another card, chat or person is none', async () => {
    const { question } = await asked(family, group);
    const [link] = question.entities;
    const address = link !== undefined && 'url' in link ? link.url : '';
    expect(address).not.toBe('');
    await answering(`[✏️](${address}) Why not?`);
    await answering(`[✏️](${address.replace('ap', 'cmd')}) Why not?`);
    expect(actions()).toEqual([]);
  });
});
