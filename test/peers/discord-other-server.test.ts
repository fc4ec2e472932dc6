import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { daemonConfig, modelEnvironment } from '../e2e/daemon-config.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { ModelServer } from '../support/model-server.ts';
import { waitUntil } from '../support/wait-for.ts';
import type { TwinCall } from './support/discord-digital-twin/twin-door.ts';
import type { TwinMessage } from './support/discord-digital-twin/twin-message.ts';
import { type DiscordTwin, startDiscordTwin } from './support/discord-digital-twin.ts';

/** The same talk as elsewhere, with a Discord that others have written: what ours allows, theirs may not. */
let model: ModelServer;
let discord: DiscordTwin;
let daemon: DaemonProcess;

beforeAll(async () => {
  [model, discord] = await Promise.all([ModelServer.start(), startDiscordTwin()]);
  const { token, apiUrl, guildId } = discord;
  const channel = { enabled: true, token, api_url: apiUrl, groups: { [guildId]: {} } };
  const config = daemonConfig({ model, owners: [], channels: { discord: channel } });
  daemon = DaemonProcess.start({ config, env: modelEnvironment });
  await daemon.waitForOutput(connected);
});

afterAll(async () => {
  await daemon.dispose();
  await Promise.all([model.close(), discord.close()]);
});

test('a person claims it with the printed code, and talks with it', async () => {
  const [, code] = /\/claim ([a-z0-9]+)/.exec(daemon.output) ?? [];
  const direct = discord.direct('ann');
  await discord.say(direct, `/claim ${code}`);
  await discord.waitForMessage(direct, ({ text }) => text.includes('is yours now'));
  await discord.say(direct, 'hello');
  await discord.waitForMessage(direct, 'echo: hello');
});

// Their Discord says of every message that it mentions nobody: the mention stands in the text alone.
test('a mention in a channel is answered there, and so is a reply to the answer; nothing else is', async () => {
  const asked = await discord.say(discord.general, `${discord.mention} who are you?`);
  const answer = await discord.waitForMessage(discord.general, 'echo: [ann] who are you?');
  expect(answer.replyTo).toBe(asked);
  await discord.say(discord.general, 'not for the bot');
  await discord.reply(discord.general, asked, 'nor is this');
  await discord.reply(discord.general, answer.id, 'and who am I?');
  await discord.waitForMessage(discord.general, ({ text }) => text.endsWith('[ann] and who am I?'));
  expect(model.requests.map(({ lastUserText }) => lastUserText).filter((text) => /not for|nor is/.test(text))).toEqual(
    [],
  );
});

test('in a thread, nobody need mention it once it has taken part', async () => {
  const thread = await discord.openThread(discord.general, 'plans');
  await discord.say(thread, 'not yet for the bot');
  await discord.say(thread, `${discord.mention} what now?`);
  await discord.waitForMessage(thread, 'echo: [ann] what now?');
  await discord.say(thread, 'and then?');
  await discord.waitForMessage(thread, 'echo: [ann] and then?');
  expect(await answersIn(thread)).toHaveLength(2);
});

test('a call that is approved by its button runs, and the card says so', async () => {
  model
    .onUser('run it', { calls: [{ name: 'shell', arguments: { command: 'echo it ran' } }] })
    .onResult('it ran', 'It ran.');
  await discord.say(discord.general, `${discord.mention} run it`);
  const message = await cardIn(discord.general, 'echo it ran');
  const press = { channel: discord.general, message, label: '✅ Approve' };
  expect(await discord.press(press, 'ben')).toEqual({ type: 6 });
  await discord.waitForMessage(discord.general, ({ text }) => text.startsWith('You may not decide that.'));
  expect(await discord.press(press)).toEqual({ type: 6 });
  await discord.waitForMessage(discord.general, 'It ran.');
  const after = await discord.waitForMessage(
    discord.general,
    ({ id, text }) => id === message.id && text.includes('✔️'),
  );
  expect(after.buttons).toEqual([]);
});

test('a call that is denied in the form does not run, and the model is told why', async () => {
  model
    .onUser('leave it alone', { calls: [{ name: 'shell', arguments: { command: 'echo > never.txt' } }] })
    .onResult('it is not yours', 'I did not run it.');
  const thread = await discord.openThread(discord.general, 'errands', await discord.say(discord.general, 'errands'));
  await discord.say(thread, `${discord.mention} leave it alone`);
  const message = await cardIn(thread, 'never.txt');
  const press = { channel: thread, message, label: 'Deny, and say why' };
  expect(await discord.pressAndWrite(press, 'because it is not yours')).toEqual({ type: 6 });
  await discord.waitForMessage(thread, 'I did not run it.');
  await discord.waitForMessage(thread, ({ id, text }) => id === message.id && text.includes('it is not yours'));
  expect(existsSync(join(daemon.workspace, 'never.txt'))).toBe(false);
});

test('a slash command is answered', async () => {
  expect(await discord.command(discord.general, 'help')).toMatchObject({ text: expect.stringContaining('/help all') });
});

test('nothing is asked that it could not answer', () => {
  expect(discord.calls.filter(({ status }) => status >= 400)).toEqual([]);
  expect(daemon.output.match(/^\{"level":[456]0.*/gm) ?? []).toEqual([]);
});

test('a connection that breaks is followed by another, and nothing is lost between them', async () => {
  discord.dropConnection();
  await discord.say(discord.general, `${discord.mention} still there?`);
  await discord.waitForMessage(discord.general, 'echo: [ann] still there?');
  await discord.say(discord.general, `${discord.mention} and now?`);
  await discord.waitForMessage(discord.general, 'echo: [ann] and now?');
});

test('what is said while it is down is answered when it is back, and the commands are not registered again', async () => {
  await daemon.kill();
  await discord.say(discord.general, `${discord.mention} are you there?`);
  const before = discord.calls.length;
  await daemon.restart();
  await discord.waitForMessage(discord.general, 'echo: [ann] are you there?');
  await waitUntil(() => discord.calls.slice(before).some(asksForCommands), { what: 'a look at the commands' });
  expect(await discord.command(discord.general, 'status')).toMatchObject({ text: expect.stringContaining('is up') });
  const answers = (await answersIn(discord.general)).filter((text) => text.endsWith('there?'));
  expect(answers).toEqual(['echo: [ann] still there?', 'echo: [ann] are you there?']);
  const writes = discord.calls.filter(({ method, path }) => method === 'PUT' && path.endsWith('/commands'));
  expect(writes.map(({ status }) => status)).toEqual([200]);
});

/** What the bot has said there. */
async function answersIn(channel: string): Promise<readonly string[]> {
  return (await discord.messages(channel)).flatMap(({ from, text }) => (from === 'bot' ? [text] : []));
}

function cardIn(channel: string, command: string): Promise<TwinMessage> {
  return discord.waitForMessage(channel, ({ text, buttons }) => text.includes(command) && buttons.length > 0);
}

function asksForCommands({ method, path }: TwinCall): boolean {
  return method === 'GET' && path.endsWith('/commands');
}

const connected = '"channel":"discord","status":"connected"';
