import { expect, test } from 'vitest';
import { SlackSetting } from './slack-setting.ts';

test('an answer that was posted, and not noted before the process was killed, stands there once', async () => {
  await using setting = await SlackSetting.start({ crashAt: 'reply-sent' });
  const chat = setting.newOwner();
  setting.slack.say(chat, 'hello');
  await setting.daemon.exited;
  expect(setting.said(chat)).toHaveLength(1);
  await setting.restart();
  setting.slack.say(chat, 'and now?');
  await setting.shows(chat, 'echo: and now?');
  expect(setting.said(chat).filter((text) => text.includes('echo: hello'))).toHaveLength(1);
});
