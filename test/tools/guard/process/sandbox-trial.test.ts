import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wordsIn } from '../../../../src/lib/words.ts';
import { BoundsError } from '../../../../src/tools/guard/process/bounds.ts';
import { processBounds, type SandboxState } from '../../../../src/tools/guard/process/sandbox.ts';
import { canSudo, trySandbox } from '../../../../src/tools/guard/process/sandbox-trial.ts';
import { sandboxWords } from '../../../../src/tools/guard/process/words.ts';
import { newFolder } from '../../../support/new-folder.ts';

const say = sandboxWords.en;

/** What is found where the PATH has only these programs, written in sh. */
async function found(programs: Readonly<Record<string, string>>, needsNetwork = false): Promise<SandboxState> {
  const folder = await newFolder();
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return trySandbox({ environment: { PATH: `relative::${join(folder, 'absent')}:${folder}` }, needsNetwork });
}

function reasonOf(state: SandboxState): string {
  return state.holds ? 'it holds' : wordsIn('en', state.reason);
}

test('commands can use sudo only if it is installed and the kernel lets a process gain rights', async () => {
  const folder = await newFolder();
  const environment = { PATH: folder };
  const status = (flag: number): string => `Name:\tnode\nNoNewPrivs:\t${flag}\nSeccomp:\t0\n`;
  expect(canSudo(environment, status(0))).toBe(false);
  await writeFile(join(folder, 'sudo'), '', { mode: 0o755 });
  expect(canSudo(environment, status(0))).toBe(true);
  expect(canSudo(environment, status(1))).toBe(false);
});

test('without bubblewrap there is no sandbox, and the reason says what to install', async () => {
  expect(reasonOf(await found({}))).toBe(say.noBubblewrap);
  expect(reasonOf(await trySandbox({ environment: {}, needsNetwork: false }))).toBe(say.noBubblewrap);
});

test('socat is needed only if commands may reach the network', async () => {
  expect(reasonOf(await found({ bwrap: 'exit 0' }, true))).toBe(say.noSocat);
  expect(await found({ bwrap: 'exit 0' })).toMatchObject({ holds: true });
});

test('if bubblewrap does not work there is no sandbox, and the reason says why and what may help', async () => {
  const forbidden = await found({ bwrap: 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1' });
  const denied = 'bwrap: setting up uid map: Permission denied';
  expect(reasonOf(forbidden)).toBe(say.fails({ failure: denied, mend: 'namespaces' }));
  expect(forbidden.holds || wordsIn('zh', forbidden.reason)).toBe(
    sandboxWords.zh.fails({ failure: denied, mend: 'namespaces' }),
  );
  const old = await found({ bwrap: 'echo "bwrap: Unknown option --size" >&2; exit 1' });
  expect(reasonOf(old)).toBe(say.fails({ failure: 'bwrap: Unknown option --size', mend: 'version' }));
  const proc = await found({ bwrap: `echo "bwrap: Can't mount proc on /newroot/proc" >&2; exit 1` });
  expect(reasonOf(proc)).toBe(say.fails({ failure: "bwrap: Can't mount proc on /newroot/proc", mend: 'proc' }));
  const ended = (how: string): string => say.fails({ failure: say.ended({ how }), mend: 'namespaces' });
  expect(reasonOf(await found({ bwrap: 'exit 7' }))).toBe(ended('7'));
  expect(reasonOf(await found({ bwrap: 'kill -9 $$' }))).toBe(ended('SIGKILL'));
});

test('a program that cannot be started is no sandbox', async () => {
  const folder = await newFolder();
  await writeFile(join(folder, 'bwrap'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0]));
  await chmod(join(folder, 'bwrap'), 0o755);
  expect(reasonOf(await trySandbox({ environment: { PATH: folder }, needsNetwork: false }))).toContain('does not work');
});

test('outside Linux there is none', async () => {
  const environment = { PATH: process.env.PATH };
  expect(reasonOf(await trySandbox({ environment, needsNetwork: false, platform: 'darwin' }))).toBe(say.onlyOnLinux);
});

test('if the config demands a sandbox and there is none, no command runs, and the error says why', async () => {
  const { bounds, isConfined } = processBounds({
    sandbox: { holds: false, reason: 'bubblewrap is missing' },
    isRequired: true,
    hidden: { privatePaths: [] },
    allowedDomains: [],
  });
  expect(isConfined()).toBe(false);
  const command = { command: 'true', directory: '/', callId: '1', environment: {} };
  await expect(bounds(command)).rejects.toThrow(BoundsError);
  await expect(bounds(command)).rejects.toThrow(/"required".*bubblewrap is missing/);
});
