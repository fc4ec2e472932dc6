import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BoundFile, BoundFiles } from './category.ts';
import type { CommandReading, ReadCommand } from './guard/command/command-reading.ts';
import { interpreterOf, isShell, isSystemProgram } from './guard/command/risks.ts';
import { isTold, type ShellWord } from './guard/command/shell-words.ts';
import type { Workspace } from './guard/workspace/workspace.ts';
import { WorkspaceError } from './guard/workspace/workspace-error.ts';
import { formatSize } from './text.ts';

/** The largest file that is read to know it again. */
const longest = 64 * 2 ** 20;

/** Fingerprints what a command executes, through the guard of its workspace. */
export async function bindFiles(workspace: Workspace, { candidates, areAllNamed }: ExecutedFiles): Promise<BoundFiles> {
  const found = await Promise.all(
    candidates.map((paths) => Promise.all(paths.map((path) => fingerprint(workspace, path)))),
  );
  const files = found.flat().filter((file) => file !== undefined);
  // What is not there yet may be anything later.
  const isEachThere = found.every(
    (of, index) => of.some((file) => file !== undefined) || isElsewhere(candidates[index]),
  );
  return {
    files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    areAll: areAllNamed && isEachThere,
  };
}

/** By its whole path, outside of the workspace: as the programs of the system, it is the operator's. */
function isElsewhere(paths: readonly string[] = []): boolean {
  return paths.every((path) => path.startsWith('/'));
}

async function fingerprint(workspace: Workspace, path: string): Promise<BoundFile | undefined> {
  try {
    return await workspace.withFile(path, longest, async (file) => {
      const hash = createHash('sha256');
      await pipeline(createReadStream(file.path), hash);
      const digest = hash.digest('hex');
      return { path: posix.normalize(path), state: digest, note: `${formatSize(file.size)}, ${digest.slice(0, 8)}` };
    });
  } catch (cause) {
    if (cause instanceof WorkspaceError) return undefined;
    throw cause;
  }
}

/** The files that a command executes, beside the programs of the system. */
interface ExecutedFiles {
  /** For each: where it may lie, relative to the workspace. */
  readonly candidates: readonly (readonly string[])[];
  /** All are named: nothing else that runs can be exchanged. */
  readonly areAllNamed: boolean;
}

/**
 * Finds the files in what was read of a command: scripts of interpreters, programs with a path, and what tools run that are told
 * by a file of the project. What such a file loads in turn is not found. `folder`: where the command begins, in the workspace.
 */
export function executedFiles(reading: CommandReading, folder = '.'): ExecutedFiles {
  const found = reading.commands.map((command) => filesOf(command));
  const candidates = reading.commands.flatMap((command, index) => {
    const { names = [] } = found[index] ?? {};
    const folders = [
      folder,
      ...command.folders.map((gone) => (gone.startsWith('/') ? gone : posix.join(folder, gone))),
    ];
    return names.map((alternatives) => alternatives.flatMap((name) => placesOf(name, folders)));
  });
  const isReadable = reading.isWhole && reading.commands.every(({ isOpaque }) => !isOpaque);
  return { candidates: distinct(candidates), areAllNamed: isReadable && found.every(({ areAll }) => areAll) };
}

function placesOf(name: string, folders: readonly string[]): readonly string[] {
  return name.startsWith('/') ? [name] : [...new Set(folders.map((folder) => posix.join(folder, name)))];
}

function distinct(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return [...new Map(lists.map((list) => [list.join('\0'), list])).values()];
}

interface Named {
  /** Each with the names that it may have. */
  readonly names: readonly (readonly string[])[];
  readonly areAll: boolean;
}

const none: Named = { names: [], areAll: true };
const unnamed: Named = { names: [], areAll: false };

function filesOf(command: ReadCommand): Named {
  const { program, programPath, words, findings, isWrapper } = command;
  const own = programPath === undefined || programPath === '' || isSystemProgram(programPath) ? [] : [[programPath]];
  const told = filesOfProgram(program, words, isWrapper);
  if (told !== undefined) return { names: [...own, ...told.names], areAll: told.areAll };
  // It runs something, and nobody knows what.
  const runsCode = findings.some(
    ({ kind, of }) => kind === 'hidden_code' && (own.length === 0 || of[0] !== programPath),
  );
  return { names: own, areAll: !runsCode && !findings.some(({ kind }) => kind === 'downloaded_code') };
}

function filesOfProgram(program: string, words: readonly ShellWord[], isWrapper: boolean): Named | undefined {
  if (isShell(program)) return isWrapper ? none : script(words, /^-[euxvfn]+$|^-o$|^pipefail$/);
  if (program === '.' || program === 'source') return script(words, /^$/);
  if (/^(?:sqlite3|psql|mysql|vim?|nvim|emacs|ed|ex|gdb)$/.test(program)) return unnamed;
  if (interpreterOf(program) !== undefined)
    return script(words, /^-[uBEsSOw]+$|^--(?:no-warnings|enable-source-maps)$/);
  if (/^(?:npm|pnpm|yarn|bun)$/.test(program)) return ofPackage(words);
  if (/^(?:make|gmake)$/.test(program)) return ofMake(words);
  if (/^(?:[gmn]?awk|g?sed)$/.test(program)) {
    const at = words.findIndex(({ text }) => /^-[nErsuz]*f$|^--file$/.test(text));
    return at === -1 ? undefined : script(words.slice(at + 1), /^$/);
  }
  return undefined;
}

/** The first word that is none of the harmless options. Behind any other option there may be more that runs. */
function script(words: readonly ShellWord[], harmless: RegExp): Named {
  const first = words.find(({ text }) => !harmless.test(text));
  if (first === undefined || first.text.startsWith('-') || !isTold(first)) return unnamed;
  return { names: [[first.text]], areAll: true };
}

function ofPackage(words: readonly ShellWord[]): Named {
  const [verb, name] = words;
  const isScript = /^(?:test|t|start|stop|restart)$/.test(verb?.text ?? '');
  const isRun = /^(?:run|run-script)$/.test(verb?.text ?? '') && name?.text.startsWith('-') === false && isTold(name);
  return isScript || isRun ? { names: [['package.json']], areAll: true } : unnamed;
}

function ofMake(words: readonly ShellWord[]): Named {
  if (!words.every(isTold) || words.some(({ text }) => /^-[a-zA-Z]*C|^--dir|^--eval|^--include|^-I/.test(text)))
    return unnamed;
  const at = words.findIndex(({ text }) => /^(?:-f|--file|--makefile)$/.test(text));
  const named = words[at + 1]?.text;
  if (at !== -1) return named === undefined ? unnamed : { names: [[named]], areAll: true };
  if (words.some(({ text }) => /^-f|^--(?:make)?file=/.test(text))) return unnamed;
  return { names: [['GNUmakefile', 'makefile', 'Makefile']], areAll: true };
}
