import { test } from 'vitest';
import { surviveRefreshes } from './slack-refresh.ts';

test('of what is said while Slack renews its sockets 3 times, nothing is lost and nothing answered twice', async () => {
  console.log(await surviveRefreshes(3));
});
