import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../support/model-request.ts';
import { approvalIdOf, TelegramSetting } from './telegram-setting.ts';

const [friend, otherFriend, stranger] = [71, 72, 99];
/** In the config: in these, a mention is needed, and in the last it is not. */
const groups = [-1001, -1002, -1003, -1004] as const;
const [mentioned, together, granted, open] = groups;
const bot = '@keyturn_test_bot';
let setting: TelegramSetting;

beforeAll(async () => {
  const blocks = groups.map((id) => [String(id), { require_mention: id !== open }]);
  const channel = { allow_from: [String(friend), String(otherFriend)], groups: Object.fromEntries(blocks) };
  // The card of a quick tool shows where the machine is slow.
  setting = await TelegramSetting.start({ channel, config: { delivery: { tool_cards: false } } });
});

afterAll(() => setting.dispose());

function shellCall(command: string) {
  return { calls: [{ name: 'shell', arguments: { command } }] };
}

/** Whether a request brings the results of what was said with these words at the end. */
function answersFor(words: string) {
  return ({ lastUserText, lastResults }: ModelRequest) => lastUserText.endsWith(words) && lastResults.length > 0;
}

function userTexts(requestContaining: string): readonly string[] {
  const request = setting.model.requests.findLast(({ lastUserText }) => lastUserText.includes(requestContaining));
  return (request?.messages ?? []).filter(({ role }) => role === 'user').map(({ text }) => text);
}

test('a friend who asks for what an owner must allow is told at once when no owner can be reached', async () => {
  const { telegram, model } = setting;
  model.onUser('too early', shellCall('true')).onResult('nobody who may can be reached', 'I cannot ask anybody.');
  telegram.say(otherFriend, 'too early');
  await telegram.waitForMessage(otherFriend, 'I cannot ask anybody.');
  expect(setting.said(otherFriend)[0]).toContain("without an owner's permission");
});

test('in a group it answers owners and friends who mention it, and nobody else', async () => {
  const { telegram, model } = setting;
  const owner = setting.newOwner();
  telegram.say(mentioned, 'this is not for the bot', { from: owner });
  telegram.say(mentioned, `${bot} a stranger asks`, { from: stranger });
  telegram.say(-1999, `${bot} in a group that nobody has named`, { from: owner });
  telegram.say(mentioned, `${bot} from the channel`, { anonymous: true });
  telegram.say(mentioned, `${bot} from the owner`, { from: owner });
  await telegram.waitForMessage(mentioned, `echo: [Person ${owner}] from the owner`);
  telegram.say(mentioned, `${bot} from a friend`, { from: friend });
  await telegram.waitForMessage(mentioned, `echo: [Person ${friend}] from a friend`);
  expect(setting.said(mentioned)).toHaveLength(2);
  expect(setting.said(-1999)).toEqual([expect.stringContaining('add "-1999": { "require_mention": true }')]);
  const read = JSON.stringify(model.requests.map(({ messages }) => messages));
  for (const unread of ['not for the bot', 'a stranger asks', 'that nobody has named', 'from the channel'])
    expect(read).not.toContain(unread);
});

test('where the config says so, it answers in a group without a mention, and still no stranger', async () => {
  const { telegram } = setting;
  const owner = setting.newOwner();
  telegram.say(open, 'and me?', { from: stranger });
  telegram.say(open, 'no mention here', { from: owner });
  await telegram.waitForMessage(open, `echo: [Person ${owner}] no mention here`);
  expect(setting.said(open)).toHaveLength(1);
});

