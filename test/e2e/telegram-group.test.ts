import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ModelRequest } from '../support/model-request.ts';
import { approvalIdOf, TelegramSetting } from './telegram-setting.ts';

const [friend, otherFriend, stranger] = [71, 72, 99];
/** In the config: in these, a mention is needed, and in the last it is not. */
const groups = [-1001, -1002] as const;
const [mentioned, open] = groups;
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
