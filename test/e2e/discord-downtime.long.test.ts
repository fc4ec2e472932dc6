import { test } from 'vitest';
import { surviveDowntime } from './discord-downtime.ts';

test('100 messages that are written while it is away for a minute are each answered once when it is back', async () => {
  console.log(await surviveDowntime({ messages: 100, seconds: 60 }));
});
