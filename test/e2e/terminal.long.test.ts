import { describe, expect, test } from 'vitest';
import { runMain } from './run-main.ts';

const offline = { 'config.json': '{ "model": "offline" }' };

describe.concurrent('from a pipe', () => {
  test('an n keeps it from running', async () => {
    const { code, stdout } = await runMain({ files: offline, input: 'run `echo $((1200000 + 34567))`\nn\n' });
    expect(stdout).toContain('Denied by');
    expect(stdout).toMatch(/denied/i);
    expect(stdout).not.toContain('1234567');
    expect(code).toBe(0);
  });

  test('several lines are answered one after the other', async () => {
    const input = 'write milk to list.txt\ny\nread list.txt\n';
    const { stdout } = await runMain({ files: offline, input });
    expect(stdout.indexOf('Asked because')).toBeLessThan(stdout.indexOf('`list.txt` says'));
    expect(stdout).toMatch(/`list\.txt` says:\s+.*milk/s);
  });

  test('commands are obeyed, and unknown ones are said to be', async () => {
    const { stdout } = await runMain({ files: offline, input: '/fly\n/help\n/status\n/tools\n/claim x\n' });
    expect(stdout).toContain('I do not know `/fly`');
    expect(stdout).toContain('`/revoke ID`');
    expect(stdout).toContain('Nothing waits for a decision here');
    expect(stdout).toMatch(/`shell` .*asks first/);
    expect(stdout).toContain('already has an owner');
  });

  test('an empty input ends the process at once', async () => {
    const { code, stdout } = await runMain({ files: offline, input: '' });
    expect([code, stdout]).toEqual([0, '']);
  });

  test('nothing of the log stands in the answers, whatever its level', async () => {
    const files = { 'config.json': '{ "model": "offline", "log": { "level": "debug" } }' };
    const { stdout } = await runMain({ files, input: 'list the files\n' });
    expect(stdout).not.toMatch(/"level":|channel connected/);
  });
});
