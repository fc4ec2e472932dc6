import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Button, Receipt } from '../../../src/contract.ts';
import { folded, timeElement } from '../../../src/lib/folds.ts';
import { anyText } from '../../support/any-text.ts';
import { markdownDocuments, markdownSoup } from '../../support/markdown-documents.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { AdapterSetting, ada, reply, to } from './adapter-setting.ts';

const approve: Button = { actionId: 'ap:1:a', label: 'Approve', shortcut: '/approve 1', style: 'primary' };
const deny: Button = { actionId: 'ap:1:d', label: 'Deny', shortcut: '/deny 1', style: 'danger' };

let setting: AdapterSetting;

beforeEach(async () => {
  setting = await AdapterSetting.start({ reactions: true });
});

afterEach(() => setting.close());

describe('sending', () => {
  test('shows the text with its formatting and says where it stands', async () => {
    const { adapter, server } = setting;
    const ref = await adapter.send(to, reply('**hello** [there](https://a.com)'));
    const [message] = server.chat(ada);
    expect(message).toMatchObject({ id: Number(ref.id), text: 'hello there', buttons: [] });
    expect(message?.entities).toEqual([
      { type: 'bold', offset: 0, length: 5 },
      { type: 'text_link', offset: 6, length: 5, url: 'https://a.com/' },
    ]);
    const { params } = server.callsOf('sendMessage')[0] ?? {};
    expect(params).not.toHaveProperty('parse_mode');
    expect(params).toMatchObject({ chat_id: '42', link_preview_options: { is_disabled: true } });
  });

  test('shows buttons in their rows', async () => {
    const { adapter, server } = setting;
    await adapter.send(to, reply('May I?', { buttons: [[approve, deny], []] }));
    expect(server.callsOf('sendMessage')[0]?.params.reply_markup).toEqual({
      inline_keyboard: [
        [
          { text: 'Approve', callback_data: 'ap:1:a', style: 'success' },
          { text: 'Deny', callback_data: 'ap:1:d', style: 'danger' },
        ],
      ],
    });
  });

  test('colours buttons, but not for a server that refuses colours, which is asked once', async () => {
    const { adapter, server } = setting;
    const description = "Bad Request: can't parse inline keyboard button: unknown field style";
    const when = (params: object): boolean => JSON.stringify(params).includes('"style"');
    server.fault({ method: 'sendMessage', kind: 'status', status: 400, description, when });
    server.fault({ method: 'editMessageText', kind: 'status', status: 400, description, when });
    const ref = await adapter.send(to, reply('May I?', { buttons: [[approve, deny]] }));
    await adapter.send(to, reply('And this?', { buttons: [[approve]] }));
    await adapter.edit?.(to, ref, reply('May I now?', { buttons: [[approve]] }));
    expect(server.callsOf('sendMessage').map(({ status }) => status)).toEqual([400, 200, 200]);
    expect(server.callsOf('editMessageText').map(({ status }) => status)).toEqual([200]);
    expect(server.chat(ada)[0]?.buttons).toEqual([{ label: 'Approve', data: 'ap:1:a' }]);
  });

  test('does not blame colours for a refusal of something else', async () => {
    const { adapter, server } = setting;
    const description = 'Bad Request: BUTTON_DATA_INVALID';
    server.fault({ method: 'sendMessage', kind: 'status', status: 400, description, times: 2 });
    expect(await setting.faultOf(adapter.send(to, reply('', { buttons: [[approve]] })))).toMatchObject({
      type: 'permanent',
    });
    await adapter.send(to, reply('May I?', { buttons: [[approve, deny]] }));
    expect(server.chat(ada)[0]?.buttons.map(({ style }) => style)).toEqual(['success', 'danger']);
  });

  test('does not blame colours when an edit comes twice, which changes nothing', async () => {
    const { adapter, server } = setting;
    const ref = await adapter.send(to, reply('May I?', { buttons: [[approve, deny]] }));
    for (const _ of [1, 2]) await adapter.edit?.(to, ref, reply('May I now?', { buttons: [[approve, deny]] }));
    await adapter.send(to, reply('And this?', { buttons: [[deny]] }));
    expect(server.callsOf('editMessageText').map(({ status }) => status)).toEqual([200, 400]);
    const styles = server.chat(ada).map(({ buttons }) => buttons.map(({ style }) => style));
    expect(styles).toEqual([['success', 'danger'], ['danger']]);
  });

  test('rings where it is to', async () => {
    const { adapter, server } = setting;
    for (const isSilent of [undefined, true] as const) {
      await adapter.send(to, reply('hello', { isSilent }));
      const [call] = server.callsOf('sendMessage').slice(-1);
      expect(call?.params.disable_notification).toBe(isSilent);
    }
    expect(server.chat(ada).map(({ isSilent }) => isSilent)).toEqual([false, true]);
  });

  test('never sends what Telegram would refuse, whatever the markdown is', async () => {
    const { adapter, server } = setting;
    const markdown = fc.oneof(anyText(), markdownSoup, markdownDocuments);
    for (const sample of fc.sample(markdown, { numRuns: 60, seed: 11 })) {
      if (adapter.measure(sample) > adapter.capabilities.maxLength) continue;
      const ref = await adapter.send(to, reply(sample));
      const message = server.chat(ada).find(({ id }) => id === Number(ref.id));
      expect(message?.text.length).toBeLessThanOrEqual(adapter.measure(sample));
    }
  });

  test('goes without formatting if Telegram refuses that', async () => {
    const { adapter, server } = setting;
    const description = "Bad Request: entity URL 'https://a.b/' is invalid";
    server.fault({ method: 'sendMessage', kind: 'status', status: 400, description, times: 1 });
    await adapter.send(to, reply('[hello](https://a.b)'));
    expect(server.chat(ada)[0]).toMatchObject({ text: 'hello', entities: [] });
  });

  test('measures what will be shown, to the last unit', async () => {
    const { adapter } = setting;
    const longest = `**${'x'.repeat(4096)}**`;
    expect(adapter.measure(longest)).toBe(4096);
    await adapter.send(to, reply(longest));
    expect(await setting.faultOf(adapter.send(to, reply(`${longest}y`)))).toMatchObject({ type: 'permanent' });
  });
});

