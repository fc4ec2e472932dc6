import { test } from 'vitest';
import { surviveDowntime } from './discord-downtime.ts';

test('30 messages that are written while it is away for 2 s are each answered once when it is back', async () => {
  console.log(await surviveDowntime({ messages: 30, seconds: 2 }));
});
