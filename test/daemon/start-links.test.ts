import { expect, test } from 'vitest';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { daemonSetting } from '../support/daemon-setting.ts';

const linked = { url: 'https://chat.example/bot?start=k3f9abcd', sendsCode: true };

async function unclaimed() {
  const { setting, channel } = await daemonSetting({ config: { owners: [] } });
  channel.startLinkFor = (code) => (code === 'k3f9abcd' ? linked : undefined);
  return { setting, channel, connect: () => channel.sessions.hosts.at(-1)?.reportHealth({ status: 'connected' }) };
}

test('the operator is told once where to claim it, when the channel is connected and knows', async () => {
  const { setting, channel, connect } = await unclaimed();
  expect(setting.startLinks).toEqual([]);
  for (let time = 0; time < 2; time += 1) {
    channel.sessions.hosts.at(-1)?.reportHealth({ status: 'failing', reason: 'no network' });
    connect();
  }
  expect(setting.startLinks).toEqual([`test ${linked.url}`]);
});

test('nobody is told of a link that is none, nor once there is an owner', async () => {
  const { setting, channel, connect } = await unclaimed();
  for (const url of ['javascript:alert(1)', 'https://a b', 'https://x\u001b[2J', '']) {
    channel.startLinkFor = () => ({ url, sendsCode: true });
    channel.sessions.hosts.at(-1)?.reportHealth({ status: 'failing', reason: url });
    connect();
  }
  await channel.ask('/claim k3f9abcd', commandWords.en.claimed);
  channel.startLinkFor = () => linked;
  channel.sessions.hosts.at(-1)?.reportHealth({ status: 'failing', reason: 'no network' });
  connect();
  await setting.restart();
  expect(setting.startLinks).toEqual([]);
});
