import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ShownMessage } from '../support/discord/shown-message.ts';
import { DiscordSetting } from './discord-setting.ts';
import { mayRun, written } from './shell-calls.ts';

const stranger = '1001000000000000666';
let setting: DiscordSetting;

beforeAll(async () => {
  setting = await DiscordSetting.start({ config: { delivery: { tool_cards: false } } });
});

afterAll(() => setting.dispose());

/** A new owner with a card that asks for leave to run this. */
async function ownerWithCard(word: string, command: string): Promise<{ chat: string; card: ShownMessage }> {
  mayRun(setting.model, word, command);
  const chat = setting.discord.direct(setting.newOwner());
  return { chat, card: await setting.askFor(chat, word) };
}

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
  expect(() => written(setting.daemon, 'denied.txt')).toThrow('ENOENT');
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
  expect(written(setting.daemon, 'command.txt')).toBe('ran\n');
});
