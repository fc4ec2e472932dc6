import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isTimeZone } from '../../src/lib/time-words.ts';

const module = new URL('../../src/lib/time-words.ts', import.meta.url).href;
const program = `const { machineTimeZone, zonedWords } = await import(${JSON.stringify(module)});
console.log(JSON.stringify([machineTimeZone(), zonedWords(0, machineTimeZone())]));`;

async function zoneWith(TZ: string): Promise<readonly unknown[]> {
  const args = ['--no-warnings', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, TZ } });
  const read: unknown = JSON.parse(stdout);
  return Array.isArray(read) ? read : [];
}

test.each([
  ['', 'UTC'],
  ['Beijing', 'UTC'],
  ['Etc/Unknown', 'UTC'],
  ['JST-9', '+09:00'],
  ['UTC+8', '-08:00'],
  [':Asia/Shanghai', 'Asia/Shanghai'],
  ['Europe/Berlin', 'Europe/Berlin'],
])('a machine whose TZ is %j is in %s', async (TZ, zone) => {
  expect(await zoneWith(TZ)).toEqual([zone, expect.stringContaining('19')]);
  expect(isTimeZone(zone)).toBe(true);
});
