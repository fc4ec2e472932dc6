import { expect, test } from 'vitest';
import { runMain } from './run-main.ts';

test('what the command line does not know is said with the nearest that there is', async () => {
  const { code, stderr, stdout } = await runMain({ args: ['--confg', 'x'] });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain("'--confg'");
  expect(stderr).toContain('Did you mean "--config"?');
});

test('a start says that no command runs, or each in the open, where the config says so', async () => {
  const PATH = process.env.PATH ?? '';
  const demanded = await runMain({
    env: { PATH: '/nowhere' },
    files: { 'config.json': '{ "tools": { "shell": { "sandbox": "required" } } }' },
  });
  expect(demanded.stderr).toMatch(
    /\n {2}Shell {5}sh.*, no command runs: .*\n[\s\S]* {2}Warning {3}tools\.shell\.sandbox is "required"/,
  );
  const files = { 'config.json': '{ "tools": { "shell": { "sandbox": "off" } } }' };
  const off = await runMain({ env: { PATH }, files });
  expect(off.stderr).toMatch(/Shell {5}.*, no sandbox .*"off".*\n[\s\S]* {2}Warning {3}tools\.shell\.sandbox is "off"/);
});
