import { expect, test } from 'vitest';
import { discordWords } from '../../../channels/discord/words.ts';
import { type IntakeSetting, intakeSetting } from './intake-setting.ts';

const buttons = [
  { type: 2, style: 3, label: 'Approve', custom_id: 'ap:k3f9:a' },
  { type: 2, style: 4, label: 'Deny…', custom_id: 'ask:ap:k3f9:r' },
];

function card(setting: IntakeSetting, channelId: string): Promise<string> {
  return setting.answer(channelId, { content: 'Run it?', components: [{ type: 1, components: buttons }] });
}

test('a press is acknowledged and told of, in the conversation of the messages there', async () => {
  const { setting, server, host } = await intakeSetting();
  const { guild, channel } = setting.addChannel();
  const role = server.scenery.addRole(guild.id, 'cooks', ['1002']);
  const thread = server.people.startThread(channel, 'plans', { isAnnounced: false });
  const shown = await card(setting, thread);
  const press = server.press(thread, shown, 'Approve', { from: '1002' });
  expect(await press.answered).toMatchObject({ type: 6 });
  const action = await host.feels();
  const { conversation } = await setting.hears(thread, 'hello');
  expect(action).toEqual({
    type: 'action',
    key: press.id,
    conversation,
    sender: { id: '1002', name: 'Person 1002', isPerson: true, language: 'en-US', roles: [`role:${role}`] },
    actionId: 'ap:k3f9:a',
    messageRef: { id: shown },
  });
  expect(server.callsOf('GET /channels/:channel')).toHaveLength(0);
});

test('a press is acknowledged while nothing can be stored, and stored when it can be', async () => {
  const { setting, server, host } = await intakeSetting();
  const stored = Promise.withResolvers<object>();
  host.store = () => stored.promise;
  const chat = server.direct('1001');
  server.say(chat, 'this waits, too');
  const press = server.press(chat, await card(setting, chat), 'Approve');
  expect(await press.answered).toMatchObject({ type: 6 });
  await host.feels();
  stored.resolve({ notice: 'Too late.' });
  await server.waitFor(() => server.interaction(press.id).ephemeral.includes('Too late.'));
});

test('a press whose acknowledgement breaks is acknowledged once more', async () => {
  const { setting, server, host, chat } = await intakeSetting();
  const shown = await card(setting, chat);
  const fault = server.fault({
    route: 'POST /interactions/:interaction/:token/callback',
    kind: 'drop-before',
    times: 1,
  });
  const press = server.press(chat, shown, 'Approve');
  await setting.passes(() => server.interaction(press.id).answer !== undefined);
  expect([fault.fired, server.interaction(press.id).answer?.type]).toEqual([1, 6]);
  await host.feels();
});

test('a press that nobody can acknowledge any more counts all the same', async () => {
  const { setting, server, host, chat } = await intakeSetting();
  const shown = await card(setting, chat);
  const route = 'POST /interactions/:interaction/:token/callback';
  server.fault({ route, kind: 'status', status: 404, code: 10062, message: 'Unknown interaction' });
  server.press(chat, shown, 'Approve');
  expect(await host.feels()).toMatchObject({ actionId: 'ap:k3f9:a' });
  await setting.intake.settled();
  expect(server.callsOf(route)).toHaveLength(1);
});

test('a refusal is for nobody but the person who pressed', async () => {
  const { setting, server, host } = await intakeSetting();
  host.store = async () => ({ notice: 'Only @everyone in charge may decide that.' });
  const { channel } = setting.addChannel();
  const press = server.press(channel, await card(setting, channel), 'Approve');
  const words = 'Only @everyone in charge may decide that.';
  await server.waitFor(() => server.interaction(press.id).ephemeral.includes(words));
  expect(server.chat(channel).map(({ text }) => text)).toEqual(['Run it?']);
});

test('what is long is told in several messages, each whole, and cut with a note where it is too long', async () => {
  const { setting, server, host } = await intakeSetting();
  const { channel } = setting.addChannel();
  const lines = Array.from({ length: 900 }, (_, at) => `line ${at} <@1001>`);
  host.store = async () => ({ notice: ['**Everything**', '', '```', ...lines.slice(0, 300), '```'].join('\n') });
  const shown = await card(setting, channel);
  const told = (id: string) => server.interaction(id).ephemeral;
  const whole = server.press(channel, shown, 'Approve');
  await server.waitFor(() => told(whole.id).at(-1)?.includes('line 299'));
  expect(told(whole.id).length).toBeGreaterThan(1);
  for (const text of told(whole.id)) expect(text.match(/```/g)).toHaveLength(2);
  host.store = async () => ({ notice: ['```', ...lines, ...lines, ...lines, '```'].join('\n') });
  const cut = server.press(channel, shown, 'Approve');
  await server.waitFor(() => told(cut.id).at(-1)?.endsWith(discordWords.en.restNotShown));
  expect(told(cut.id)).toHaveLength(4);
  expect(server.chat(channel)).toHaveLength(1);
});

test('a button that asks why shows a form, and what is written there comes with the action', async () => {
  const { setting, server, host, chat } = await intakeSetting();
  const press = server.press(chat, await card(setting, chat), 'Deny…');
  const { type, modal } = await press.answered;
  expect([type, modal?.title]).toEqual([9, discordWords.en.formTitle]);
  expect(modal?.inputs).toMatchObject([{ isRequired: false, mostCharacters: 500 }]);
  expect(host.received).toEqual([]);
  const form = server.submit(press.id, { [modal?.inputs[0]?.customId ?? '']: 'too risky' });
  expect(await form.answered).toMatchObject({ type: 6 });
  expect(await host.feels()).toMatchObject({ key: form.id, actionId: 'ap:k3f9:r', text: 'too risky' });
});

test.each(['zh-CN', 'zh-TW'])('the form is in the language of the client that presses: %s', async (locale) => {
  const { setting, server, chat } = await intakeSetting();
  const press = server.press(chat, await card(setting, chat), 'Deny…', { locale });
  const { modal } = await press.answered;
  expect(modal?.title).toBe(discordWords.zh.formTitle);
});

test('what is not ours is answered politely, and told to nobody', async () => {
  const { setting, server, host, chat } = await intakeSetting();
  const { event } = server.command(chat, 'none', { forged: true });
  await setting.settles('INTERACTION_CREATE');
  host.received.length = 0;
  const oddities = [
    { type: 3, data: { component_type: 3, custom_id: 'x', values: ['a'] } },
    { type: 2, data: { type: 2, name: 'context', id: '1' } },
    { type: 5, data: { custom_id: 'foreign', components: [] } },
    { type: 9, data: {} },
    { user: null },
  ];
  for (const oddity of oddities) {
    const bodies = server.callsOf('POST /interactions/:interaction/:token/callback').length;
    await setting.take('INTERACTION_CREATE', { ...event, ...oddity });
    const calls = server.callsOf('POST /interactions/:interaction/:token/callback');
    expect(calls).toHaveLength(bodies + 1);
    expect(calls.at(-1)?.body).toMatchObject({ type: 4, data: { flags: 64 + 4 } });
  }
  expect(host.received).toEqual([]);
});
