import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { ShownMessage } from '../support/slack/shown-message.ts';
import { SlackSetting, team } from './slack-setting.ts';

let setting: SlackSetting;

beforeAll(async () => {
  setting = await SlackSetting.start({ config: { delivery: { tool_cards: false } } });
});

afterAll(() => setting.dispose());

/** A model that calls shell with this when it is told the word, and says that it is done afterwards. */
function mayRun(word: string, command: string, { model } = setting): void {
  model
    .onUser((text) => text.includes(word), { calls: [{ name: 'shell', arguments: { command } }] })
    .onRequest(
      ({ messages, lastResults }) =>
        lastResults.length > 0 && messages.findLast(({ role }) => role === 'user')?.text.includes(word) === true,
      `Done with ${word}.`,
    );
}

/** A new owner with a card that asks for leave to run this. */
async function ownerWithCard(
  word: string,
  command: string,
  place = setting,
): Promise<{ chat: string; card: ShownMessage }> {
  mayRun(word, command, place);
  const chat = place.newOwner();
  return { chat, card: await place.askFor(chat, word) };
}

/** What commands have left behind in the workspace. */
function written(name: string, { daemon } = setting): string {
  return readFileSync(join(daemon.workspace, name), 'utf8');
}

/** Waits for what this person alone is told. */
function told(channel: string, userId: string, words: string, { slack } = setting): Promise<unknown> {
  const look = (): boolean => slack.home.ephemerals(channel, userId).some(({ text }) => text.includes(words));
  const describe = (): string => JSON.stringify(slack.home.ephemerals(channel));
  return slack.waitFor(look, { what: `${userId} to be told ${words}`, describe });
}

test('the card shows all arguments, and what is approved by its button runs once', async () => {
  const command = `echo ran >> approved.txt # ${'long '.repeat(500)}end`;
  const { chat, card } = await ownerWithCard('run it', command);
  const shown = setting.said(chat).join('\n');
  expect(shown).toContain(command);
  setting.slack.press(chat, card.ts, '✅ Approve');
  await setting.shows(chat, 'Done with run it.');
  await setting.slack.waitFor(
    () => setting.slack.chat(chat).find(({ ts, buttons, text }) => ts === card.ts && buttons.length === 0 && text),
    { what: 'the buttons to be gone' },
  );
  expect(setting.said(chat).join('\n')).toMatch(/✅ Approved by /);
  expect(written('approved.txt')).toBe('ran\n');
});

test('two presses decide once, and the second is told so alone', async () => {
  const { chat, card } = await ownerWithCard('press twice', 'echo ran >> twice.txt');
  const { delivery } = setting.slack.press(chat, card.ts, '✅ Approve');
  setting.slack.press(chat, card.ts, '❌ Deny');
  setting.slack.redeliver(delivery);
  await setting.shows(chat, 'Done with press twice.');
  await told(chat, `U${chat.slice(1)}`, 'That is already approved.');
  expect(written('twice.txt')).toBe('ran\n');
});

test('a stranger in a channel decides nothing, and is told so alone; the owner then decides', async () => {
  const { slack } = setting;
  mayRun('deploy it', 'echo ran >> channel.txt');
  const owner = `U${setting.newOwner().slice(1)}`;
  const { ts: root } = slack.say(team, `<@${slack.home.installation.botUserId}> deploy it`, { from: owner });
  const card = await slack.waitFor(() => slack.chat(team).find(({ buttons }) => buttons.length > 0), {
    what: 'a card',
  });
  expect(card.threadTs).toBe(root);
  // Slack knows no slash commands in threads.
  expect(card.text).toMatch(/Or type `@keyturn \/approve \w{8}`/);
  slack.press(team, card.ts, '✅ Approve', { from: 'U0EVE' });
  await told(team, 'U0EVE', 'You may not decide that');
  const states = setting.rows(z.object({ state: z.string() }), `SELECT state FROM approvals WHERE state = 'pending'`);
  expect(states).toEqual([{ state: 'pending' }]);
  slack.press(team, card.ts, '✅ Approve', { from: owner });
  await setting.shows(team, 'Done with deploy it.');
  expect(written('channel.txt')).toBe('ran\n');
  expect(slack.chat(team).flatMap(({ pings }) => pings)).toEqual([]);
});

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
  expect(() => written('denied.txt')).toThrow('ENOENT');
});

test('what nobody decides in time does not run, and a press afterwards is told so', async () => {
  await using short = await SlackSetting.start({
    config: { approval: { timeout_secs: 1 }, delivery: { tool_cards: false } },
  });
  const { chat, card } = await ownerWithCard('too late', 'echo ran >> late.txt', short);
  const [approve] = card.buttons;
  await short.shows(chat, 'Nobody decided in time', 10_000);
  short.slack.press(chat, card.ts, approve?.actionId ?? '', { forged: { value: approve?.value ?? '' } });
  await told(chat, `U${chat.slice(1)}`, 'Too late', short);
  expect(() => written('late.txt', short)).toThrow('ENOENT');
});

test('a card that was open when the process was killed works in the next one', async () => {
  const { chat, card } = await ownerWithCard('after a restart', 'echo ran >> restart.txt');
  await setting.restart();
  setting.slack.press(chat, card.ts, '✅ Approve');
  await setting.shows(chat, 'Done with after a restart.', 15_000);
  expect(written('restart.txt')).toBe('ran\n');
});

test('in a thread, where Slack knows no slash commands, what the card says can be typed decides', async () => {
  const { slack } = setting;
  mayRun('type it', 'echo ran >> typed.txt');
  const owner = `U${setting.newOwner().slice(1)}`;
  const mention = `<@${slack.home.installation.botUserId}>`;
  const { ts: root } = slack.say(team, `${mention} type it`, { from: owner });
  const card = await slack.waitFor(() => slack.home.thread(team, root).find(({ buttons }) => buttons.length > 0), {
    what: 'a card',
  });
  const [, command = ''] = /`@keyturn (\/approve \w{8})`/.exec(card.text) ?? [];
  slack.say(team, `${mention} ${command}`, { from: owner, threadTs: root });
  await setting.shows(team, 'Done with type it.');
  expect(written('typed.txt')).toBe('ran\n');
});
