import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { ShownMessage } from '../support/discord/shown-message.ts';
import { DiscordSetting } from './discord-setting.ts';

const stranger = '1001000000000000666';
let setting: DiscordSetting;

beforeAll(async () => {
  setting = await DiscordSetting.start({ config: { approval: { timeout_secs: 8 }, delivery: { tool_cards: false } } });
});

afterAll(() => setting.dispose());

/** A model that calls shell with this when it is told the word, and says that it is done afterwards. */
function mayRun(word: string, command: string): void {
  setting.model
    .onUser((text) => text.includes(word), { calls: [{ name: 'shell', arguments: { command } }] })
    .onRequest(
      ({ messages, lastResults }) =>
        lastResults.length > 0 && messages.findLast(({ role }) => role === 'user')?.text.includes(word) === true,
      `Done with ${word}.`,
    );
}

/** A new owner with a card that asks for leave to run this. */
async function ownerWithCard(word: string, command: string): Promise<{ chat: string; card: ShownMessage }> {
  mayRun(word, command);
  const chat = setting.discord.direct(setting.newOwner());
  return { chat, card: await setting.askFor(chat, word) };
}

/** What commands have left behind in the workspace. */
function written(name: string): string {
  return readFileSync(join(setting.daemon.workspace, name), 'utf8');
}

test('the card shows all arguments, and what is approved by its button runs once', async () => {
  const { discord } = setting;
  const command = `echo ran >> approved.txt # ${'long '.repeat(700)}end`;
  const { chat, card } = await ownerWithCard('run it', command);
  // It is longer than a message: where one ends and the next begins are fences, and white space may be gone.
  const shown = setting
    .said(chat)
    .join('')
    .replaceAll(/```(json)?|\s/g, '');
  expect(shown).toContain(`"command":"${command.replaceAll(/\s/g, '')}"`);
  const press = discord.press(chat, card.id, '✅ Approve');
  expect(await press.answered).toMatchObject({ type: 6 });
  await setting.shows(chat, 'Done with run it.');
  await discord.waitFor(() => discord.chat(chat).find(({ id, buttons }) => id === card.id && buttons.length === 0), {
    what: 'the buttons to be gone',
  });
  expect(setting.said(chat).join('\n')).toMatch(/✅ Approved by /);
  expect(written('approved.txt')).toBe('ran\n');
});

test('two presses decide once, and the second is told so alone', async () => {
  const { discord } = setting;
  const { chat, card } = await ownerWithCard('press twice', 'echo ran >> twice.txt');
  const first = discord.press(chat, card.id, '✅ Approve');
  const second = discord.press(chat, card.id, '❌ Deny');
  discord.dispatch('INTERACTION_CREATE', first.event);
  await setting.shows(chat, 'Done with press twice.');
  await setting.told(second.id, 'That is already approved.');
  expect(written('twice.txt')).toBe('ran\n');
});

test('a stranger in a server decides nothing, and is told so alone; the owner then decides', async () => {
  const { discord, scene } = setting;
  const { channelId } = scene;
  mayRun('deploy it', 'echo ran >> channel.txt');
  const owner = setting.newOwner();
  const card = await setting.askFor(channelId, `${setting.mention} deploy it`, owner);
  const before = setting.said(channelId);
  const nosy = discord.press(channelId, card.id, '✅ Approve', { from: stranger });
  await setting.told(nosy.id, 'You may not decide that');
  expect(setting.said(channelId)).toEqual(before);
  const states = setting.rows(z.object({ state: z.string() }), `SELECT state FROM approvals WHERE state = 'pending'`);
  expect(states).toEqual([{ state: 'pending' }]);
  discord.press(channelId, card.id, '✅ Approve', { from: owner });
  await setting.shows(channelId, 'Done with deploy it.');
  expect(written('channel.txt')).toBe('ran\n');
  expect(discord.chat(channelId).flatMap(({ from, pings }) => (from === 'bot' ? pings : []))).toEqual([]);
});

test('a denial with a reason is asked for in a form, and reaches the model', async () => {
  const { discord, model } = setting;
  const { chat, card } = await ownerWithCard('deny it', 'echo ran >> denied.txt');
  const press = discord.press(chat, card.id, 'Deny, and say why');
  const { modal } = await press.answered;
  expect(modal).toMatchObject({ title: 'Why not?' });
  discord.submit(press.id, { reason: 'not on a Friday' });
  await setting.shows(chat, 'Done with deny it.');
  await setting.shows(chat, /❌ Denied by .*not on a Friday/s);
  const request = model.requests.find(({ lastResults }) => lastResults.join().includes('not on a Friday'));
  expect(request?.lastResults[0]).toContain('Their reason: not on a Friday');
  expect(() => written('denied.txt')).toThrow('ENOENT');
});

test('what nobody decides in time does not run, and a press afterwards is told so', async () => {
  const { chat, card } = await ownerWithCard('too late', 'echo ran >> late.txt');
  await setting.shows(chat, 'Nobody decided in time');
  const press = setting.discord.press(chat, card.id, card.buttons[0]?.data ?? '', { forged: true });
  await setting.told(press.id, 'Too late');
  expect(() => written('late.txt')).toThrow('ENOENT');
});

test('a card that was open when the process was killed works in the next one', async () => {
  const { chat, card } = await ownerWithCard('after a restart', 'echo ran >> restart.txt');
  await setting.restart();
  setting.discord.press(chat, card.id, '✅ Approve');
  await setting.shows(chat, 'Done with after a restart.', 15_000);
  expect(written('restart.txt')).toBe('ran\n');
});

test('slash commands are offered, and answered to the one who gives them alone', async () => {
  const { discord, scene } = setting;
  const owner = setting.newOwner();
  await discord.waitFor(() => discord.commands().some(({ name }) => name === 'status'), { what: 'the commands' });
  const before = setting.said(scene.channelId);
  for (const channel of [scene.channelId, scene.threadId, discord.direct(owner)]) {
    const { id, answered } = discord.command(channel, 'status', { from: owner });
    expect(await answered).toMatchObject({ type: 5, ephemeral: true });
    await setting.told(id, 'is up for');
  }
  const { id } = discord.command(scene.channelId, 'stop', { from: stranger });
  await discord.waitFor(() => discord.interaction(id).ephemeral.length > 0, { what: 'an answer to the stranger' });
  expect(setting.said(scene.channelId)).toEqual(before);
});

test('a slash command that approves is obeyed', async () => {
  const { discord } = setting;
  const { chat, card } = await ownerWithCard('by command', 'echo ran >> command.txt');
  const [, text = ''] = /\/approve ([a-z0-9]+)/.exec(card.text) ?? [];
  discord.command(chat, 'approve', { options: { text } });
  await setting.shows(chat, 'Done with by command.');
  expect(written('command.txt')).toBe('ran\n');
});
