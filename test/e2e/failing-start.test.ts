import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { cliWords } from '../../src/cli/words.ts';
import { warningWords } from '../../src/config/warnings/words.ts';
import { lockData } from '../../src/store/examine.ts';
import { storeWords } from '../../src/store/words.ts';
import { DaemonProcess } from '../support/daemon-process.ts';
import { newFolder } from '../support/new-folder.ts';
import { anything, saying } from '../support/saying.ts';

const entry = fileURLToPath(new URL('../support/failing-main.ts', import.meta.url));

test('a channel that cannot begin ends the process: it says why, stops what has begun, and gives the data back', async () => {
  await using daemon = DaemonProcess.start({ config: { model: 'offline' }, entry });
  await daemon.waitForOutput('steady is stopped');
  expect(await daemon.exited).toEqual({ code: 1, signal: null });
  expect(daemon.output).toContain('Keyturn could not start');
  expect(daemon.output).toContain('the socket is missing');
  lockData(daemon.dataDir)();
});

test('that another Keyturn works with the data is said in the language of the environment', async () => {
  const folder = await newFolder();
  onTestFinished(lockData(folder));
  await using daemon = DaemonProcess.start({
    config: { model: 'offline', data_dir: folder, channels: { failing: { enabled: false }, steady: {} } },
    env: { LC_ALL: 'zh_CN.UTF-8' },
    entry,
  });
  expect(await daemon.exited).toEqual({ code: 1, signal: null });
  expect(daemon.output).toContain(storeWords.zh.locked({ process: `${process.pid}`, folder }));
});

test('a home that cannot be a folder ends the process as a wrong config does, and says what to set', async () => {
  await using daemon = DaemonProcess.start({
    config: { model: 'offline' },
    env: { KEYTURN_HOME: join(fileURLToPath(import.meta.url), 'below') },
  });
  expect(await daemon.exited).toEqual({ code: 78, signal: null });
  expect(daemon.output).toMatch(saying(cliWords.en.unusableHome({ folder: anything, reason: anything })));
  expect(daemon.output).not.toContain(cliWords.en.ownFault);
});

test('what keeps it from starting is said without secrets', async () => {
  await using daemon = DaemonProcess.start({
    config: { model: 'offline' },
    env: { KEYTURN_HOME: join(fileURLToPath(import.meta.url), 'hunter2-hunter2'), BOT_TOKEN: 'hunter2-hunter2' },
  });
  await daemon.exited;
  expect(daemon.output).toContain('[secret]');
  expect(daemon.output).not.toContain('hunter2');
});

test('an end that takes too long is forced, and that is said', async () => {
  const channels = { failing: { enabled: false }, endless: { enabled: true } };
  const config = { model: 'offline', channels, tools: { stop_secs: 0 } };
  await using daemon = DaemonProcess.start({ config, entry });
  await daemon.waitForOutput('Chat');
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
  expect(daemon.output).toContain('the end took too long and was forced');
});

test('that people share one folder is said at the start', async () => {
  const channels = { failing: { enabled: false }, steady: { allow_from: ['bob'] } };
  await using daemon = DaemonProcess.start({ config: { model: 'offline', channels }, entry });
  await daemon.waitForOutput(saying(warningWords.en.sharedFolder({ workspace: anything })));
});
