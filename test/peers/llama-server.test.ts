import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { ShownMessage } from '../../packages/fakes/src/telegram/chats.ts';
import { TelegramSetting } from '../e2e/telegram-setting.ts';
import { waitUntil } from '../support/wait-for.ts';
import { type LlamaServer, startLlamaServer } from './support/llama-server.ts';

/*
 * A real llama.cpp with a real model that is very small: what it says makes little sense, so these look at whether it is
 * asked in a form that it takes, and at what becomes of its answers.
 */

/** On a processor that others use, it reads some twenty tokens a second. */
const timeoutMs = 400_000;
const turnShape = z.object({ kind: z.string(), input_tokens: z.number(), output_tokens: z.number() });

let llama: LlamaServer;
let setting: TelegramSetting;

beforeAll(async () => {
  llama = await startLlamaServer({ window: 4096 });
  const main = { provider: 'openai_compatible', name: 'smollm2', base_url: llama.url, max_output_tokens: 60 };
  // Its answers are messages from their first words on, and these go on, where a draft would be written anew.
  setting = await TelegramSetting.start({ config: { models: { main } }, channel: { drafts: false } });
});

afterAll(async () => {
  await setting.dispose();
  await llama.kill();
});

/** The turns of a chat, once there are so many. */
function turnsOf(chat: number, count = 1): Promise<readonly z.output<typeof turnShape>[]> {
  const turns = () =>
    setting.rows(
      turnShape,
      `SELECT kind, input_tokens, output_tokens FROM turns WHERE conversation_id = 'telegram:${chat}' ORDER BY id`,
    );
  const look = () => (turns().length >= count ? turns() : undefined);
  const describe = () => setting.said(chat).join('\n');
  return waitUntil(look, { timeoutMs, everyMs: 500, what: `${count} turns of the model`, describe });
}

test('a window of 4,096 tokens is enough for a hello, with all tools', async () => {
  const chat = setting.newOwner();
  setting.telegram.say(chat, 'hello');
  const [turn] = await turnsOf(chat);
  expect(turn).toMatchObject({ kind: 'turn' });
  expect(turn?.input_tokens).toBeLessThan(3_000);
  expect(turn?.output_tokens).toBeGreaterThan(0);
  expect(setting.said(chat).join('\n')).not.toMatch(/too long|does not fit/);
});

test('what its server cannot do is noticed: the model calls tools in text, and an owner reads so', async () => {
  const chat = setting.newOwner();
  setting.telegram.say(chat, '/status details');
  await setting.telegram.waitForMessage(chat, /window 4,096 tokens .*tool calls in text/, timeoutMs);
});

test('two chats get their answers from a server with one slot', async () => {
  const chats = [setting.newOwner(), setting.newOwner()];
  for (const chat of chats) setting.telegram.say(chat, 'hello');
  for (const chat of chats) expect(await turnsOf(chat)).toMatchObject([{ kind: 'turn' }]);
});

test('an answer in the midst of which the server is killed goes on at its seam, and is there once', async () => {
  const chat = setting.newOwner();
  const { telegram } = setting;
  telegram.say(chat, 'Write a long story about a dog that goes to the sea.');
  const isBegun = ({ from, text }: ShownMessage) => from === 'bot' && text.length > 20;
  const begun = await telegram.waitFor(() => telegram.chat(chat).find(isBegun), { timeoutMs, what: 'its beginning' });
  const beginning = begun.text.slice(0, 20);
  await llama.kill();
  await llama.restart();
  expect(await turnsOf(chat)).toMatchObject([{ kind: 'turn' }]);
  // In the same message, or below the notice that the model was away for long.
  const answers = () => setting.said(chat).filter((text) => text.startsWith(beginning));
  const isWhole = () => answers().length === 1 && answers().every((text) => text.length > begun.text.length);
  await telegram.waitFor(isWhole, { timeoutMs, what: 'the rest of the answer, once' });
  expect(answers()[0]?.split(beginning)).toHaveLength(2);
});
