import { expect, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

test('a model of the config with tool_calls "text" runs a command that its owner approves', async () => {
  await using setting = await TelegramSetting.start({
    modelSettings: { tool_calls: 'text' },
  });
  const { telegram, model } = setting;
  const call = '<tool_call>{"name": "shell", "arguments": {"command": "echo ran | tee ran.txt"}}</tool_call>';
  model.onUser('run it', { text: `I will run it.\n${call}`, pieceSize: 3 });
  model.onUser(/<tool_result call="1" name="shell" status="ok">[\s\S]*ran/, 'It has run.');
  const chat = setting.newOwner();
  const card = await setting.askFor(chat, 'run it');
  await telegram.press(chat, card.id, '✅ Approve').answered;
  await telegram.waitForMessage(chat, 'It has run.');

  expect(setting.said(chat).join('\n')).toContain('I will run it.');
  expect(setting.said(chat).join('\n')).not.toContain('tool_call');
  expect(model.requests.map(({ tools }) => tools)).toEqual([[], []]);
  expect(model.requests[0]?.messages[0]?.text).toContain('\n## shell ("Shell")\n');
});
