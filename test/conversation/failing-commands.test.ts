import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { tamperWith } from '../support/store-setting.ts';

const words = commandWords.en;

test('a command that fails by itself is answered once, and its chat goes on', async () => {
  const { channel, folder } = await daemonSetting();
  await channel.ask('hello', 'echo: hello');
  tamperWith(
    join(folder, 'data', 'keyturn.db'),
    `INSERT INTO memories (id, principal, conversation_id, scope, digest, tags, stored_at, text)
     VALUES ('m1', 'test:ada', 'test:ada', 'everywhere', 'd', 'no JSON', 0, 'the bridge')`,
  );
  await channel.ask('/memories', words.commandFailed);
  await channel.ask('/help', words.about);
  expect(channel.screen.filter(({ text }) => text === words.commandFailed)).toHaveLength(1);
});
