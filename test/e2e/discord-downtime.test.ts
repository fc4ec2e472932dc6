import { test } from 'vitest';
import { surviveDowntime } from './discord-downtime.ts';

test('12 messages that are written while it is away for 1 s are each answered once when it is back', async () => {
  console.log(await surviveDowntime({ messages: 12, seconds: 1 }));
});
