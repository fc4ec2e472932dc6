import { test } from 'vitest';
import { surviveFaults, surviveOutage } from './faulty-run.ts';
import { faultyTelegram } from './faulty-telegram.ts';

// Both mostly wait: beside each other they take no longer than the one.
test.concurrent('25 messages are answered in their order while one request to Telegram in five goes wrong', async () => {
  console.log(await surviveFaults(faultyTelegram, { chats: 5, messagesInEach: 5, hangingPolls: 0 }));
}, 90_000);

test.concurrent('what is said, and what was to be said, while Telegram is away for 7 s is said afterwards', async () => {
  console.log(await surviveOutage(faultyTelegram, 5, 7));
}, 90_000);