describe('the commands', () => {
  test('are announced once, however often it connects again', async () => {
    const { server, host } = setting;
    await server.waitFor(() => server.callsOf('setMyCommands').length === 4);
    server.setWebhook('https://example.com');
    server.say(ada, 'wake');
    await waitUntil(() => server.callsOf('deleteWebhook').length === 2, {
      meanwhile: () => setting.clock.advance(250),
    });
    await host.is('connected');
    const calls = server.callsOf('setMyCommands');
    expect(calls.map(({ status, params }) => [status, params.language_code])).toEqual([
      [200, undefined],
      [200, 'zh'],
      [200, undefined],
      [200, 'zh'],
    ]);
  });

  test('that are refused harm nothing', async () => {
    const { server } = setting;
    const other = setting.another({});
    server.fault({ method: 'getMyCommands', kind: 'status', status: 400, description: 'Bad Request: no' });
    const otherHost = new RecordingHost();
    await other.start(otherHost);
    await waitUntil(() => otherHost.logged.join().includes('refuses the menu of commands'));
    await otherHost.is('connected');
    await other.stop();
  });
});

describe('a reaction', () => {
  test('takes the place of the mark, and is the nearest of those that Telegram takes', async () => {
    const { adapter, server } = setting;
    server.say(ada, 'hello', { messageId: 7 });
    await adapter.mark?.(to, '7', 'seen');
    const nearest = async (emoji: string) => adapter.react?.(to, '7', emoji);
    expect(await Promise.all(['👍🏽', '✅', '❤️', '😂', '🤷‍♂️'].map(nearest))).toEqual(['👍', '👍', '❤', '🤣', '🤷‍♂']);
    expect(await nearest('🎉')).toBe('🎉');
    expect(server.chat(ada)[0]?.reactions).toEqual(['🎉']);
  });

  test('that Telegram does not take is refused with all that it takes, and nothing is asked of it', async () => {
    const refused = setting.adapter.react?.(to, '7', ':goose:');
    await expect(refused).rejects.toMatchObject({
      fault: { type: 'permanent' },
      message: expect.stringContaining('👍 👎 ❤'),
    });
    expect(setting.server.callsOf('setMessageReaction')).toEqual([]);
  });
});

