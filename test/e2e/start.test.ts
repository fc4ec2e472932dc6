import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const entry = fileURLToPath(new URL('../../src/start.js', import.meta.url));

/** Has the process tell at its end whether Node has loaded what strips types. */
const teller = `data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => console.error(process.moduleLoadList.some((name) => name.includes('amaro')) ? 'strips' : 'strips nothing'));`,
)}`;

async function start(): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(process.execPath, ['--import', teller, entry, '--version']);
}

test('a start finds all that the one before it has compiled: Node does not load what strips types', async () => {
  const { stdout } = await start();
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/);
  const { stderr } = await start();
  expect(stderr).toBe('strips nothing\n');
});
