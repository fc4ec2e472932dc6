import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { InLanguage } from '../lib/words.ts';
import { refuseBash } from './guard/command/bash-words.ts';
import {
  type CommandReading,
  describeCommand,
  describeRun,
  isIrreversible,
  isShortRun,
  isSystemProgram,
  onlyLooks,
  opensNoFile,
  type ReadCommand,
} from './guard/command/command-reading.ts';
import type { CommandRules } from './guard/command/command-rules.ts';
import { outputsOf, plainShells, runsOnlyKnown } from './guard/command/known-commands.ts';
import { readCommands } from './guard/command/read-commands.ts';
import { interpreterOf, isPowerfulVariable, isShell } from './guard/command/risks.ts';
import { anyOf, isAmong, isTold, type ShellWord, valuesOf } from './guard/command/shell-words.ts';
import { commandWords } from './guard/command/words.ts';
import type { CommandShell } from './guard/process/command-shell.ts';
import type { Workspace, WorkspaceFactory } from './guard/workspace/workspace.ts';
import { errorCode, WorkspaceError } from './guard/workspace/workspace-error.ts';
import type { RuleTarget } from './lasting-target.ts';
import { commandTarget } from './rule-target.ts';
import { formatSize } from './text.ts';
import type { BoundFiles, CallBody, CallFacets, ToolScope } from './tool.ts';
import { toolsWords } from './words.ts';

/** Where commands run. */
interface CommandPlace {
  readonly workspaceAt: WorkspaceFactory;
  /** Where a command starts, in the workspace. */
  readonly folder?: string;
  readonly commandShell: () => CommandShell;
}

/** What is known about a command before it runs, in the form of `CallAuthoring`. */
export interface CommandFacts<Args> {
  /** Rules and descriptions read the same arguments one after the other. */
  read(args: Args): CommandReading;
  describeCall(args: Args): InLanguage;
  effect(args: Args): InLanguage;
  /** Undefined if `describeCall` says all of it. */
  body(args: Args): CallBody | undefined;
  forbid(args: Args): string | undefined;
  mightForbid(args: Args): boolean;
  binds(args: Args, scope: Pick<ToolScope, 'workspace'>): Promise<BoundFiles>;
  /** The sandbox mounts protected names read only: there, no access time is recorded. */
  untraced(args: Args, isConfined: boolean, protectedNames: readonly string[]): readonly string[] | undefined;
  /** Of a command that the sandbox confines. */
  ruleTarget(args: Args): RuleTarget | undefined;
  /** Reading a command is no boundary: rules allow only what the sandbox confines. */
  permission(args: Args, isConfined: boolean): CallFacets;
}

/** `commandOf`: the command of a call's arguments. */
export function commandFacts<Args>(
  commandOf: (args: Args) => string,
  rules: CommandRules,
  { workspaceAt, folder, commandShell }: CommandPlace,
): CommandFacts<Args> {
  const read = lastReading(commandOf);
  return {
    read,
    describeCall: (args) => runOf(read(args)),
    effect: (args) => effectOf(read(args)),
    body: (args) => bodyOf(read(args)),
    forbid: (args) => rules.forbids(read(args)) ?? (commandShell().isBash ? undefined : refuseBash(commandOf(args))),
    mightForbid: (args) => rules.mightForbid(read(args)),
    binds: (args, { workspace }) => bindFiles(workspaceAt(workspace), executedFiles(read(args), folder)),
    untraced: (args, isConfined, protectedNames) =>
      isConfined && !opensNoFile(read(args)) ? protectedNames : undefined,
    ruleTarget(args) {
      const reading = read(args);
      return commandTarget({ reading, isNamed: reading.commands.every((command) => filesOf(command).areAll) });
    },
    permission: (args, isConfined) => ({
      ...(isConfined ? { allowedByRule: rules.allows(read(args)) } : { allowedByRule: false, unconfined: true }),
      irreversible: isIrreversible(read(args)),
    }),
  };
}

function runOf(reading: CommandReading): InLanguage {
  return (language) => describeRun(reading, language);
}

/** Put into words only where a card says it. */
function effectOf(reading: CommandReading): InLanguage {
  return (language) => describeCommand(reading, language).join('\n');
}

function bodyOf(reading: CommandReading): CallBody | undefined {
  if (isShortRun(reading)) return undefined;
  return { text: reading.text, language: 'sh', title: (language) => commandWords[language].runThis };
}

/** Reads a command, and keeps the last reading. */
function lastReading<Args>(commandOf: (args: Args) => string): (args: Args) => CommandReading {
  let last: { readonly args: Args; readonly reading: CommandReading } | undefined;
  return (args) => {
    if (last?.args !== args) last = { args, reading: readCommands(commandOf(args)) };
    return last.reading;
  };
}

/** The largest file to hash, and the largest script to read, in bytes. */
const longest = 64 * 2 ** 20;
const longestScript = 32_768;

