import { test } from 'vitest';
import { surviveFaults, surviveOutage } from './faulty-run.ts';
import { faultySlack } from './faulty-slack.ts';

// Both mostly wait: beside each other they take no longer than the one.
test.concurrent('25 messages are answered in their order while one request to Slack in five goes wrong', async () => {
  console.log(await surviveFaults(faultySlack, { chats: 5, messagesInEach: 5, hangingPolls: 0 }));
}, 90_000);

test.concurrent('what is said, and what was to be said, while Slack is away for 3 s is said afterwards', async () => {
  console.log(await surviveOutage(faultySlack, 5, 3));
}, 90_000);
