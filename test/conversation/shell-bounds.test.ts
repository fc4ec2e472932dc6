import { expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import { call, resultsOf } from '../support/scripted-model.ts';

const freely = {
  approval: { enabled: false },
  security: { taint: 'off' },
  tools: { shell: { deny: [] } },
};
const missing = { holds: false, reason: 'bubblewrap is missing' } as const;

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
    '- Shell: no sandbox (bubblewrap is missing): every command waits for your approval; what a command starts and hides may outlive it',
  );
  expect(await restart({ tools: { shell: { sandbox: 'required' } } })).toContain('- Shell: no command runs: ');
  expect(await restart({ approval: { policy: 'always_allow' } })).toContain('AND THE RULES ASK NOBODY');
  expect(await restart({ approval: { policy: 'always_allow' }, agent: { mode: 'autonomous' } })).toContain(
    'ASK NOBODY',
  );
  expect(await restart({ agent: { mode: 'autonomous' } })).toContain('every command waits');
  expect(await restart({ agent: { mode: 'observer' } })).toContain('- Shell: no command runs in the mode observer');
  expect((await channel.ask('/status', 'is up for', { by: 'bob', at: 'test:bob' })).text).not.toContain('Shell:');
});

async function shellStatus() {
  const setting = await daemonSetting({ allowFrom: ['bob'], sandbox: missing });
  const restart = async (config: Readonly<Record<string, unknown>>): Promise<string> => {
    await setting.restart(config);
    await setting.channel.sayAtRest('/status');
    return setting.channel.textsIn('test:ada').at(-1)?.replaceAll('\\', '') ?? '';
  };
  return { channel: setting.channel, restart };
}