describe('a mark', () => {
  test('is shown only if the config wants it', () => {
    expect(setting.another({ reactions: false }).mark).toBeUndefined();
  });

  test('is the bot’s one reaction: that it was seen, and then that it is done', async () => {
    setting.server.say(ada, 'hello', { messageId: 7 });
    for (const mark of ['seen', 'working', 'done'] as const) await setting.adapter.mark?.(to, '7', mark);
    const shown = setting.server.callsOf('setMessageReaction').map(({ params }) => JSON.stringify(params.reaction));
    expect(shown).toEqual(['👀', '👌'].map((emoji) => JSON.stringify([{ type: 'emoji', emoji }])));
    expect(setting.server.chat(ada)[0]?.reactions).toEqual(['👌']);
  });

  test('is shown in groups only, if the config says nothing', async () => {
    const usual = await AdapterSetting.start();
    usual.server.say(-5, 'hello', { messageId: 7 });
    usual.server.say(ada, 'hello', { messageId: 7 });
    await usual.adapter.mark?.({ channel: 'telegram', chatId: '-5', kind: 'group' }, '7', 'done');
    await usual.adapter.mark?.(to, '7', 'done');
    expect(usual.server.callsOf('setMessageReaction').map(({ params }) => params.chat_id)).toEqual(['-5']);
    await usual.close();
  });

  test('is not tried for hours in a chat that allows no such reaction', async () => {
    const description = 'Bad Request: REACTION_INVALID';
    setting.server.fault({ method: 'setMessageReaction', kind: 'status', status: 400, description });
    for (const messageId of ['7', '8']) await setting.adapter.mark?.(to, messageId, 'seen');
    expect(setting.server.callsOf('setMessageReaction')).toHaveLength(1);
    setting.clock.advance(7 * 3_600_000);
    await setting.adapter.mark?.(to, '9', 'seen');
    expect(setting.server.callsOf('setMessageReaction')).toHaveLength(2);
  });

  test('is refused for good where there is no such message', async () => {
    expect(await setting.faultOf(setting.adapter.mark?.(to, '9', 'seen'))).toMatchObject({ type: 'permanent' });
    expect(await setting.faultOf(setting.adapter.mark?.(to, 'x', 'seen'))).toMatchObject({ type: 'permanent' });
  });
});

describe('taking a message away', () => {
  test('is refused for good where the message cannot be deleted, or is none of Telegram', async () => {
    const ref = await setting.adapter.send(to, reply('one'));
    setting.clock.advance(49 * 3_600_000);
    const fault = await setting.faultOf(setting.adapter.remove?.(to, ref));
    expect(fault).toMatchObject({ type: 'permanent', message: expect.stringContaining("can't be deleted") });
    expect(await setting.faultOf(setting.adapter.remove?.(to, { id: 'x' }))).toMatchObject({ type: 'permanent' });
    expect(setting.server.chat(ada)).toHaveLength(1);
  });
});

