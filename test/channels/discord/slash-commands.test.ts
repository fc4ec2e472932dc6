import { expect, test } from 'vitest';
import { discordWords } from '../../../channels/discord/words.ts';
import { intakeSetting } from './intake-setting.ts';

test('a slash command is an addressed message, acknowledged for the person alone', async () => {
  const { setting, server, host, interactions } = await intakeSetting();
  host.whenIdle = () => new Promise(() => {});
  const { channel } = setting.addChannel();
  const command = server.command(channel, 'approve', { forged: true, options: { text: ' k3f9 ' }, from: '1002' });
  expect(await command.answered).toMatchObject({ type: 5, ephemeral: true });
  const event = await host.hears('/approve  k3f9');
  const { conversation, sender } = await setting.hears(channel, 'hello', { from: '1002' });
  expect(event).toEqual({
    type: 'message',
    key: command.id,
    conversation,
    sender: { ...sender, language: 'en-US' },
    text: '/approve  k3f9',
    addressed: true,
    sentAt: expect.any(Number),
    privateTo: `1002:${command.id}`,
  });
  expect(interactions.get(command.id)).toMatchObject({ id: command.id, application_id: server.application.id });
});

test('whoever types a command and is to be suggested words gets an empty list, and nothing is said', async () => {
  const { setting, server, host } = await intakeSetting();
  const { channel } = setting.addChannel();
  const asked = server.suggest(channel, 'model', 'cla');
  expect(await asked.answered).toMatchObject({ type: 8 });
  await setting.hears(channel, 'hello', { from: '1002' });
  expect(host.received.map(({ key }) => key)).not.toContain(asked.id);
});

test('what may follow a command is offered: 25 at most, no longer than Discord shows', async () => {
  const { setting, server, host } = await intakeSetting();
  const { channel } = setting.addChannel();
  host.suggested = [
    { value: 'x'.repeat(101), label: 'too long' },
    { value: 'claude', label: 'C'.repeat(200) },
    ...Array.from({ length: 40 }, (_, number) => ({ value: `m${number}`, label: '' })),
  ];
  const answer = await server.suggest(channel, 'model', 'cla', '1002').answered;
  expect(answer.choices?.slice(0, 2)).toEqual([
    { name: expect.stringMatching(/^(?=.{100}$)C+…C+$/), value: 'claude' },
    { name: 'm0', value: 'm0' },
  ]);
  expect(answer.choices).toHaveLength(25);
  expect(host.suggesting).toEqual(['1002 /model cla']);
});

test('a host that takes too long, or fails, has nothing offered', async () => {
  const { setting, server, host } = await intakeSetting();
  const { channel } = setting.addChannel();
  for (const suggestions of [() => new Promise<never>(() => {}), async () => Promise.reject(new Error('no disk'))]) {
    host.suggestions = suggestions;
    expect(await server.suggest(channel, 'model', '').answered).toMatchObject({ type: 8, choices: [] });
  }
});

test('a command in a chat of other people is not said to the bot alone', async () => {
  const { server, host } = await intakeSetting();
  server.command(server.direct('1002'), 'status', { forged: true, from: '1002', context: 2 });
  expect((await host.hears('/status')).conversation.kind).toBe('group');
});

test('a slash command is acknowledged while nothing can be stored', async () => {
  const { server, host } = await intakeSetting();
  host.store = async () => Promise.reject(new Error('The disk is full.'));
  const chat = server.direct('1001');
  server.say(chat, 'this waits, too');
  const command = server.command(chat, 'status', { forged: true });
  expect(await command.answered).toMatchObject({ type: 5 });
});

test('a command that is refused is answered with the refusal', async () => {
  const { setting, server, host, interactions } = await intakeSetting();
  host.store = async () => ({ notice: 'Not here.' });
  const { channel } = setting.addChannel();
  const command = server.command(channel, 'status', { forged: true });
  await server.waitFor(() => server.interaction(command.id).ephemeral.includes('Not here.'));
  expect(interactions.get(command.id)).toBeUndefined();
});

test('who gives a command that nobody answers is told so, and does not just see it vanish', async () => {
  const { setting, server, host } = await intakeSetting();
  const { channel } = setting.addChannel();
  const command = server.command(channel, 'status', { forged: true });
  await host.receives(1);
  await server.waitFor(() => server.interaction(command.id).ephemeral.length === 1);
  expect(server.interaction(command.id).ephemeral[0]).toBe(discordWords.en.mayNotAnswerHere);
});

test('who uses Discord in Chinese is told so in Chinese, and the core of their language', async () => {
  const { setting, server, host } = await intakeSetting();
  const { channel } = setting.addChannel();
  const command = server.command(channel, 'status', { forged: true, locale: 'zh-CN' });
  const [event] = await host.receives(1);
  expect(event).toMatchObject({ sender: { language: 'zh-CN' } });
  await server.waitFor(() => server.interaction(command.id).ephemeral.length === 1);
  expect(server.interaction(command.id).ephemeral[0]).toBe(discordWords.zh.mayNotAnswerHere);
});

test('an answer that was given stays', async () => {
  const { setting, server, host, interactions, api } = await intakeSetting();
  const idle = Promise.withResolvers<void>();
  host.whenIdle = () => idle.promise;
  const chat = server.direct('1001');
  const command = server.command(chat, 'status', { forged: true });
  await host.receives(1);
  const { application_id, token } = interactions.get(command.id) ?? {};
  const options = { auth: false, body: { content: 'All is well.', flags: 64 } };
  await api.call('POST', `/webhooks/${application_id}/${token}`, options);
  idle.resolve();
  await setting.intake.settled();
  expect(server.interaction(command.id).ephemeral).toEqual(['All is well.']);
});

test('a command whose answer takes longer than its token holds is told so', async () => {
  const { server, host, interactions } = await intakeSetting();
  host.whenIdle = () => new Promise(() => {});
  const chat = server.direct('1001');
  const command = server.command(chat, 'status', { forged: true });
  await host.receives(1);
  host.clock.advance(14 * 60_000);
  await server.waitFor(() => server.interaction(command.id).ephemeral.some((text) => text.includes('takes longer')));
  expect(interactions.get(command.id)).toBeUndefined();
});

test('a command that the session does not outlive leaves nobody waiting', async () => {
  const { server, host, over } = await intakeSetting();
  host.whenIdle = () => new Promise(() => {});
  server.command(server.direct('1001'), 'status', { forged: true });
  await host.receives(1);
  over.abort();
  await server.waitFor(() => server.callsOf('DELETE /webhooks/:application/:token/messages/:message').length === 1);
});
