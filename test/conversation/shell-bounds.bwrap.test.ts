import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { statusWords } from '../../src/conversation/commands/reports/words.ts';
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

test('in a sandbox, neither a command nor a custom tool reads or changes the config and its secrets', async () => {
  const privatePaths: string[] = [];
  const attempts = ['cat FILE', 'cp FILE copy; cat copy', 'echo "{}" > FILE', 'rm -f FILE', 'mv FILE other; cat other'];
  const custom_tools = attempts.map((attempt, number) => ({
    name: `try_${number}`,
    description: 'Tries it.',
    category: 'memory',
    command: attempt.replaceAll('FILE', 'config.json'),
  }));
  const setting = await daemonSetting({
    config: { ...freely, custom_tools },
    sandbox: await realSandbox(),
    privatePaths,
  });
  const { workspace, channel, model, clock } = setting;
  const files = ['config.json', '.env'].map((name) => join(workspace, name));
  privatePaths.push(...files);
  const written = '{ "token": "the-token-in-the-config" }';
  await Promise.all(files.map((file) => writeFile(file, written)));
  await setting.restart();
  const shell = files.flatMap((file) =>
    attempts.map((attempt) => call('shell', { command: attempt.replaceAll('FILE', file) })),
  );
  model.next([...shell, ...custom_tools.map(({ name }) => call(name, {}))]);
  await channel.say('try it all');
  const results = await resultWhileTimePasses(model, clock);
  expect(results).toHaveLength(shell.length + custom_tools.length);
  expect(results.join('\n')).not.toContain('the-token');
  expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual([written, written]);
});

test('where the sandbox refuses something, the model is told so in words', async () => {
  const { channel, model, clock } = await daemonSetting({ config: freely, sandbox: await realSandbox() });
  model.next([call('shell', { command: 'echo x > /etc/keyturn-test' })]);
  await channel.say('try');
  expect(await resultWhileTimePasses(model, clock)).toEqual([
    expect.stringContaining('[In the sandbox only the workspace'),
  ]);
});

test('a command that only reads lists what is there, and nothing that the sandbox holds', async () => {
  const { channel, model, clock, workspace } = await daemonSetting({ config: freely, sandbox: await realSandbox() });
  await writeFile(join(workspace, 'notes.txt'), 'mine');
  const listing = 'ls -A . && cat notes.txt | wc -l';
  model.next([call('shell', { command: listing }), call('shell', { command: `touch new; ${listing}` })]);
  await channel.say('what is there?');
  const [looked, touched] = await resultWhileTimePasses(model, clock);
  expect(looked).toBe('[exit code 0]\nnotes.txt\n0');
  expect(touched).toMatch(/\.bashrc\n(?:.*\n)*\[These are not files: .*\.bashrc.*\]$/);
});

test('/status tells an owner of the sandbox where there is one', async () => {
  const { channel } = await daemonSetting({ sandbox: await realSandbox() });
  await channel.say('/status details');
  expect((await channel.sees('is up for', 'test:ada')).text).toContain(
    statusWords.en.shellLine({ bounds: statusWords.en.inSandbox }),
  );
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
