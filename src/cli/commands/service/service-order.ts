import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findDataFolder } from '../../../config/data-folder.ts';
import { type Environment, envFileOf, readEnvironment } from '../../../config/environment.ts';
import { ownNode } from '../../../find-node.js';
import { valueAt } from '../../../lib/json.ts';
import { ownFolder } from '../../../lib/own-version.ts';
import { programOnPath } from '../../../lib/programs.ts';
import type { InLanguage } from '../../../lib/words.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { serviceWords } from './words.ts';

/** What a service of this Keyturn runs. All paths are absolute. */
export interface ServiceOrder {
  /** The Node that stays: that of Keyturn's own packages, if they brought one. */
  readonly node: string;
  /** The script that it runs. */
  readonly start: string;
  readonly config: string;
  /** Of the config: where it starts. */
  readonly folder: string;
  readonly dataFolder: string;
  /** How long tools may go on when it is told to end, in seconds. */
  readonly stopSecs: number;
}

/** As long as tools have by default under a supervisor, in seconds. */
const usualStop = 20;

/** Rejects with `UnansweredError` if a service of this Keyturn would not last. */
export async function serviceOrder({
  place,
  program,
}: Pick<CommandContext, 'place' | 'program'>): Promise<ServiceOrder> {
  const { path: config, present, dataFolder } = await findDataFolder(place);
  const code = ownFolder();
  const start = join(code, 'src', import.meta.url.endsWith('.ts') ? 'start.js' : 'packaged.js');
  const node = ownNode() ?? lastingNode(program.process);
  const wanted = valueAt(present, ['tools', 'stop_secs']);
  const stopSecs = typeof wanted === 'number' ? wanted : usualStop;
  if (/[\\/]_npx[\\/]/.test(code)) throw refusal((language) => serviceWords[language].isTemporary({ folder: code }));
  if (!existsSync(config)) throw refusal((language) => serviceWords[language].lacksConfig({ file: config }));
  const folder = dirname(config);
  // Systemd takes a backslash at the end of a line for one that goes on, and drops a blank there.
  const odd = [node, start, config, folder].find((path) => /\p{Cc}|[\\\s]$/u.test(path));
  if (odd !== undefined) throw refusal((language) => serviceWords[language].oddPath({ path: odd }));
  return { node, start, config, folder, dataFolder, stopSecs };
}

/** The program as the `PATH` names it, if it is the one that runs: its real path may have the version in it. */
function lastingNode({ env, execPath }: NodeJS.Process): string {
  const named = programOnPath('node', env.PATH);
  return named !== undefined && realpathSync(named) === realpathSync(execPath) ? named : execPath;
}

/** What cannot be done, and what to do instead. */
export function refusal(words: InLanguage, cause?: unknown): UnansweredError {
  return new UnansweredError(exitCodes.failed, words, cause);
}

/** Variables that Keyturn looks for by itself. */
const wellKnown = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'];

/** The variables that Keyturn would use, and that only this terminal has: a service starts without them. */
export async function variablesOfTerminal(config: string, environment: Environment): Promise<readonly string[]> {
  const text = await readFile(config, 'utf8');
  const named = [...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
  const folder = dirname(config);
  // A malformed file is said at the start.
  const kept = await readEnvironment(folder, {}, (file) => readFile(file)).then(
    (read) => read.environment,
    () => ({}),
  );
  const known = new Set(Object.keys(kept));
  return [...new Set([...named, ...wellKnown])].filter((name) => Boolean(environment[name]) && !known.has(name));
}

/** Where those variables belong. */
export function placeOfVariables(config: string): string {
  return envFileOf(dirname(config));
}
