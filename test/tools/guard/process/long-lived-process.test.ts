import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { unbounded } from '../../../../src/tools/guard/process/bounds.ts';
import { type LongLivedRequest, longLivedGuard } from '../../../../src/tools/guard/process/process.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { asArguments, newSleep, processesWith } from './sandbox-setting.ts';

async function talk(command: string, changed: Partial<LongLivedRequest> = {}) {
  const environment = { PATH: process.env.PATH, TOKEN: 'hunter2', PASSED: 'yes' };
  const guard = longLivedGuard({ clock: systemClock, bounds: unbounded, environment });
  const directory = await newFolder();
  const started = await guard({ command, directory, callId: crypto.randomUUID(), ...changed });
  onTestFinished(() => started.stop());
  let text = '';
  started.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  started.stderr.resume();
  return { process: started, /** All that it said so far. */ said: () => text };
}

test('a long-lived process reads and writes, and tells how it ended', async () => {
  const { process: started, said } = await talk('read a; echo "first $a"; read b; echo "then $b"; exit 3');
  started.stdin.write('one\n');
  await waitUntil(() => said() === 'first one\n');
  started.stdin.write('two\n');
  expect(await started.ended).toEqual({ exitCode: 3, signal: null });
  expect(said()).toBe('first one\nthen two\n');
});

test('a long-lived process gets its arguments and variables, and none of our secrets', async () => {
  const { process: started, said } = await talk('echo "$1|$2|$OWN|$PASSED|$TOKEN"', {
    args: ['a b', '$(id)'],
    variables: { OWN: 'mine' },
    passedVariables: ['PASSED'],
  });
  await started.ended;
  expect(said()).toBe('a b|$(id)|mine|yes|\n');
});

test('the output of a long-lived process is kept until it is read, even after its end', async () => {
  const { process: started, said } = await talk('head -c 300000 /dev/zero | tr "\\0" x; echo end >&2; exit 1');
  await started.exited;
  await started.ended;
  expect(said()).toHaveLength(300_000);
});

test('stopping it ends everything that it started, even what ignores SIGTERM', async () => {
  const sleep = newSleep();
  const command = `trap '' TERM; echo ready; (trap '' TERM; setsid ${sleep}) & ${sleep}; ${sleep}`;
  const { process: started, said } = await talk(command);
  await waitUntil(() => said() === 'ready\n');
  await waitUntil(async () => (await processesWith(asArguments(sleep))).length >= 2, { what: 'its children' });
  await started.stop(100);
  expect(await processesWith(asArguments(sleep))).toEqual([]);
  expect((await started.exited).signal).toBe('SIGKILL');
  // What is written now is lost, and harms nobody.
  started.stdin.write('too late\n');
  await started.stop();
});

test('a long-lived process may tidy up when it is stopped', async () => {
  const { process: started, said } = await talk(
    "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done",
  );
  await waitUntil(() => said() === 'ready\n');
  await started.stop(2_000);
  expect(said()).toBe('ready\nbye\n');
  expect(await started.ended).toEqual({ exitCode: 0, signal: null });
});
