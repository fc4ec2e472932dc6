import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { ShownMessage } from '../support/slack/shown-message.ts';
import { mayRun, written } from './shell-calls.ts';
import { SlackSetting, team } from './slack-setting.ts';

let setting: SlackSetting;

beforeAll(async () => {
  setting = await SlackSetting.start({ config: { delivery: { tool_cards: false } } });
});

afterAll(() => setting.dispose());

/** A new owner with a card that asks for leave to run this. */
async function ownerWithCard(word: string, command: string): Promise<{ chat: string; card: ShownMessage }> {
  mayRun(setting.model, word, command);
  const chat = setting.newOwner();
  return { chat, card: await setting.askFor(chat, word) };
}

test('a denial with a reason is asked for in a modal, and reaches the model', async () => {
  const { slack, model } = setting;
  const { chat, card } = await ownerWithCard('deny it', 'echo ran >> denied.txt');
  const user = `U${chat.slice(1)}`;
  slack.press(chat, card.ts, 'Deny, and say why');
  const modal = await slack.waitFor(() => slack.home.modal(user), { what: 'a modal' });
  expect(JSON.stringify(modal.blocks)).toContain('Why not?');
  const field = z
    .array(z.looseObject({ type: z.string(), block_id: z.string().optional() }))
    .parse(modal.blocks)
    .find(({ type }) => type === 'input');
  slack.home.submit(user, { [field?.block_id ?? '']: 'not on a Friday' });
  await setting.shows(chat, 'Done with deny it.');
  await setting.shows(chat, /❌ Denied by .*not on a Friday/s);
  const request = model.requests.find(({ lastResults }) => lastResults.join().includes('not on a Friday'));
  expect(request?.lastResults[0]).toContain('Their reason: not on a Friday');
  expect(() => written(setting.daemon, 'denied.txt')).toThrow('ENOENT');
});

test('in a thread, where Slack knows no slash commands, what the card says can be typed decides', async () => {
  const { slack } = setting;
  mayRun(setting.model, 'type it', 'echo ran >> typed.txt');
  const owner = `U${setting.newOwner().slice(1)}`;
  const mention = `<@${slack.home.installation.botUserId}>`;
  const { ts: root } = slack.say(team, `${mention} type it`, { from: owner });
  const card = await slack.waitFor(() => slack.home.thread(team, root).find(({ buttons }) => buttons.length > 0), {
    what: 'a card',
  });
  const [, command = ''] = /`@keyturn (\/approve \w{8})`/.exec(card.text) ?? [];
  slack.say(team, `${mention} ${command}`, { from: owner, threadTs: root });
  await setting.shows(team, 'Done with type it.');
  expect(written(setting.daemon, 'typed.txt')).toBe('ran\n');
});