test("a run serves one person: another's message waits for a run of its own, and both are answered in order", async () => {
  const { telegram, model } = setting;
  const owner = setting.newOwner();
  const thinking = Promise.withResolvers<void>();
  model
    .onUser(/the owner begins$/, { calls: [{ name: 'echo', arguments: { message: 'x' } }], until: thinking.promise })
    .onRequest(answersFor('owner begins'), 'First.')
    .onUser(/the friend follows$/, 'Second.');
  telegram.say(together, `${bot} the owner begins`, { from: owner });
  await model.waitFor(() => model.requests.some(({ lastUserText }) => lastUserText.endsWith('the owner begins')));
  const { update_id: id } = telegram.say(together, `${bot} the friend follows`, { from: friend });
  await telegram.waitFor(() => telegram.confirmedOffset > id);
  thinking.resolve();
  await telegram.waitForMessage(together, 'Second.');
  expect(setting.said(together)).toEqual(['First.', 'Second.']);
  const turns = setting.rows(
    z.object({ principal: z.string(), run_id: z.string() }),
    'SELECT principal, run_id FROM turns WHERE conversation_id = ? ORDER BY id',
    `telegram:${together}`,
  );
  expect(turns.map(({ principal }) => principal)).toEqual([
    `telegram:${owner}`,
    `telegram:${owner}`,
    `telegram:${friend}`,
  ]);
  expect(new Set(turns.map(({ run_id }) => run_id)).size).toBe(2);
  expect(userTexts('the friend follows')).toEqual([
    `[Person ${owner}] the owner begins`,
    `[Person ${friend}] the friend follows`,
  ]);
});

test('a grant serves nobody but the one whose call it came with, nowhere else, and nothing after the words of others', async () => {
  const { telegram, model } = setting;
  const owner = setting.newOwner();
  model.onUser(/same tool$/, shellCall('true')).onRequest(answersFor('same tool'), 'Done.');
  telegram.say(granted, `${bot} same tool`, { from: owner });
  const card = await setting.cardAfter(granted, 0);
  telegram.press(granted, card.id, '15 min', { from: owner });
  const done = await telegram.waitForMessage(granted, 'Done.');
  telegram.say(granted, `${bot} same tool`, { from: owner });
  const again = await telegram.waitForMessage(granted, ({ id, text }) => id > done.id && text === 'Done.');
  telegram.say(granted, `${bot} same tool`, { from: friend });
  const ofFriend = await setting.cardAfter(granted, again.id);
  await setting.askFor(owner, 'same tool');
  telegram.say(granted, `/stop${bot}`, { from: owner });
  telegram.say(granted, `${bot} same tool`, { from: owner });
  expect((await setting.cardAfter(granted, ofFriend.id)).text).toContain(`messages of telegram:${friend}`);
});

test("what a friend asks for in their own chat goes to the owners' chats, and all see what becomes of it", async () => {
  const { telegram, model } = setting;
  const [owner, otherOwner] = [setting.newOwner(), setting.newOwner()];
  for (const person of [owner, otherOwner]) {
    telegram.say(person, 'hi');
    await telegram.waitForMessage(person, 'echo: hi');
  }
  model
    .onUser('open the door', shellCall('touch door.txt'))
    .onRequest(answersFor('open the door'), 'The door is open.');
  telegram.say(friend, 'open the door');
  const card = await setting.cardAfter(owner, 2);
  const twin = await setting.cardAfter(otherOwner, 2);
  expect(card.text).toContain(`for telegram:${friend} (Person ${friend}) in `);
  const notice = await telegram.waitForMessage(friend, 'I asked an owner for permission to run touch door.txt');
  expect(notice.buttons).toEqual([]);

  const forged = telegram.press(friend, notice.id, card.buttons[0]?.data ?? '', { forged: true });
  expect((await forged.answered).text).toBe('You may not decide that. Only an approver of this Keyturn may.');
  telegram.say(friend, `/approve ${approvalIdOf(card)}`);
  await telegram.waitForMessage(friend, 'You may not decide that. Only an approver of this Keyturn may.');
  expect(existsSync(join(setting.daemon.workspace, 'door.txt'))).toBe(false);

  telegram.press(owner, card.id, '✅ Approve');
  await telegram.waitForMessage(friend, 'The door is open.');
  const words = `✅ Approved by telegram:${owner} (Person ${owner})`;
  for (const [chat, { id }] of [
    [owner, card],
    [otherOwner, twin],
    [friend, notice],
  ] as const) {
    await setting.shows(chat, id, words);
    await setting.shows(chat, id, '✔️ Done in');
  }
  expect(setting.said(owner)).toHaveLength(2);
});
