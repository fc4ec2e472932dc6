import { expect, test } from 'vitest';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { useTool } from '../../support/use-tool.ts';

test('memories have the day of their person', async () => {
  const setting = await daemonSetting({ config: { tools: { schedule: { time_zone: 'Asia/Tokyo' } } } });
  await useTool(setting, 'memory_store', { text: 'Ada likes tea.' });
  expect(await useTool(setting, 'memory_search', { query: 'tea' })).toContain('] 2023-11-15, everywhere');
});
