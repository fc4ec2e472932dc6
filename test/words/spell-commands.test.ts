import { expect, test } from 'vitest';
import { spellCommands } from '../../src/words/message-parts.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { call } from '../support/scripted-model.ts';

const prefix = '/keyturn ';
const commands = new Set(['pair', 'unpair', 'deny', 'status', 'stop', 'pin']);

test.each([
  ['Write `/pair k3f9abcd` to me.', 'Write `/keyturn pair k3f9abcd` to me.'],
  ['`/unpair slack:T01/U01` undoes it.', '`/keyturn unpair slack:T01/U01` undoes it.'],
  ['`/deny ID reason`, `/status`', '`/keyturn deny ID reason`, `/keyturn status`'],
  ['`/pin 内容`、`/status`', '`/keyturn pin 内容`、`/keyturn status`'],
  ['run `/stop the server && rm -rf x`', 'run `/stop the server && rm -rf x`'],
  ['`/etc/hosts` `/stopper` /stop', '`/etc/hosts` `/stopper` /stop'],
])('what Keyturn says of commands is spelled as they are typed: %s', (markdown, spelled) => {
  expect(spellCommands({ kind: 'notice', markdown }, prefix, commands)).toBe(spelled);
  expect(spellCommands({ kind: 'notice', markdown }, undefined, commands)).toBe(markdown);
  expect(spellCommands({ kind: 'reply', markdown }, prefix, commands)).toBe(markdown);
});

test('a card shows what it asks about as it is', async () => {
  const { channel, model } = await daemonSetting({ channel: { capabilities: { commandPrefix: prefix } } });
  model.next([call('shell', { command: '/stop' })]);
  const { text } = await channel.ask('run it', 'Run `/stop`?');
  expect(text).toContain('"command": "/stop"');
  expect(text).toMatch(/`\/keyturn approve \w{8}`, `\/keyturn deny \w{8} reason`/);
  const help = await channel.ask('/help all', '`/keyturn status`');
  for (const { name } of channel.commands) expect(help.text).not.toMatch(new RegExp(`\`/${name}\\b`));
});

test('in a thread, commands are named as they are typed there', async () => {
  const commandPrefixInThread = '@keyturn /';
  const { channel } = await daemonSetting({
    channel: { capabilities: { commandPrefix: prefix, commandPrefixInThread } },
  });
  await channel.ask('/help', '`@keyturn /status`', { in: { ...direct(channel.name), threadId: '1.2' } });
  await channel.ask('/help', '`/keyturn status`');
});

test('beside the threads of a group, what is asked about a conversation is answered with how to ask a thread', async () => {
  const { channel } = await daemonSetting({
    channel: { capabilities: { commandPrefix: prefix, commandPrefixInThread: '@keyturn /' } },
  });
  for (const name of ['stop', 'new', 'status', 'grants']) {
    await channel.ask(`/${name}`, `to ask one, write \`@keyturn /${name}\` in it`, { in: group, at: 'test:team' });
    await channel.say(`/${name}`, { in: { ...group, threadId: '1.2' } });
    await channel.say(`/${name}`);
  }
  await channel.whenIdle();
  const elsewhere = channel.screen.filter(({ conversationId }) => conversationId !== 'test:team');
  expect(elsewhere).toHaveLength(8);
  expect(elsewhere.map(({ text }) => text).join()).not.toContain('to ask one');
});
