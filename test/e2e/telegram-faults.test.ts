import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ActiveFault } from '../support/fault-rules.ts';
import type { FaultRule } from '../support/telegram/http-door.ts';
import { waitUntil } from '../support/wait-for.ts';
import { TelegramSetting } from './telegram-setting.ts';

const notModified = 'Bad Request: message is not modified: specified new message content is exactly the same';
let setting: TelegramSetting;
let refused: TelegramSetting;

beforeAll(async () => {
  const unauthorized = { kind: 'status', status: 401, description: 'Unauthorized', method: '*' } as const;
  [setting, refused] = await Promise.all([
    // Each message is to be answered by itself, however quickly the next one comes.
    TelegramSetting.start({
      config: { agent: { burst_ms: 0 } },
      // What gets no answer is given up soon, yet not because the machine is busy: that would be sent twice.
      channel: { poll_timeout_secs: 1, request_timeout_secs: 3 },
    }),
    TelegramSetting.start({ prepare: (telegram) => void telegram.fault(unauthorized) }),
  ]);
});

afterAll(() => Promise.all([setting.dispose(), refused.dispose()]));

/** Makes one request of the bot into this chat go wrong. */
function faultIn(chat: number, fault: FaultRule): ActiveFault {
  const when = ({ chat_id }: Readonly<Record<string, unknown>>): boolean => String(chat_id) === String(chat);
  return setting.telegram.fault({ times: 1, when, ...fault });
}

/** Says something after something went wrong, and waits for the answer: what was to be said before has been said. */
async function goOn(chat: number): Promise<void> {
  setting.telegram.say(chat, 'go on');
  await setting.telegram.waitForMessage(chat, 'echo: go on');
}

function sendingsOf(chat: number) {
  return setting.telegram.callsOf('sendMessage').filter(({ params }) => String(params.chat_id) === String(chat));
}

test.concurrent('a reply that Telegram asks to wait with is sent once, as late as it asks, and other chats do not wait', async () => {
  const { telegram } = setting;
  const [chat, held, other] = [setting.newOwner(), setting.newOwner(), setting.newOwner()];
  faultIn(held, { kind: '429', retryAfter: 600, method: 'sendMessage' });
  faultIn(chat, { kind: '429', retryAfter: 2, method: 'sendMessage' });
  for (const hasty of [held, chat]) telegram.say(hasty, 'too fast');
  await telegram.waitFor(() => telegram.faultsFired('429') === 2);
  telegram.say(other, 'meanwhile');
  await telegram.waitForMessage(other, 'echo: meanwhile');
  expect(setting.said(held)).toEqual([]);
  await telegram.waitForMessage(chat, 'echo: too fast');
  const [first, second] = sendingsOf(chat);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2000);
  await goOn(chat);
  expect(setting.said(chat)).toEqual(['echo: too fast', 'echo: go on']);
});

test.concurrent.each<FaultRule>([
  { kind: 'drop-before', method: 'sendMessage' },
  { kind: 'html', method: 'sendMessage' },
  { kind: 'status', status: 500, method: 'sendMessage' },
  { kind: 'hang', method: 'sendMessage' },
])('a reply that did not arrive ($kind) is sent again, and is there once', async (fault) => {
  const chat = setting.newOwner();
  faultIn(chat, fault);
  setting.telegram.say(chat, 'arrive');
  await setting.telegram.waitForMessage(chat, 'echo: arrive');
  await goOn(chat);
  expect(setting.said(chat)).toEqual(['echo: arrive', 'echo: go on']);
});

test.concurrent('a reply that Telegram refuses is tried once more when it takes something else, and the next is not held back', async () => {
  const chat = setting.newOwner();
  faultIn(chat, { kind: 'status', status: 403, description: 'Forbidden: bot was blocked', method: 'sendMessage' });
  setting.telegram.say(chat, 'blocked');
  await setting.telegram.waitForMessage(chat, 'echo: blocked');
  await goOn(chat);
  expect(setting.said(chat)).toEqual([expect.stringContaining('shown after all'), 'echo: blocked', 'echo: go on']);
});

test.each<FaultRule>([
  { kind: 'status', status: 400, description: notModified, method: 'editMessageText' },
  { kind: 'drop-after', method: 'editMessageText' },
  { kind: 'drop-before', method: 'editMessageText' },
])('a card whose change goes wrong ($kind $status) is not sent again, and shows the outcome', async (fault) => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model.onUser('use a tool', { calls: [{ name: 'shell', arguments: { command: 'true' } }] }).onResult('exit', 'Used.');
  const card = await setting.askFor(chat, 'use a tool');
  const edit = faultIn(chat, fault);
  telegram.press(chat, card.id, '✅ Approve');
  await telegram.waitForMessage(chat, 'Used.');
  await setting.shows(chat, card.id, /✅ Approved by .*Done in/s);
  expect(edit.fired).toBe(1);
  expect(setting.said(chat)).toHaveLength(2);
});

test('a card that somebody has deleted is shown again when it is decided', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model.onUser('delete my card', { calls: [{ name: 'shell', arguments: { command: 'true' } }] });
  const card = await setting.askFor(chat, 'delete my card');
  const gone = { kind: 'status', status: 400, description: 'Bad Request: message to edit not found' } as const;
  faultIn(chat, { ...gone, method: 'editMessageText' });
  telegram.press(chat, card.id, '❌ Deny');
  const isShown = () => telegram.chat(chat).some(({ id, text }) => id > card.id && text.startsWith('❌ Denied by'));
  await telegram.waitFor(isShown, { what: 'the card' });
});

test('a press that cannot be answered has been decided all the same', async () => {
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  model
    .onUser('press in vain', { calls: [{ name: 'shell', arguments: { command: 'true' } }] })
    .onResult('exit', 'Used.');
  const card = await setting.askFor(chat, 'press in vain');
  const tooOld = 'Bad Request: query is too old and response timeout expired or query ID is invalid';
  telegram.fault({ kind: 'status', status: 400, description: tooOld, method: 'answerCallbackQuery', times: 1 });
  telegram.press(chat, card.id, '✅ Approve');
  await telegram.waitForMessage(chat, 'Used.');
});

test('what is said while another process receives with the same token, or the network is gone, is answered afterwards', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  const conflict = { kind: 'status', status: 409, description: 'Conflict: terminated by other getUpdates' } as const;
  const faults = telegram.fault({ ...conflict, method: 'getUpdates', times: 1 });
  await telegram.waitFor(() => faults.fired === 1);
  telegram.say(chat, 'during the conflict');
  await telegram.waitForMessage(chat, 'echo: during the conflict');
  telegram.outage(true);
  telegram.say(chat, 'during the outage');
  await setting.daemon.waitForOutput('Telegram cannot be reached');
  telegram.outage(false);
  await telegram.waitForMessage(chat, 'echo: during the outage');
  // The outage may have taken the answer to the first sending: then it was sent twice.
  expect(new Set(setting.said(chat))).toEqual(new Set(['echo: during the conflict', 'echo: during the outage']));
});

test('a token that Telegram refuses is told in the log with what to do, and is tried again; the process stays for its other channel', async () => {
  const { daemon, telegram } = refused;
  await daemon.waitForOutput('does not accept the token');
  expect(daemon.output).toContain('@BotFather');
  await waitUntil(() => telegram.callsOf('getMe').length >= 2, { what: 'the next try' });
  // Nothing else is asked for with a token that is refused.
  expect(new Set(telegram.calls.map(({ method }) => method))).toEqual(new Set(['deleteWebhook', 'getMe']));
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
});
