import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { call, resultsOf, type ScriptedModel } from '../support/scripted-model.ts';
import { realSandbox } from '../tools/guard/process/sandbox-setting.ts';

const freely = {
  approval: { enabled: false },
  security: { taint: 'off' },
  tools: { shell: { deny: [] } },
};

test('in a sandbox, a command of the model sees neither the data nor anything that it could change outside', async () => {
  const { channel, model, clock, folder } = await daemonSetting({ config: freely, sandbox: await realSandbox() });
  const database = join(folder, 'data', 'keyturn.db');
  model.next([call('shell', { command: `head -c 6 ${database}; touch ${folder}/new; echo here > file; cat file` })]);
  await channel.say('look');
  const [result] = await resultWhileTimePasses(model, clock);
  expect(result).toContain('here');
  expect(result).not.toContain('SQLite');
});

test('where the sandbox refuses something, the model is told so in words', async () => {
  const { channel, model, clock } = await daemonSetting({ config: freely, sandbox: await realSandbox() });
  model.next([call('shell', { command: 'echo x > /etc/keyturn-test' })]);
  await channel.say('try');
  expect(await resultWhileTimePasses(model, clock)).toEqual([
    expect.stringContaining('[In the sandbox only the workspace'),
  ]);
});

test('/status tells an owner of the sandbox where there is one', async () => {
  const { channel } = await daemonSetting({ sandbox: await realSandbox() });
  await channel.say('/status');
  expect((await channel.sees('is up for', 'test:ada')).text).toContain('- Shell: in a sandbox (bubblewrap)');
});

/** What a sandbox leaves is waited for, by the clock, until it is gone. */
async function resultWhileTimePasses(model: ScriptedModel, clock: ManualClock): Promise<readonly unknown[]> {
  await vi.waitFor(
    () => {
      clock.advance(25);
      expect(model.requests).toHaveLength(2);
    },
    { timeout: 100_000, interval: 10 },
  );
  return resultsOf(await model.asked(2));
}
