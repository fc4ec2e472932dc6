import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { failingInsert, tamperWith } from '../support/store-setting.ts';
import { housed } from './pairing-setting.ts';

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

test('so is a claim, and what its sender says then is heard', async () => {
  const { channel, folder } = await housed({}, []);
  tamperWith(join(folder, 'data', 'keyturn.db'), failingInsert('owners'));
  await channel.ask('/claim k3f9abcd', words.commandFailed, { by: 'u1' });
  await channel.ask('/claim k3f9abce', words.wrongClaim, { by: 'u1' });
  expect(channel.screen.filter(({ text }) => text === words.commandFailed)).toHaveLength(1);
});
