import { createServer } from 'node:net';
import { onTestFinished, test } from 'vitest';
import { connect, tool } from '../../packages/client/src/client.ts';
import { waitUntil } from '../support/wait-for.ts';
import { TelegramSetting } from './telegram-setting.ts';

test('a tool that a phone offers is called from Telegram, once its person has pressed the button there', async () => {
  const port = await freePort();
  await using setting = await TelegramSetting.start({ config: { gateway: { enabled: true, port } } });
  const { telegram, model } = setting;
  const chat = setting.newOwner();
  const stranger = setting.newOwner();

  telegram.say(chat, '/device phone');
  const told = await telegram.waitFor(() => setting.said(chat).find((text) => codeIn.test(text)));
  const code = codeIn.exec(told)?.[0] ?? '';
  const headers = { 'x-pairing-code': code };
  const paired = await fetch(`http://127.0.0.1:${port}/pair`, { method: 'POST', headers });
  const { token } = tokenIn(await paired.json());

  const called: unknown[] = [];
  const battery = tool({
    name: 'battery',
    description: 'How full the battery is.',
    handler: (args) => {
      called.push(args);
      return { percent: 82 };
    },
  });
  const client = connect({ url: `ws://127.0.0.1:${port}`, token, tools: [battery] });
  onTestFinished(() => client.close());
  await waitUntil(() => client.state === 'open');

  model.onUser('how full is it?', { calls: [{ name: 'battery', arguments: {} }] }).onResult('82', 'It is at 82 %.');
  model.onUser('and mine?', { calls: [{ name: 'battery', arguments: {} }] }).onResult('no tool', 'You have none.');
  const card = await setting.askFor(chat, 'how full is it?');
  await waitUntil(() => card.text.includes('hardware'));
  if (called.length > 0) throw new Error('the device was called before anybody approved it');
  telegram.press(chat, card.id, '✅ Approve');
  await telegram.waitForMessage(chat, 'It is at 82 %.');
  await waitUntil(() => called.length === 1);

  telegram.say(stranger, 'and mine?');
  await telegram.waitForMessage(stranger, 'You have none.');
});

const codeIn = /\b[a-z0-9]{4}-[a-z0-9]{4,}\b/;

function tokenIn(answer: unknown): { readonly token: string } {
  if (typeof answer === 'object' && answer !== null && 'token' in answer && typeof answer.token === 'string') {
    return { token: answer.token };
  }
  throw new Error(`the device was not paired: ${JSON.stringify(answer)}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
