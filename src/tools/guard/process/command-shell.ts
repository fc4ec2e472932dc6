import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { mayRun } from '../../../lib/programs.ts';

/*
 * The shell that reads commands: bash where it is installed, because that is what models and people write; else the
 * machine's `sh`. It reads no file of its own before a command and takes nothing of its state from the environment, so a
 * command does the same whoever has started Keyturn, and wherever.
 */

export interface CommandShell {
  /** An absolute path without links. */
  readonly path: string;
  /** For people and the model: `bash 5.2`, `sh (dash)`. */
  readonly name: string;
  readonly isBash: boolean;
}

/** What every Unix has. */
export const plainShell: CommandShell = { path: '/bin/sh', name: 'sh', isBash: false };

/**
 * The first bash in the folders of a `PATH`, if it is one and a program of the system: in a folder that neither tools nor
 * the user of Keyturn write. Else `sh`. Never rejects.
 */
export async function findShell(path = ''): Promise<CommandShell> {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const files = new Set(
    folders
      .map((folder) => join(folder, 'bash'))
      .filter(mayRun)
      .map(realPath),
  );
  for (const file of files) {
    const version = isOfSystem(file) ? await bashVersion(file) : undefined;
    if (version !== undefined) return { path: file, name: `bash ${version}`, isBash: true };
  }
  const name = basename(realPath(plainShell.path));
  return name === 'sh' ? plainShell : { ...plainShell, name: `sh (${name})` };
}

/** The path of folders where only an administrator or a package manager writes. */
const ofSystem = /^\/(?:(?:usr\/)?(?:local\/)?s?bin|(?:nix|gnu)\/store|usr\/pkg\/bin)\//;

function isOfSystem(file: string): boolean {
  return ofSystem.test(file);
}

/** The path itself if it leads nowhere. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** In ms. It takes about 3. */
const longestLook = 5_000;

/** `5.2`; undefined if the program does not run, or is another shell by that name. */
function bashVersion(file: string): Promise<string | undefined> {
  const args = [...withoutFiles, '-c', 'echo "$BASH_VERSION"'];
  return new Promise((resolve) => {
    execFile(file, args, { timeout: longestLook, env: {}, encoding: 'utf8' }, (_, stdout) =>
      resolve(/^(\d+\.\d+)\./.exec(stdout)?.[1]),
    );
  });
}

/** Neither the files of a login nor those of an interactive shell. */
const withoutFiles = ['--noprofile', '--norc'];

/** The words that run a script with its `$1`, `$2` and so on. */
export function shellWords(shell: CommandShell, script: string, args: readonly string[]): readonly string[] {
  return shell.isBash
    ? [shell.path, ...withoutFiles, '-c', script, 'bash', ...args]
    : [shell.path, '-c', script, 'sh', ...args];
}

/**
 * An environment without the variables from which a shell takes files to run, functions, options and state, whoever has
 * set them. Programs get all others: for many of them `ENV` is the name of a setup, and a shell that is not interactive
 * does not read it.
 */
export function withoutShellState(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !shellState.test(name)));
}

const shellState =
  /^(?:BASH_.*|BASHOPTS|SHELLOPTS|POSIXLY_CORRECT|PROMPT_COMMAND|PS[0-4]|IFS|CDPATH|GLOBIGNORE|EXECIGNORE|TMOUT)$/s;
