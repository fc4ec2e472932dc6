import { channel } from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import { DiscordServer } from '../../packages/fakes/src/discord-server.ts';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';

test('who subscribes to the diagnostics channel is told of each request, and how it was answered', async () => {
  const told: unknown[] = [];
  const listen = (request: unknown): void => void told.push(request);
  const requests = channel('@keyturn/fakes:request');
  requests.subscribe(listen);
  onTestFinished(() => void requests.unsubscribe(listen));
  await using telegram = await TelegramServer.start();
  await using discord = await DiscordServer.start();
  const body = JSON.stringify({ chat_id: 4, text: 'Hello' });
  const headers = { 'content-type': 'application/json' };
  await fetch(`${telegram.root}/bot${telegram.token}/sendMessage`, { method: 'POST', headers, body });
  await fetch(`${discord.apiUrl}/v10/users/@me`, { headers: { authorization: `Bot ${discord.token}` } });
  expect(told).toMatchObject([
    { platform: 'telegram', call: { method: 'sendMessage', params: { text: 'Hello' }, status: 400 } },
    { platform: 'discord', call: { route: 'GET /users/@me', status: 200 } },
  ]);
});
