import { test } from 'vitest';
import { surviveFaults, surviveOutage } from './faulty-run.ts';
import { platforms } from './platforms.ts';

// Both mostly wait: beside each other they take no longer than the one.
test.concurrent('1,000 messages are answered in their order while one request to Telegram in five goes wrong', async () => {
  console.log(await surviveFaults(platforms.telegram, { chats: 50, messagesInEach: 20, hangingPolls: 3 }));
});

test.concurrent('what is said, and what was to be said, while Telegram is away for a minute is said afterwards', async () => {
  console.log(await surviveOutage(platforms.telegram, 20, 60));
});
