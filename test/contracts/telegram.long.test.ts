import { test } from 'vitest';
import { adapterStaysSteady } from './adapter-memory.ts';
import { TelegramPlatform } from './telegram-platform.ts';

test('a day with a message to Telegram every five seconds leaves the memory as it was', async () => {
  await adapterStaysSteady(() => TelegramPlatform.open(), { rounds: 17_280, mostGrowth: 1_000_000 });
});
