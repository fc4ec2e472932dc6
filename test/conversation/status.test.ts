import { expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';

test('/status tells an owner of the machine and of all channels, and others of neither', async () => {
  const { channel, workspace } = await daemonSetting({ allowFrom: ['bob'], moreChannels: [{ name: 'other' }] });
  const { text: toOwner } = await channel.ask('/status', 'is up for', { at: 'test:ada' });
  expect(toOwner).toContain(workspace);
  expect(toOwner).toContain('other: connected');

  const { text: toBob } = await channel.ask('/status', 'is up for', { by: 'bob', at: 'test:bob' });
  expect(toBob).not.toContain(workspace);
  expect(toBob).not.toContain('other');
  expect(toBob).toContain('test: connected');
});

test('/status tells an owner which messages could not be shown in the last day, and nobody else', async () => {
  const { channel, clock } = await daemonSetting({ allowFrom: ['bob', 'eve'] });
  for (const by of ['bob', 'eve']) {
    // The message, and what would stand in its place.
    for (let send = 0; send < 2; send += 1) channel.failNext({ type: 'permanent' }, { of: 'send' });
    await channel.say('hello', { by });
    await channel.whenIdle(direct(channel.name, by));
    clock.advance(60_000);
  }
  const { text } = await channel.ask('/status', 'is up for', { at: 'test:ada' });
  expect(text).toMatch(
    /2 messages could not be shown in the last day\. The newest, in `test:eve` at \d\d:\d\d: .*permanent/,
  );
  await channel.say('/status', { by: 'bob' });
  expect((await channel.sees('is up for', 'test:bob')).text).not.toContain('could not be shown');
  clock.advance(86_400_000);
  await channel.sayAtRest('/status');
  expect(channel.textsIn('test:ada').at(-1)).not.toContain('could not be shown');
});
