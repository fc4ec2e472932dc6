import { expect, test } from 'vitest';
import { findShell } from '../../../../src/tools/guard/process/command-shell.ts';
import { trySandbox } from '../../../../src/tools/guard/process/sandbox-trial.ts';
import { sandboxSetting } from './sandbox-setting.ts';

test('bash is there in the sandbox, and takes nothing of the environment that would make it run more', async () => {
  const shell = await findShell(process.env.PATH);
  expect(shell.isBash).toBe(true);
  expect(await trySandbox({ environment: { PATH: process.env.PATH }, needsNetwork: false, shell })).toMatchObject({
    holds: true,
  });
  const { run } = await sandboxSetting({ shell });
  const variables = { 'BASH_FUNC_ls%%': '() { echo function; }', SHELLOPTS: 'xtrace' };
  const result = await run('mkdir -p p/{a,b} && ls p &> list; cat list <(echo c)', { variables });
  expect(result).toMatchObject({ exitCode: 0, stdout: 'a\nb\nc\n', stderr: '' });
});
