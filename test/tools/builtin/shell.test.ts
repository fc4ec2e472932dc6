import { readdir, rm } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { builtinSetting, scopeIn } from '../setting.ts';

test('a command runs in the workspace, which is made if it is missing; only the model reads what it printed', async () => {
  const { workspace, call } = await builtinSetting();
  await rm(workspace, { recursive: true });
  const { output } = await call('shell', { command: 'echo hallo > a.txt; pwd; echo careful >&2' });
  expect(output).toEqual({ forLlm: `[exit code 0]\n${workspace}\n[stderr]\ncareful`, isError: false, isAsync: false });
  expect(await readdir(workspace)).toEqual(['a.txt']);
});

test('a failure is an error with its exit code', async () => {
  const { call } = await builtinSetting();
  expect((await call('shell', { command: 'false' })).output).toMatchObject({
    isError: true,
    forLlm: '[exit code 1]\n[no output]',
  });
});

test('a command gets none of our secrets, only what is passed on purpose', async () => {
  const { call } = await builtinSetting({ ANTHROPIC_API_KEY: 'hunter2', PASSED: 'yes' });
  const { output } = await call('shell', {
    command: 'env; cat /proc/$PPID/environ | tr "\\0" "\\n" | grep -c hunter2',
  });
  expect(output.forLlm).toContain('PASSED=yes');
  expect(output.forLlm).not.toContain('hunter2');
});

test('5 MB of output is cut twice, by the process and by the runner, and both ends are there', async () => {
  const { call } = await builtinSetting();
  const { output } = await call('shell', {
    command: 'echo begin; head -c 5000000 /dev/zero | tr "\\0" x; echo; echo end',
  });
  expect(output.forLlm.length).toBeLessThanOrEqual(50_000);
  expect(output.forLlm).toMatch(
    /^\[exit code 0\]\nbegin\nx+\n\[… [\d,]+ of [\d,]+ characters left out, and lost …\]\nx+\nend$/,
  );
});

test('a command ends in the time that it was given, which cannot be more than the operator allows', async () => {
  const { call, prepare } = await builtinSetting();
  const { output } = await call('shell', {
    command: 'echo so far; trap "exit 0" TERM; sleep 60 & wait',
    timeout_secs: '1',
  });
  expect(output).toMatchObject({ isError: true, forLlm: '[ended because it took longer than 1 s]\nso far' });
  await expect(prepare('shell', { command: 'true', timeout_secs: 11 })).rejects.toThrow(
    'timeout_secs: expected at most 10, got 11',
  );
});

test('a command that is stopped is gone, and what it had printed is told', async () => {
  const { workspace, call } = await builtinSetting();
  const controller = new AbortController();
  const running = call('shell', { command: 'echo half; touch begun; exec sleep 60' }, { signal: controller.signal });
  await vi.waitFor(async () => expect(await readdir(workspace)).toEqual(['begun']), { interval: 10 });
  const begin = performance.now();
  controller.abort();
  const { output } = await running;
  expect(performance.now() - begin).toBeLessThan(3_000);
  expect(output).toMatchObject({ isError: true, forLlm: expect.stringMatching(/shell was stopped[\s\S]*half$/) });
});

test('an approver reads the command whatever backticks and lines are in it', async () => {
  const { prepare } = await builtinSetting();
  const line = async (command: string): Promise<string> => (await prepare('shell', { command })).describe(scopeIn('/'));
  expect(await line('ls -la')).toBe('run `ls -la`: only looks (`ls`)');
  expect(await line('echo `id`')).toBe('run `` echo `id` ``: only looks (`id` and `echo`)');
  expect(await line('ls\nrm -rf x')).toBe('run `ls ⏎ rm -rf x`: deletes `x` and all in it, by force');
});

test.each(['', 'a\0b', 'x'.repeat(130_000)])(
  'a command that no shell takes is refused before it runs',
  async (command) => {
    const { prepare } = await builtinSetting();
    await expect(prepare('shell', { command })).rejects.toThrow('- command:');
  },
);

test('echo gives back what it was given, and is no secret of the chat', async () => {
  const { call } = await builtinSetting();
  expect((await call('echo', { message: 'true' })).output).toEqual({ forLlm: 'true', isError: false, isAsync: false });
});
