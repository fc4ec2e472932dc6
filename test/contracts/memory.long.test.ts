import { describe, test } from 'vitest';
import { adapterMemory, adapterStaysSteady } from './adapter-memory.ts';
import { openDiscord } from './discord-platform.ts';
import { openSlack } from './slack-platform.ts';
import { openTelegram } from './telegram-platform.ts';

// The part of the contract that takes longest, for each of our channels.
describe.each([
  ['Discord', openDiscord],
  ['Slack', openSlack],
] as const)('%s', (_name, forgetting) => {
  adapterMemory({ open: forgetting, forgetting });
});

test('5,000 messages to Telegram and back leave the memory as it was', async () => {
  await adapterStaysSteady(openTelegram, { rounds: 5_000, mostGrowth: 1_000_000 });
});
