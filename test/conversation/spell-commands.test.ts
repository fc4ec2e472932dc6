import { expect, test } from 'vitest';
import { commandMenu } from '../../src/command-menu.ts';
import { spellCommands } from '../../src/conversation/delivery/spell-commands.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { call } from '../support/scripted-model.ts';

const prefix = '/keyturn ';

test.each([
  ['Write `/pair k3f9abcd` to me.', 'Write `/keyturn pair k3f9abcd` to me.'],
  ['`/unpair slack:T01/U01` undoes it.', '`/keyturn unpair slack:T01/U01` undoes it.'],
  ['`/deny ID reason`, `/status`', '`/keyturn deny ID reason`, `/keyturn status`'],
  ['run `/stop the server && rm -rf x`', 'run `/stop the server && rm -rf x`'],
  ['`/etc/hosts` `/stopper` /stop', '`/etc/hosts` `/stopper` /stop'],
])('what Keyturn says of commands is spelled as they are typed: %s', (markdown, spelled) => {
  expect(spellCommands({ kind: 'notice', markdown }, prefix)).toBe(spelled);
  expect(spellCommands({ kind: 'notice', markdown }, undefined)).toBe(markdown);
  expect(spellCommands({ kind: 'reply', markdown }, prefix)).toBe(markdown);
});

test('a card shows what it asks about as it is', async () => {
  const { channel, model } = await daemonSetting({ channel: { capabilities: { commandPrefix: prefix } } });
  model.next([call('shell', { command: '/stop' })]);
  await channel.say('run it');
  const { text } = await channel.sees('May I');
  expect(text).toContain('run `/stop`');
  expect(text).toContain('"command": "/stop"');
  expect(text).toMatch(/`\/keyturn approve \w{8}`, `\/keyturn deny \w{8} reason`/);
  await channel.say('/help');
  const help = await channel.sees('`/keyturn status`');
  for (const { name } of commandMenu.filter((offered) => offered.name !== 'claim'))
    expect(help.text).toContain(`/keyturn ${name}`);
  expect(help.text).not.toContain('`/help');
});

test('in a thread, commands are named as they are typed there', async () => {
  const commandPrefixInThread = '@keyturn /';
  const { channel } = await daemonSetting({
    channel: { capabilities: { commandPrefix: prefix, commandPrefixInThread } },
  });
  await channel.say('/help', { in: { ...direct(channel.name), threadId: '1.2' } });
  await channel.sees('`@keyturn /status`');
  await channel.say('/help');
  await channel.sees('`/keyturn status`');
});
