import { describe, expect, test } from 'vitest';
import { runMain } from './run-main.ts';

function config(text: string) {
  return { 'config.json': text };
}

describe.concurrent('a config that cannot be used keeps it from starting, in words that say where and what to do', () => {
  test('a policy that does not exist', async () => {
    const { code, stderr } = await runMain({ files: config('{ "approval": { "policy": "never" } }') });
    expect(code).toBe(78);
    expect(stderr).toMatch(/^config\.json:1:\d+ {2}approval\.policy: .*always_require/);
  });

  test('JSON that is broken', async () => {
    const { code, stderr } = await runMain({ files: config('{\n  "model": "offline"\n  "workspace": "."\n}') });
    expect(code).toBe(78);
    expect(stderr).toMatch(/^config\.json:\d:\d+ {2}/);
  });

  test('a variable that is not set', async () => {
    const token = '$'.concat('{TELEGRAM_BOT_TOKEN}');
    const { code, stderr } = await runMain({
      files: config(`{ "channels": { "telegram": { "enabled": true, "token": "${token}" } } }`),
    });
    expect(code).toBe(78);
    expect(stderr).toMatch(/^config\.json:1:\d+ {2}channels\.telegram\.token: .*TELEGRAM_BOT_TOKEN/);
  });

  test('a token that is none, without showing it', async () => {
    const { code, stderr } = await runMain({
      files: config('{ "channels": { "telegram": { "enabled": true, "token": "my-secret-word" } } }'),
    });
    expect(code).toBe(78);
    expect(stderr).toContain('@BotFather');
    expect(stderr).not.toContain('my-secret-word');
  });

  test('no channel at all', async () => {
    const { code, stderr } = await runMain({ files: config('{ "channels": { "terminal": { "enabled": false } } }') });
    expect(code).toBe(78);
    expect(stderr).toContain('no channel is enabled');
  });

  test('a file that is named and not there', async () => {
    const { code, stderr } = await runMain({ args: ['--config', 'mine.json'] });
    expect(code).toBe(78);
    expect(stderr).toMatch(/^mine\.json {2}there is no such file/);
  });
});

test('what the command line does not know is said with what there is', async () => {
  const { code, stderr, stdout } = await runMain({ args: ['--confg', 'x'] });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain("'--confg'");
  expect(stderr).toContain('--config FILE');
});

test('a start says that no command runs, or each in the open, where the config says so', async () => {
  const PATH = process.env.PATH ?? '';
  const demanded = await runMain({
    env: { PATH: '/nowhere' },
    files: config('{ "tools": { "shell": { "sandbox": "required" } } }'),
  });
  expect(demanded.stderr).toMatch(
    /\n {2}Shell {5}no command runs: .*\n[\s\S]* {2}Warning {3}tools\.shell\.sandbox is "required"/,
  );
  const off = await runMain({ env: { PATH }, files: config('{ "tools": { "shell": { "sandbox": "off" } } }') });
  expect(off.stderr).toMatch(/Shell {5}no sandbox .*"off".*\n[\s\S]* {2}Warning {3}tools\.shell\.sandbox is "off"/);
});