test('a message that answers another is sent all the same where that is gone, or was none of Telegram', async () => {
  for (const replyTo of ['99', '', 'x', '-1']) await setting.adapter.send(to, reply('Hello', { replyTo }));
  expect(setting.server.chat(ada).map((message) => message.replyTo)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(setting.server.callsOf('sendMessage').every(({ status }) => status === 200)).toBe(true);
});

test('never asks for more formatting than Telegram takes', async () => {
  const links = Array.from({ length: 60 }, (_, index) => `[${index}](https://a.com/${'x'.repeat(82)}${index + 100})`);
  const code = Array.from({ length: 40 }, (_, index) => `\`\`\`${'l'.repeat(32)}\n${index}\n\`\`\``);
  await setting.adapter.send(to, reply(`${links.join('\n')}\n\n${code.join('\n')}`));
  const [message] = setting.server.chat(ada);
  expect(message?.entities).toHaveLength(100);
  expect(setting.server.callsOf('sendMessage')).toHaveLength(1);

  const longLinks = Array.from({ length: 5 }, (_, index) => `[${index}](https://a.com/${'x'.repeat(1_900)})`);
  expect(setting.adapter.measure(longLinks.join('\n'))).toBeGreaterThan(setting.adapter.capabilities.maxLength);
});

/** Stops the adapter and starts it again, with another host. */
async function restart(): Promise<RecordingHost> {
  const next = new RecordingHost(setting.clock);
  const stopped = setting.adapter.stop();
  setting.clock.advance(2_000);
  await stopped;
  await setting.adapter.start(next);
  return next;
}

describe('an adapter that is started again', () => {
  beforeEach(() => setting.host.is('connected'));

  test('does so although its old poll never ends', async () => {
    setting.server.fault({ method: 'getUpdates', kind: 'hang', times: 1 });
    setting.server.say(ada, 'one');
    await setting.server.waitFor(() => setting.server.faultsFired('hang') === 1);
    const { length: reported } = setting.host.healths;
    const next = await restart();
    await waitUntil(() => next.words.includes('one'));
    setting.clock.advance(120_000);
    expect(setting.host.healths).toHaveLength(reported);
  });

  test('takes nothing more to its old host, although that answers only now', async () => {
    const { promise, resolve } = Promise.withResolvers<Receipt>();
    setting.host.store = () => promise;
    setting.server.say(ada, 'one');
    await waitUntil(() => setting.host.words.includes('one'));
    const { length: reported } = setting.host.healths;
    const next = await restart();
    await waitUntil(() => next.words.includes('one'));
    resolve({});
    setting.server.say(ada, 'two');
    await waitUntil(() => next.words.includes('two'));
    expect(setting.host.words).toEqual(['one']);
    expect(setting.host.healths).toHaveLength(reported);
    expect(next.words.filter((text) => text === 'two')).toHaveLength(1);
  });
});

test('says that it is connected as often as its polls can last', () => {
  expect(setting.adapter.capabilities.heartbeat).toBe(45_000);
  expect(setting.another({ poll_timeout_secs: 2, poll_grace_secs: 3 }).capabilities.heartbeat).toBe(5_000);
});

describe('a card for a server that is older than its formatting', () => {
  const card = `Until ${timeElement(Date.UTC(2026, 10, 29), '00:00 UTC')}.\n\n${folded('All', 'the **rest**')}`;
  const styles = () => setting.server.chat(ada).map(({ entities }) => entities.map(({ type }) => type).join());

  test('goes without instants, and those after it at once', async () => {
    const { adapter, server } = setting;
    const description = "Bad Request: can't parse MessageEntity: Unsupported type specified";
    server.fault({ method: 'sendMessage', kind: 'status', status: 400, description, times: 1 });
    for (let sent = 0; sent < 2; sent += 1) await adapter.send(to, reply(card, { kind: 'card' }));
    expect(styles()).toEqual(['expandable_blockquote,bold,bold', 'expandable_blockquote,bold,bold']);
    expect(server.callsOf('sendMessage')).toHaveLength(3);
  });

  test('is unfolded if even that is unknown', async () => {
    const { adapter, server } = setting;
    const description = "Bad Request: can't parse MessageEntity: Unsupported type specified";
    server.fault({ method: 'sendMessage', kind: 'status', status: 400, description, times: 2 });
    for (let sent = 0; sent < 2; sent += 1) await adapter.send(to, reply(card, { kind: 'card' }));
    expect(styles()).toEqual(['blockquote,bold,bold', 'blockquote,bold,bold']);
    expect(server.callsOf('sendMessage')).toHaveLength(4);
  });

  test('keeps its formatting for the next message if something else was refused', async () => {
    const { adapter, server } = setting;
    const description = 'Bad Request: entity is odd';
    server.fault({ method: 'sendMessage', kind: 'status', status: 400, description, times: 3 });
    for (let sent = 0; sent < 2; sent += 1) await adapter.send(to, reply(card, { kind: 'card' }));
    expect(styles()).toEqual(['', 'date_time,expandable_blockquote,bold,bold']);
  });

  test('shows instants of nobody else', async () => {
    await setting.adapter.send(to, reply(card));
    expect(styles()).toEqual(['expandable_blockquote,bold,bold']);
  });
});

describe('the address of the bot', () => {
  test('carries a code, once it is known who the bot is', async () => {
    expect(setting.another({}).startLink?.('k3f9-Abcd_1')).toBeUndefined();
    await waitUntil(() => setting.adapter.startLink?.('k3f9-Abcd_1') !== undefined);
    const url = 'https://t.me/keyturn_test_bot?start=k3f9-Abcd_1';
    expect(setting.adapter.startLink?.('k3f9-Abcd_1')).toEqual({ url, sendsCode: true });
  });

  test.each(['', 'two words', 'a&b', 'x'.repeat(65)])(
    'is none for a code that Telegram would not pass on: %j',
    async (code) => {
      await waitUntil(() => setting.adapter.startLink?.('k3f9') !== undefined);
      expect(setting.adapter.startLink?.(code)).toBeUndefined();
    },
  );
});

test('a group is left, and leaving it again is no fault', async () => {
  const { server, host, adapter } = setting;
  const family = { channel: 'telegram', chatId: '-1001', kind: 'group' } as const;
  server.people.member(-1001, 'added', ada);
  await waitUntil(() => host.received.some(({ type }) => type === 'membership'));
  await adapter.leave?.(family);
  await adapter.leave?.(family);
  expect(await setting.faultOf(adapter.send(family, reply('one')))).toMatchObject({ type: 'permanent' });
  expect(server.callsOf('leaveChat').map(({ status }) => status)).toEqual([200, 403]);
});
