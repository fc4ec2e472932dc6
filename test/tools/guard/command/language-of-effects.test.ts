import { expect, test } from 'vitest';
import { commandWords } from '../../../../src/tools/guard/command/words.ts';
import { daemonSetting } from '../../../support/daemon-setting.ts';
import { call } from '../../../support/scripted-model.ts';

test.each([
  ['en', 'en-GB'],
  ['zh', 'zh-CN'],
] as const)('a card says what a command does in the language of its reader: %s', async (reader, language) => {
  const { model, channel } = await daemonSetting();
  const { hidden_code: hides } = commandWords[reader];
  model.next([call('shell', { command: 'node a.mjs' })], 'ok');
  await channel.say('run it', { language });
  const card = await channel.sees(hides({ names: ['`node`'], count: 1 }));
  expect(card.kind).toBe('card');
});
