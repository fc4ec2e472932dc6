import { newId } from '../../../lib/ids.ts';
import { parseJson } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { LongLivedGuard } from '../../guard/process/long-lived-process.ts';
import { OutputCapture } from '../../guard/process/output-capture.ts';
import { HookFailure, type HookVoice } from './hook-voice.ts';

export interface CommandVoiceSettings {
  /** What `/bin/sh -c` runs. */
  readonly command: string;
  /** An absolute path. */
  readonly directory: string;
}

/** The most that a hook may say, in bytes. */
const longestAnswer = 1_048_576;

/** Asks a command: it reads one JSON document, and says one. */
export function commandVoice(runProcess: LongLivedGuard, { command, directory }: CommandVoiceSettings): HookVoice {
  return async (event, signal) => {
    signal.throwIfAborted();
    // Not the call's own id: what carries that ends with the call.
    const child = await runProcess({ command, directory, callId: `hook-${newId(12)}` });
    const stop = (): void => void child.stop();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const capture = new OutputCapture(longestAnswer);
    child.stdout.on('data', (chunk: Buffer) => capture.push('stdout', chunk));
    child.stderr.on('data', (chunk: Buffer) => capture.push('stderr', chunk));
    child.stdin.end(`${JSON.stringify(event)}\n`);
    const { exitCode, signal: endedBy } = await child.ended;
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
    const { stdout, stderr } = capture.read();
    if (exitCode !== 0) {
      const how = exitCode === null ? `it was ended by ${endedBy ?? 'a signal'}` : `its exit code is ${exitCode}`;
      throw new HookFailure(`${how}${stderr.trim() === '' ? '' : `, and it said: ${oneLine(stderr.trim(), 300)}`}`);
    }
    return stdout.trim() === '' ? undefined : parseJson(stdout);
  };
}
