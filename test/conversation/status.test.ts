import { expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';

test('/status tells an owner of the machine and of all channels, and others of neither', async () => {
  const { channel, workspace } = await daemonSetting({ allowFrom: ['bob'], moreChannels: [{ name: 'other' }] });
  await channel.say('/status');
  const { text: toOwner } = await channel.sees('is up for', 'test:ada');
  expect(toOwner).toContain(workspace);
  expect(toOwner).toContain('other: connected');

  await channel.say('/status', { by: 'bob' });
  const { text: toBob } = await channel.sees('is up for', 'test:bob');
  expect(toBob).not.toContain(workspace);
  expect(toBob).not.toContain('other');
  expect(toBob).toContain('test: connected');
});
