import { expect, test } from 'vitest';
import { pageWords } from '../../../../src/features/page/words.ts';
import { type PageSetting, pageSetting } from '../../../support/page/page-setting.ts';
import { told } from '../../../support/page/told.ts';

test('a stolen browser opens no further way in, not even as if in another chat of its person', async () => {
  const setting = await pageSetting({ config: { gateway: { enabled: true } } });
  await setting.daemon.channel.ask('hello', 'echo: hello');
  const browser = await setting.browser();
  for (const line of ['web', 'device phone', 'link'])
    for (const conversationId of [undefined, ...conversationsOf(setting)]) {
      const { markdown } = await told<{ readonly markdown: string }>(
        browser.post('command', { line, ...(conversationId === undefined ? {} : { conversationId }) }),
      );
      expect(markdown).not.toMatch(/http|`[a-z0-9]{4}-[a-z0-9]{4}`/);
      if (line === 'web') expect(markdown).toBe(pageWords.en.notFromDevice);
    }
});

function conversationsOf({ daemon }: PageSetting): readonly string[] {
  return daemon.rows("SELECT id FROM conversations WHERE channel = 'test'").map(({ id }) => String(id));
}
