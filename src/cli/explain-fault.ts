import { ConfigError } from '../config/config-error.ts';
import { secretVariables } from '../config/environment.ts';
import type { Language } from '../lib/words.ts';
import { DataLockedError, StoreError } from '../store/store-error.ts';
import { type Redactor, redactor } from '../tools/guard/redact/redact.ts';
import { WorkspaceFolderError } from '../tools/guard/workspace/workspace.ts';
import { exitCodes } from './commands/command.ts';
import { cliWords } from './words.ts';

/** Known secrets that are shorter are words. */
export const shortestSecret = 4;

export interface ExplainedFault {
  /** For a person, with a line end. */
  readonly text: string;
  readonly code: number;
}

/**
 * Why a command, or the start, could not go on. `redact`: default: hides what looks secret in this environment. `command`:
 * its name; empty for the start.
 */
export function explainFault(
  error: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  language: Language,
  redact: Redactor = redactor(secretVariables(environment), shortestSecret),
  command = '',
): ExplainedFault {
  return { text: redact(textOf(error, language, command)), code: codeOf(error) };
}

function textOf(error: unknown, language: Language, command: string): string {
  if (error instanceof ConfigError) return `${error.in(language)}\n`;
  if (error instanceof WorkspaceFolderError || error instanceof DataLockedError || error instanceof StoreError)
    return `${error.saidIn(language)}\n`;
  const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const say = cliWords[language];
  return `${command === '' ? say.ownFault : say.ownFaultOf({ command })}\n${shown}\n`;
}

function codeOf(error: unknown): number {
  return error instanceof ConfigError || error instanceof WorkspaceFolderError
    ? exitCodes.wrongConfig
    : exitCodes.failed;
}
