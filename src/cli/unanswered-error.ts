import type { InLanguage } from '../lib/words.ts';
import { exitCodes } from './commands/command.ts';

/** The daemon could not be asked, or refused: `saidIn` says why and what to do. */
export class UnansweredError extends Error {
  /** Of the process. */
  readonly exitCode: number;
  readonly saidIn: InLanguage;

  constructor(exitCode: number, saidIn: InLanguage, cause?: unknown) {
    super(saidIn('en'), { cause });
    this.exitCode = exitCode;
    this.saidIn = saidIn;
  }

  /** There is no process to ask. */
  get isNotRunning(): boolean {
    return this.exitCode === exitCodes.notRunning;
  }
}
