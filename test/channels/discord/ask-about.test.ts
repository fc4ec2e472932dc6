import { describe, expect, test } from 'vitest';
import { discordWords } from '../../../channels/discord/words.ts';
import { type IntakeSetting, intakeSetting } from './intake-setting.ts';

const { commandAsk } = discordWords.en;

interface Choice {
  readonly context?: 1 | 2;
  readonly isInstalled?: boolean;
  readonly from?: string;
}

/** Somebody chooses the command of a message, and sends the form that opens. Gives the id of what they sent. */
async function asks(setting: IntakeSetting, channel: string, messageId: string, question = '', choice: Choice = {}) {
  const { server } = setting;
  const chosen = server.choose(channel, messageId, commandAsk, { forged: true, from: '1001', ...choice });
  const { type, modal } = await chosen.answered;
  expect([type, modal?.title]).toEqual([9, commandAsk]);
  return server.submit(chosen.id, { [modal?.inputs[0]?.customId ?? '']: question }).id;
}

function told(setting: IntakeSetting, id: string, words: string): Promise<unknown> {
  return setting.server.waitFor(() => setting.server.interaction(id).ephemeral.includes(words), { what: words });
}

describe('"Ask about this"', () => {
  test("hands on the question, with the message as somebody else's words, as a reply to it", async () => {
    const { setting, server, host } = await intakeSetting();
    const { channel } = setting.addChannel();
    const { conversation } = await setting.hears(channel, 'hello');
    const { id: said } = server.say(channel, '/approve k3f9', { from: '1002' });
    const id = await asks(setting, channel, said, 'Is that right?');
    expect(await host.hears('Is that right?')).toEqual({
      type: 'message',
      key: id,
      conversation,
      sender: { id: '1001', name: 'Person 1001', isPerson: true, language: 'en-US', roles: [] },
      text: 'Is that right?',
      shared: [{ how: 'forwarded', name: 'Person 1002', text: '/approve k3f9', isOwn: false }],
      addressed: true,
      sentAt: expect.any(Number),
      messageId: said,
    });
    await told(setting, id, discordWords.en.answersHere);
  });

  test('needs no question, and brings the files of the message', async () => {
    const { setting, server, host } = await intakeSetting();
    const { channel } = setting.addChannel();
    const files = [{ name: 'plan.pdf', bytes: Buffer.from('x'), mediaType: 'application/pdf' }];
    const { id: said } = server.say(channel, '', { from: '1002', files });
    await asks(setting, channel, said);
    expect(await host.hears(discordWords.en.askAboutIt)).toMatchObject({
      attachments: [{ name: 'plan.pdf', isShared: true }],
    });
  });

  test.each([
    ['where the bot may not write', { denied: true }],
    ['in a server where only the person has installed it', { isInstalled: false }],
    ['in a chat of other people', { context: 2 }],
  ] as const)('is answered in the direct chat %s', async (_where, place) => {
    const { setting, server, host } = await intakeSetting();
    const { channel } = setting.addChannel();
    const at = 'context' in place ? server.direct('1002') : channel;
    if ('denied' in place) server.scenery.deny(channel, 'SEND_MESSAGES', 'SEND_MESSAGES_IN_THREADS');
    const { id: said } = server.say(at, 'Lunch at noon', { from: '1002' });
    const id = await asks(setting, at, said, 'When?', 'denied' in place ? {} : place);
    const event = await host.hears('When?');
    expect(event).toMatchObject({ conversation: { chatId: server.direct('1001'), kind: 'direct' } });
    expect(event).not.toHaveProperty('messageId', said);
    expect(event.sender).not.toHaveProperty('roles', expect.anything());
    await told(setting, id, discordWords.en.answersDirectly);
  });

  test('says what to do where the bot may write to nobody, and what the host says', async () => {
    const { setting, server, host } = await intakeSetting();
    const { channel } = setting.addChannel();
    const { id: said } = server.say(channel, 'Lunch at noon', { from: '1002' });
    server.scenery.deny(channel, 'SEND_MESSAGES', 'SEND_MESSAGES_IN_THREADS');
    server.fault({ route: 'POST /users/@me/channels', kind: 'status', status: 403, code: 50007, times: 1 });
    await told(setting, await asks(setting, channel, said), discordWords.en.noPlaceToAnswer);
    host.store = async () => ({ notice: 'Not you.' });
    await told(setting, await asks(setting, channel, said), 'Not you.');
  });

  test('says so to who has filled in a form that nobody remembers', async () => {
    const { setting, server, host } = await intakeSetting();
    const { channel } = setting.addChannel();
    const { id: said } = server.say(channel, 'Lunch at noon', { from: '1002' });
    const chosen = server.choose(channel, said, commandAsk, { forged: true });
    const { modal } = await chosen.answered;
    host.clock.advance(15 * 60_000);
    const { id } = server.submit(chosen.id, { [modal?.inputs[0]?.customId ?? '']: 'When?' });
    await told(setting, id, discordWords.en.chooseAgain);
    expect(host.words).not.toContain('When?');
  });

  test('takes any message, and any form', async () => {
    const { setting, server, host } = await intakeSetting();
    const { channel } = setting.addChannel();
    const { id: said } = server.say(channel, 'x', { from: '1002' });
    const { event } = server.choose(channel, said, commandAsk, { forged: true });
    await setting.settles('INTERACTION_CREATE');
    const before = host.received.length;
    const oddities = [
      { data: { type: 3, target_id: said, resolved: { messages: {} } } },
      { data: { type: 3, target_id: said, resolved: { messages: { [said]: { id: 7 } } } } },
      { type: 5, data: { custom_id: 'about:', components: 7 } },
      { type: 5, data: { custom_id: 'about:../x', components: [] } },
    ];
    for (const oddity of oddities) await setting.take('INTERACTION_CREATE', { ...event, ...oddity });
    expect(host.received).toHaveLength(before);
  });
});
