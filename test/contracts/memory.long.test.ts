import { describe } from 'vitest';
import { adapterMemory } from './adapter-memory.ts';
import { DiscordPlatform } from './discord-platform.ts';
import { SlackPlatform } from './slack-platform.ts';
import { TelegramPlatform } from './telegram-platform.ts';

// The part of the contract that takes longest, for each of our channels.
describe.each([
  ['Discord', () => DiscordPlatform.open()],
  ['Slack', () => SlackPlatform.open()],
  ['Telegram', () => TelegramPlatform.open()],
] as const)('%s', (_name, forgetting) => {
  adapterMemory({ open: forgetting, forgetting });
});