/** Hashes the files that a command executes, read through the workspace's guard. */
async function bindFiles(workspace: Workspace, executed: ExecutedFiles): Promise<BoundFiles> {
  const found = await Promise.all(
    executed.candidates.map(async (paths) => {
      const all = await Promise.all(paths.map((path) => fingerprint(workspace, path)));
      const there = all.filter((file) => file !== undefined);
      // A file that is missing now can be anything later.
      const isCertain =
        there.length === 0 ? paths.every(isOfSystem) : there.every(({ script }) => isKnownScript(script, executed));
      return { files: there.map(({ file }) => file), isCertain };
    }),
  );
  return {
    files: found.flatMap(({ files }) => files).toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    areAll: executed.isKnown && found.every(({ isCertain }) => isCertain),
  };
}

/** Whether a script runs only programs of the system, and makes nothing that is executed with it. */
function isKnownScript(script: string | undefined, { candidates }: ExecutedFiles): boolean {
  if (script === undefined || !isShellScript(script)) return false;
  const reading = readCommands(script);
  return runsOnlyKnown(reading) && leavesAlone(outputsOf(reading), candidates);
}

/** Whether these files are no scripts that run. Undefined: any files. */
function leavesAlone(outputs: readonly string[] | undefined, candidates: ExecutedFiles['candidates']): boolean {
  const executed = new Set(candidates.flat().map((path) => posix.basename(path)));
  return outputs?.every((path) => !executed.has(posix.basename(path))) === true;
}

/** Without a line that names another program, a shell reads it. */
function isShellScript(script: string): boolean {
  if (script.includes('\0')) return false;
  return (
    !script.startsWith('#!') ||
    /^#!\s*\/(?:usr\/)?bin\/(?:env +)?(?:sh|bash|dash|ash)(?: +-[euxf]+)? *(?:\n|$)/.test(script)
  );
}

function isOfSystem(path: string): boolean {
  return path.startsWith('/') && isSystemProgram(path);
}

/** Files that matter only if they exist. */
const mayLack = /(?:^|\/)\.npmrc$/;

/** `script`: its content, if that is short. */
async function fingerprint(workspace: Workspace, path: string) {
  try {
    return await workspace.withFile(path, longest, async (file) => {
      const hash = createHash('sha256');
      const kept: Buffer[] = [];
      await pipeline(
        createReadStream(file.path),
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            if (file.size <= longestScript) kept.push(chunk);
            yield chunk;
          }
        },
        hash,
      );
      const digest = hash.digest('hex');
      const note = `${formatSize(file.size)}, ${digest.slice(0, 8)}`;
      const script = file.size <= longestScript ? Buffer.concat(kept).toString() : undefined;
      return { file: { path: posix.normalize(path), state: digest, note }, script };
    });
  } catch (cause) {
    if (!(cause instanceof WorkspaceError)) throw cause;
    // A missing or unreadable file must stay that way.
    if (!mayLack.test(path)) return undefined;
    const unread = { path, state: cause.message, note: missing };
    const isMissing = errorCode(cause.cause) === 'ENOENT';
    return { file: isMissing ? ({ ...unread, isMissing } as const) : unread, script: undefined };
  }
}

const missing: InLanguage = (language) => toolsWords[language].missing;

interface ExecutedFiles {
  /** For each file, the paths where it may be: absolute, or relative to the workspace. */
  readonly candidates: readonly (readonly string[])[];
  /** All that runs is known, if these files are scripts that run only what is known. */
  readonly isKnown: boolean;
}

/**
 * Finds the files that a command executes: scripts of interpreters, programs with a path, and project files that tell
 * tools what to run. Files that those load in turn are not found. If it is unclear what runs, all operands are
 * candidates, too. `folder`: where the command starts, in the workspace.
 */
function executedFiles(reading: CommandReading, folder = '.'): ExecutedFiles {
  const found = reading.commands.map((command) => ({ command, ...filesOf(command) }));
  const isReadable = reading.isWhole && reading.commands.every(({ isOpaque }) => !isOpaque);
  const areAllNamed = isReadable && found.every(({ areAll }) => areAll);
  const all = found.flatMap(({ command, names }) => {
    const folders = [
      folder,
      ...command.folders.map((gone) => (gone.startsWith('/') ? gone : posix.join(folder, gone))),
    ];
    const named = areAllNamed ? names : [...names, ...operandsIn(command)];
    return named.map((alternatives) => alternatives.flatMap((name) => placesOf(name, folders)));
  });
  const candidates = [...new Map(all.map((list) => [list.join('\0'), list])).values()];
  const scripts = new Set(found.filter(runsScript).map(({ command }) => command));
  const isUnchanged = scripts.size === 0 || leavesAlone(outputsOf(reading, scripts), candidates);
  return { candidates, isKnown: areAllNamed && runsOnlyKnown(reading, scripts) && isUnchanged };
}

/** Whether it runs one file and nothing else, by itself or by a shell. Shells expand patterns and braces differently. */
function runsScript({ command, names }: Named & { readonly command: ReadCommand }): boolean {
  const { program, programPath = '', words, isWrapper } = command;
  if (isWrapper || names.length !== 1) return false;
  if (programPath !== '' && !isSystemProgram(programPath)) return interpreterOf(program) === undefined;
  const isWritten = words.some(({ text, isKnown }) => isKnown && text === names[0]?.[0]);
  return isWritten && isAmong(program, `${plainShells} . source`);
}

