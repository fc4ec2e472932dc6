import { expect, test } from 'vitest';
import { warningWords } from '../../src/config/warnings/words.ts';
import { statusWords } from '../../src/conversation/commands/reports/words.ts';
import { anything, saying } from '../support/saying.ts';
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
  const { noSandbox, sandboxMissing } = statusWords.en;
  expect(demanded.stderr).toMatch(saying(`\n  Shell     sh${anything}, ${sandboxMissing({ reason: anything })}\n`));
  expect(demanded.stderr).toMatch(saying(`  Warning   ${warningWords.en.sandboxMissing({ reason: anything })}`));
  const files = { 'config.json': '{ "tools": { "shell": { "sandbox": "off" } } }' };
  const off = await runMain({ env: { PATH }, files });
  const bounds = noSandbox({ reason: `${anything}"off"${anything}`, asks: true, outlives: false });
  expect(off.stderr).toMatch(saying(`Shell     ${anything}, ${bounds}`));
  expect(off.stderr).toContain(`  Warning   ${warningWords.en.sandboxOff}`);
});
