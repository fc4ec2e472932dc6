/* A command of this program, in a process of its own: what it loads and how long it works is not the daemon's matter. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { CommandOutput } from '../../config/config-desk.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Language } from '../../lib/words.ts';
import type { DeskParts } from './desk-parts.ts';

/** Of each of its outputs, in UTF-16 units. */
const longestOutput = 4 * 2 ** 20;
/** In ms. */
const longestCommand = 180_000;

interface Running {
  readonly language: Language;
  /** Ends it. */
  readonly signal: AbortSignal;
}

export async function runOwnCommand(
  words: readonly string[],
  { place, program, entry }: DeskParts,
  { language, signal }: Running,
): Promise<CommandOutput> {
  const { execPath, execArgv } = program.process;
  const config = place.explicit ? ['--config', place.path] : [];
  const child = spawn(execPath, [...execArgv, entry, ...words, ...config], {
    // A config that was named is named relative to it; the home folder is found from the environment.
    cwd: program.process.cwd(),
    env: { ...place.env, LC_ALL: language === 'zh' ? 'zh_CN.UTF-8' : 'en_US.UTF-8', NOTIFY_SOCKET: undefined },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGTERM',
  });
  const callOff = systemClock.after(longestCommand, () => child.kill('SIGTERM'));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output.stdout = `${output.stdout}${chunk}`.slice(0, longestOutput);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    output.stderr = `${output.stderr}${chunk}`.slice(0, longestOutput);
  });
  try {
    await once(child, 'close');
  } catch (error) {
    // It was called off.
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
  } finally {
    callOff();
  }
  return { code: child.exitCode, ...output };
}
