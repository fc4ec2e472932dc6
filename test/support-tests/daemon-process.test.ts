import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DaemonOptions, DaemonProcess } from '../support/daemon-process.ts';

const script = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const [, , flag, file] = process.argv;
const config: { readonly name: string; readonly data_dir: string } = JSON.parse(readFileSync(file ?? '', 'utf8'));
console.log(flag, config.name, process.cwd() === process.env.HOME, Object.keys(process.env).sort().join());
console.log(existsSync(config.data_dir) ? 'again' : 'first');
writeFileSync(config.data_dir, 'x');
if (config.name === 'stubborn') process.on('SIGTERM', () => console.log('No.'));
else process.on('SIGTERM', () => process.exit(config.name === 'failing' ? 3 : 0));
process.stdin.setEncoding('utf8').on('data', (line) => console.log('read', line.trim()));
process.stdin.on('end', () => config.name === 'reader' && process.exit(0));
setInterval(() => undefined, 1_000);
console.error('ready');
if (config.name === 'dying') throw new Error('died');
`;
let folder: string;
let daemon: DaemonProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyturn-entry-'));
  writeFileSync(join(folder, 'entry.mts'), script);
});

afterEach(async () => {
  await daemon?.dispose();
  rmSync(folder, { recursive: true });
});

function start(name: string, options: Partial<DaemonOptions> = {}): DaemonProcess {
  daemon = DaemonProcess.start({ config: { name }, entry: join(folder, 'entry.mts'), ...options });
  return daemon;
}

test('it runs with its config, in folders of its own and with a clean environment', async () => {
  const daemon = start('plain', { env: { EXTRA: 'x' } });
  await daemon.waitForOutput('ready');
  expect(daemon.output).toContain('--config plain true EXTRA,HOME,PATH');
  expect(await daemon.stop()).toEqual({ code: 0, signal: null });
});

test('it starts again in the same folders, and only the output since then counts', async () => {
  const daemon = start('plain');
  await daemon.waitForOutput('ready');
  expect(daemon.output).toContain('first');
  const { pid } = daemon;
  await daemon.restart();
  await daemon.waitForOutput(/again/);
  expect(daemon.output).not.toContain('first');
  expect(daemon.pid).not.toBe(pid);
  expect(await daemon.kill()).toEqual({ code: null, signal: 'SIGKILL' });
});

test('its input can be written to and closed', async () => {
  const daemon = start('reader', { stdin: 'pipe' });
  daemon.write('hello');
  await daemon.waitForOutput('read hello');
  daemon.endInput();
  expect(await daemon.exited).toEqual({ code: 0, signal: null });
});

test('a wait ends with the process, and shows what it wrote', async () => {
  await expect(start('dying').waitForOutput('never')).rejects.toThrow(
    /ended before it wrote never(?:.|\n)*Error: died/,
  );
});

test('a wait in vain shows what the process wrote', async () => {
  const daemon = start('plain');
  await daemon.waitForOutput('ready');
  await expect(daemon.waitForOutput('never', 30)).rejects.toThrow(/Waited 30 ms for the output never(?:.|\n)*ready/);
});

test('a stop is not well if the process ends with another code, or does not end', async () => {
  const failing = start('failing');
  await failing.waitForOutput('ready');
  await expect(failing.stop()).rejects.toThrow('It ended with 3 after SIGTERM');
  await failing.dispose();

  const stubborn = start('stubborn');
  await stubborn.waitForOutput('ready');
  await expect(stubborn.stop(200)).rejects.toThrow(/to end after SIGTERM(?:.|\n)*No\./);
});

test('disposing kills it and removes its folders', async () => {
  const daemon = start('stubborn');
  await daemon.waitForOutput('ready');
  await daemon.dispose();
  expect(existsSync(daemon.folder)).toBe(false);
  expect(await daemon.exited).toEqual({ code: null, signal: 'SIGKILL' });
});
