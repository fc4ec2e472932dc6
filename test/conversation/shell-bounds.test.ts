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
const missing = { holds: false, reason: 'bubblewrap is missing' } as const;

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

test('where the config demands a sandbox and there is none, no command runs, and the model is told why', async () => {
  const config = { ...freely, tools: { shell: { sandbox: 'required' } } };
  const { channel, model } = await daemonSetting({ config, sandbox: missing });
  model.next([call('shell', { command: 'echo ran' })]);
  await channel.say('try');
  const [result] = resultsOf(await model.asked(2));
  expect(result).toMatch(/No command runs here: .*"required".*bubblewrap is missing/);
  expect(result).not.toContain('exit code');
});

test('/status tells an owner what keeps commands in their bounds, and nobody else', async () => {
  const { channel, restart } = await shellStatus();
  expect(await restart({})).toContain(
    '- Shell: no sandbox (bubblewrap is missing): every command waits for your approval',
  );
  expect(await restart({ tools: { shell: { sandbox: 'required' } } })).toContain('- Shell: no command runs: ');
  expect(await restart({ approval: { policy: 'always_allow' } })).toContain('AND THE RULES ASK NOBODY');
  expect(await restart({ approval: { policy: 'always_allow' }, agent: { mode: 'autonomous' } })).toContain(
    'ASK NOBODY',
  );
  expect(await restart({ agent: { mode: 'autonomous' } })).toContain('every command waits');
  expect(await restart({ agent: { mode: 'observer' } })).toContain('- Shell: no command runs in the mode observer');
  await channel.say('/status', { by: 'bob' });
  expect((await channel.sees('is up for', 'test:bob')).text).not.toContain('Shell:');
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
    { timeout: 10_000, interval: 10 },
  );
  return resultsOf(await model.asked(2));
}

async function shellStatus() {
  const setting = await daemonSetting({ allowFrom: ['bob'], sandbox: missing });
  const restart = async (config: Readonly<Record<string, unknown>>): Promise<string> => {
    await setting.restart(config);
    await setting.channel.say('/status');
    await setting.channel.whenIdle();
    return setting.channel.textsIn('test:ada').at(-1)?.replaceAll('\\', '') ?? '';
  };
  return { channel: setting.channel, restart };
}
