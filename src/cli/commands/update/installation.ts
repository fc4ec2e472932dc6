import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { programOnPath } from '../../../lib/programs.ts';
import type { InLanguage } from '../../../lib/words.ts';

/*
 * How this Keyturn came onto the machine, and so how another version comes. While code is replaced, nothing more of it may be
 * loaded: what stands here, and what the update calls, imports nothing but what is loaded before.
 */

/** A version that can be taken, or is there. */
export interface Version {
  /** As its package.json says: `0.2.0`. */
  readonly version: string;
  /** What names it exactly: a commit, or the version itself. */
  readonly id: string;
}

export interface Newer {
  readonly type: 'newer';
  readonly from: Version;
  readonly to: Version;
  /** What CHANGELOG.md of the newer one has and this one has not; undefined if it cannot be seen before. */
  readonly changes: string | undefined;
  /** The schema of the config, of both, as JSON. */
  readonly schemas: { readonly from: string; readonly to: string } | undefined;
}

/** From where to where an update goes. */
export type Way = Pick<Newer, 'from' | 'to'>;

export type Found = Newer | { readonly type: 'newest'; readonly from: Version } | Refused;

export interface Refused {
  readonly type: 'refused';
  readonly words: InLanguage;
}

export interface Installation {
  /** The folder of package.json. */
  readonly folder: string;
  /** Says what an update has begun: it outlives the code. */
  readonly note: string;
  /** Looks for a newer version. Changes no code. */
  look(): Found;
  /** Keeps what it takes to go back. Changes no code: if it fails, all is as before. Gives what went wrong. */
  keep(newer: Newer): string | undefined;
  /** Puts the newer version in the place of the code and its dependencies. Gives what went wrong. */
  take(newer: Newer): string | undefined;
  /** Packs the code that is in place, if the former one was packed: a start reads few files then. Gives why not. */
  pack(): InLanguage | undefined;
  /** What of this person would be lost by going back. Undefined: nothing. */
  obstacle(way: Way): InLanguage | undefined;
  /** Puts the former version back, needing no network. Gives what went wrong. */
  goBack(former: Version): string | undefined;
  /** Removes what it kept to go back. */
  tidy(former: Version): void;
}

export interface ProgramRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  /** In ms. Then it is ended. Default: it takes as long as it wants. */
  readonly longest?: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Runs a program to its end. One that cannot be run has no code. */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, environment, longest }: RunOptions,
): ProgramRun {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: environment,
    timeout: longest,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { code: status, stdout: stdout ?? '', stderr: error === undefined ? stderr : `${program}: ${error.message}` };
}

/** What went wrong, shortly: a program's last lines say it. Undefined if it ended well. */
export function faultOf({ code, stdout, stderr }: ProgramRun, command: string): string | undefined {
  if (code === 0) return undefined;
  return `${command}: ${lastLines(stderr) || lastLines(stdout) || code}`;
}

/** The end of what a program says, without the calls that led there. */
export function lastLines(said: string): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '' && !/^\s+at |^Node\.js v/.test(line));
  return lines.slice(-6).join('\n');
}

/** The Node that runs Keyturn from now on: any, as `start.js` looks for the right one. The running one may be gone. */
export function anyNode(environment: RunOptions['environment']): string {
  const named = programOnPath('node', environment.PATH);
  return existsSync(process.execPath) ? process.execPath : (named ?? 'node');
}

export type InstallationKind = 'clone' | 'global' | 'other';

/** A global install is in a `node_modules` without a project; a clone has its history beside its code. */
export function kindOf(folder: string): InstallationKind {
  if (existsSync(join(folder, '.git'))) return 'clone';
  const above = dirname(folder);
  const isGlobal = basename(above) === 'node_modules' && !existsSync(join(above, '..', 'package.json'));
  return isGlobal ? 'global' : 'other';
}

export function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
