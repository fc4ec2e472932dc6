import { expect, test } from 'vitest';
import { commandMenus } from '../../../channels/telegram/menus.ts';
import { commandWords } from '../../../src/conversation/commands/words.ts';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { anything, sayingOnly } from '../../support/saying.ts';

test('every command that Telegram offers is known to Keyturn', async () => {
  const { channel } = await daemonSetting();
  const [english] = commandMenus(channel.commands, {}, { type: 'chat', chat_id: 1 });
  const names = english?.commands.map(({ command }) => command) ?? [];
  expect(names).toContain('pair');
  for (const name of names) {
    await channel.say(`/${name}`);
    await channel.whenIdle();
  }
  const answers = channel.textsIn('test:ada');
  // Of a summary, people are told when it is done, too.
  expect(answers).toHaveLength(names.length + 1);
  const unknown = sayingOnly(commandWords.en.unknown({ command: anything }));
  expect(answers.filter((text) => unknown.test(text))).toEqual([]);
});
