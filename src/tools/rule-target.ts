/*
 * What of a call a person's lasting rule may be about: the one file that it writes, the one command that it runs, the one
 * host that it reads from. A call that would do more, or whose target cannot be told exactly, has none.
 */

import { posix } from 'node:path';
import type { CommandReading, ReadCommand } from './guard/command/command-reading.ts';
import { isAmong } from './guard/command/shell-words.ts';
import type { Workspace } from './guard/workspace/workspace.ts';
import { errorCode, WorkspaceError } from './guard/workspace/workspace-error.ts';
import type { RuleTarget } from './lasting-target.ts';

/** The file that a tool writes. Undefined if a part of its path is hidden or hard to read, or nothing may be written there. */
export async function fileTarget(workspace: Workspace, path: string): Promise<RuleTarget | undefined> {
  const real = await realPath(workspace, path);
  return real !== undefined && isPlainPath(real) ? { of: 'file', path: real } : undefined;
}

/** With all links followed. Folders that are missing are no links. */
async function realPath(workspace: Workspace, path: string): Promise<string | undefined> {
  try {
    return await workspace.locate(path);
  } catch (cause) {
    if (!(cause instanceof WorkspaceError)) throw cause;
    const above = posix.dirname(path);
    const isMissing = errorCode(cause.cause) === 'ENOENT';
    if (!isMissing || above === path || path.split('/').includes('..')) return undefined;
    const folder = await realPath(workspace, above);
    return folder && posix.join(folder, posix.basename(path));
  }
}

const longestPath = 200;

/** No name begins with a dot, ends with a space, or has signs that people cannot see or tell apart from others. */
function isPlainPath(path: string): boolean {
  const names = path.split('/');
  const isSeen = path.length <= longestPath && !invisible.test(path);
  return isSeen && names.every((name) => plainName.test(name) && !name.endsWith(' '));
}

/** Some of them are letters or marks, as the Hangul filler and the variation selectors. */
const invisible = /\p{Default_Ignorable_Code_Point}/u;
const plainName = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._@+,()=-]*$/u;

/** What is said of a command before it runs. */
interface ReadRun {
  readonly reading: CommandReading;
  /** Which files it begins with is known, whatever they hold. */
  readonly isNamed: boolean;
}

/**
 * A command without shell signs that only reads, records (`git commit`), makes empty files and folders, or runs what the
 * project defines (`npm test`).
 */
export function commandTarget({ reading, isNamed }: ReadRun): RuleTarget | undefined {
  const { text: command, commands, findings, isWhole, isLeftRunning } = reading;
  const [only, ...others] = commands;
  if (only === undefined || others.length > 0 || !isNamed || !isWhole || isLeftRunning || only.isOpaque)
    return undefined;
  const kinds = [...findings, ...only.findings].map(({ kind }) => kind);
  const isOrdinary = kinds.every((kind) => ordinaryKinds.includes(kind));
  const isHarmless = kinds.every((kind) => kind === 'reading') || isRepeatable(only);
  return isOrdinary && isHarmless && command.length <= longestCommand && plainWords.test(command)
    ? { of: 'command', command }
    : undefined;
}

const ordinaryKinds: readonly string[] = ['hidden_code', 'writing', 'reading'];
const longestCommand = 120;

/**
 * Whether it may be repeated unseen. Programs are named one by one, since what a reading calls writing also moves
 * (`mv`), overwrites (`cp`, `dd`, `truncate`, `tee`, `install`) and undoes work (`git reset --hard`): what the same words
 * destroy differs each time. Of Git, only what adds to its record.
 */
function isRepeatable({ program, programPath = '', words }: ReadCommand): boolean {
  const [first = '', ...others] = words.map(({ text }) => text);
  if (program === 'git') return isAmong(first, 'add commit') && !others.some((word) => /^--am/.test(word));
  if (isAmong(program, 'touch mkdir')) return true;
  const isOwnScript = /^(?!\/|\.\.?$).*\//.test(programPath) && !programPath.split('/').includes('..');
  return (isOwnScript || isAmong(program, runners)) && ![programPath, first, ...others].some(isFateful);
}

/** They run scripts and targets that the workspace holds. */
const runners = `npm pnpm yarn bun make gmake sh bash dash python python2 python3 node ruby perl php lua`;

/** Whether the name of a script or target says that it destroys, sends, moves or pays. */
function isFateful(name: string): boolean {
  return fateful.test(name);
}

const fateful =
  /publish|deploy|releas|upload|install|rollback|destroy|delet|remov|clean|purge|prune|wipe|reset|revert|stop|kill|send|notify|migrat|transfer|refund|(?<![a-z])(?:push|ship|drop|mail|post|rm|pay|move|mv|sync)/i;

/** No quotes, patterns, variables, redirections, pipes or lists; and the first word sets no variable. */
const plainWords = /^[\w./+-]+(?: [\w./+:,@%=-]+)*$/;

/** The origin of a web address; undefined if it is none. What goes there unencrypted is another matter than what does not. */
export function hostTarget(url: string): RuleTarget | undefined {
  const parsed = URL.parse(url);
  const isWeb =
    parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '';
  return isWeb && parsed.host.length <= longestPath ? { of: 'host', host: parsed.origin } : undefined;
}

/**
 * Why a call that a rule lets go to this address may not be led there, in words for the model: a redirect of the host that
 * the rule names must not take the call to one about which nobody was asked.
 */
export function refuseOtherOrigin(url: string, hop: URL): string | undefined {
  return URL.parse(url)?.origin === hop.origin
    ? undefined
    : 'It is on another host than the one that people let you read without asking. If you need it, ask for it by this URL in a call of its own: it may have to be approved.';
}
