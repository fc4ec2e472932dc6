import { expect, test } from 'vitest';
import { DiscordApi } from '../../../channels/discord/api.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { answering, failureOf } from '../kit/request-faults.ts';

test('after many refusals nothing is asked for some minutes, so that Discord does not shut us out', async () => {
  const server = await answering((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end('{"code":50013,"message":"Missing Permissions"}');
  });
  const clock = new ManualClock();
  const settings = { token: 'secret', api_url: `${server.origin}/api`, request_timeout_secs: 30 };
  const api = new DiscordApi(settings, clock);
  const ask = (count: number) => api.call('GET', `/channels/${200_000_000_000_000_000n + BigInt(count % 50)}`);
  let fault: string = 'permanent';
  for (let count = 0; fault === 'permanent' && count < 5_001; count += 1)
    fault = (await failureOf(ask(count))).fault.type;
  expect([fault, server.asked]).toEqual(['rate-limited', 5_000]);
  clock.advance(10 * 60_000);
  expect((await failureOf(ask(0))).fault.type).toBe('permanent');
}, 60_000);