/** Operands and redirects that may name a file. A path segment has at most 255 bytes. */
function operandsIn({ words, redirects }: ReadCommand): readonly (readonly string[])[] {
  const read = redirects.filter(({ operator }) => /^\d*<$/.test(operator)).map(({ target }) => target);
  return [...words, ...read]
    .filter((word) => isTold(word) && /^[^\n\0-][^\n\0]{0,199}$/.test(word.text))
    .map(({ text }) => [text]);
}

function placesOf(name: string, folders: readonly string[]): readonly string[] {
  return name.startsWith('/') ? [name] : [...new Set(folders.map((folder) => posix.join(folder, name)))];
}

interface Named {
  readonly names: readonly (readonly string[])[];
  readonly areAll: boolean;
}

const none: Named = { names: [], areAll: true };
const unnamed: Named = { names: [], areAll: false };

function filesOf(command: ReadCommand): Named {
  const { program, programPath = '', words, assignments, findings, isWrapper } = command;
  const own = programPath === '' || isSystemProgram(programPath) ? [] : [[programPath]];
  const isTampered = assignments.some(({ name }) => isPowerfulVariable(name));
  const told = filesOfProgram(program, words, isWrapper);
  if (told !== undefined) return { names: [...own, ...told.names], areAll: told.areAll && !isTampered };
  // It runs code, but nothing says which.
  const runsCode = findings.some(
    ({ kind, of }) => kind === 'hidden_code' && (own.length === 0 || of[0] !== programPath),
  );
  return { names: own, areAll: !runsCode && !findings.some(({ kind }) => kind === 'downloaded_code') };
}

function filesOfProgram(program: string, words: readonly ShellWord[], isWrapper: boolean): Named | undefined {
  if (onlyLooks(program, words)) return none;
  const has = (pattern: RegExp): boolean => words.some(({ text }) => pattern.test(text));
  if (isShell(program)) return isWrapper ? none : script(words, '-[euxvfn]+ -o pipefail', /./);
  // Without a slash, the PATH is searched.
  if (isAmong(program, '. source')) return script(words, '', /\//);
  // If the target folder is unknown, a file of the same name may be there.
  if (isAmong(program, 'cd pushd')) return words.every(isTold) ? none : unnamed;
  if (isAmong(program, 'popd sqlite3 psql mysql vi vim nvim emacs ed ex gdb')) return unnamed;
  // A word without a dot or a slash is probably a subcommand: `node inspect`, `deno run`.
  if (interpreterOf(program) !== undefined)
    return script(words, '-[uBEsSOw]+ --no-warnings --enable-source-maps', /[./]/);
  if (isAmong(program, 'npm pnpm yarn bun')) return ofPackage(words);
  if (isAmong(program, 'make gmake')) return ofMake(words);
  const takesScripts = isAmong(program, 'awk gawk mawk nawk sed gsed');
  if (takesScripts && has(/^-[nErsuz]*f|^--(?:file|include|load|exec)|^-[il]$/)) return unnamed;
  return program === 'git' && !has(gitVerbs) ? unnamed : undefined;
}

/** Git's own verbs. Any other may be an alias, which may run any command. */
const gitVerbs = anyOf(String.raw`add apply blame branch checkout clean clone commit describe diff fetch grep init log
  ls-\w+ merge mv pull push reflog remote reset restore rev-\w+ revert rm shortlog show show-ref stash status switch tag
  --version`);

/** The first word that is not a harmless option. Any other option may make more run. */
function script(words: readonly ShellWord[], harmless: string, isFile: RegExp): Named {
  const isHarmless = anyOf(harmless);
  const first = words.find(({ text }) => !isHarmless.test(text));
  if (first === undefined || /^-|^\/(?:dev|proc)\//.test(first.text) || !isTold(first) || !isFile.test(first.text))
    return unnamed;
  return { names: [[first.text]], areAll: true };
}

/** Only the plainest form: an option may name another folder or shell, and so may a `.npmrc`. */
function ofPackage(words: readonly ShellWord[]): Named {
  const [verb = ''] = words.map(({ text }) => text);
  const runsScript =
    isAmong(verb, 'test t start stop restart') || (isAmong(verb, 'run run-script') && words.length > 1);
  if (!runsScript) return unnamed;
  const isPlain = words.every((word) => isTold(word) && !word.text.startsWith('-'));
  return { names: [['package.json'], ['.npmrc']], areAll: isPlain };
}

/** Variables and options with which make reads something else than its file, or than what follows a separate `-f`. */
const otherMakefiles = /=|^-(?!f$)\w*[CIf]|^--(?!file$|makefile$)/;

function ofMake(words: readonly ShellWord[]): Named {
  if (!words.every((word) => isTold(word) && !otherMakefiles.test(word.text))) return unnamed;
  const named = valuesOf(words, 'f', 'file', 'makefile').map(({ text }) => [text]);
  return { names: named.length === 0 ? [['GNUmakefile', 'makefile', 'Makefile']] : named, areAll: true };
}
