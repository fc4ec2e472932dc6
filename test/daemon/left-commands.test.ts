import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';

test('what a killed daemon has left running ends at the next start, with all that it has started; others go on', async () => {
  const setting = await daemonSetting();
  await setting.stop();
  const folder = realpathSync(join(setting.folder, 'data'));
  const owner = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  const env = { PATH: process.env.PATH };
  const run = (more: object) => {
    const child = spawn('/bin/sh', ['-c', 'sleep 1000 & wait'], {
      detached: true,
      stdio: 'ignore',
      env: { ...env, ...more },
    });
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    return { child, ended };
  };
  const left = run({ KEYTURN_OWNER: owner });
  const other = run({ KEYTURN_OWNER: 'another' });
  const passing = setInterval(() => setting.clock.advance(5), 5);
  await setting.start();
  clearInterval(passing);
  await left.ended;
  expect(left.child.signalCode).toBe('SIGKILL');
  expect(other.child.signalCode).toBeNull();
  process.kill(-(other.child.pid ?? 0), 'SIGKILL');
  await setting.channel.ask('hi', 'echo: hi');
});
