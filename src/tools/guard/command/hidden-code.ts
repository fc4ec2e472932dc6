/*
 * Programs and code that are known only at run time: a name that is filled in, an option that may be any, and what a program
 * takes for its code from elsewhere.
 */

import { posix } from 'node:path';
import type { ReadAssignment, ReadCommand } from './command-reading.ts';
import { isOfKernel } from './inner-commands.ts';
import { mayBeOption } from './made-files.ts';
import { interpreterOf, steersShell } from './risks.ts';
import { isAmong, type ShellWord } from './shell-words.ts';

/** Whether a program is known only at run time: the kernel's files are whatever runs, or is open. */
export function isUnknown(path: string | undefined, folders: readonly string[]): boolean {
  if (path === undefined) return true;
  return path.includes('/') && [path, ...folders.map((folder) => posix.join(folder, path))].some(isOfKernel);
}

function isSteered(name: string): boolean {
  return name === 'PATH' || steersShell(name);
}

/** Bash's own commands that declare the variables in their words. */
export const declaringWords = 'export declare typeset local readonly';
const namingWords = 'read getopts mapfile readarray printf unset wait';

/** Whether a word that is known only at run time may change what it does. */
export function isOpenCommand(
  program: string,
  words: readonly ShellWord[],
  assignments: readonly ReadAssignment[],
): boolean {
  if (assignments.some(({ name }) => isSteered(name) && !(program === 'read' && name === 'IFS'))) return true;
  if (
    isAmong(program, `${declaringWords} ${namingWords}`) &&
    words.some(({ text }) => steersShell(text.split(/\+?=/, 1)[0] ?? ''))
  )
    return true;
  // Unlike `export PATH=…`, these do not say what they set it to.
  if (isAmong(program, namingWords) && words.some(({ text }) => text === 'PATH')) return true;
  if (isAmong(program, 'git exec busybox toybox docker systemctl')) return words[0]?.filled === 'open';
  const end = words.findIndex(({ text }) => text === '--');
  if (isAmong(program, 'rm grm srm wipe') && words.slice(0, end === -1 ? undefined : end).some(mayBeOption))
    return true;
  return isAmong(program, changedByOptions) && words.some(({ filled }) => filled === 'open');
}

/** An option makes them delete folders, or listen. */
const changedByOptions = 'rm grm srm wipe find dd nc ncat netcat pwncat socat';

type CodeReader = Pick<ReadCommand, 'program' | 'words' | 'redirects' | 'upstream'>;

/** Whether a program takes code that is known only at run time: an open word, or what a program prints that is not read. */
export function takesHiddenCode({ program, words, redirects, upstream }: CodeReader): boolean {
  const isOfText = isAmong(program, 'awk gawk mawk nawk sed gsed make gmake just ninja');
  if (!isOfText && interpreterOf(program) === undefined) return false;
  const [first] = words.filter(({ text }) => !text.startsWith('-'));
  // A path of a script is known by its slash, and these open what the word names.
  const mayTakeCode = !isAmong(program, 'sqlite3 psql mysql vi vim nvim emacs ed ex gdb');
  const mayBeCode = ({ filled, beginning, text }: ShellWord) =>
    filled === 'open' && beginning === '' && !text.includes('/') && mayTakeCode;
  const isCode = ({ filled }: ShellWord, at: number) =>
    filled === 'open' && /^-\w*[ceErp]$/.test(words[at - 1]?.text ?? '');
  if (words.some(isCode) || words.slice(0, 1).some(mayBeCode) || (first !== undefined && mayBeCode(first))) return true;
  if (first?.text.startsWith('<(')) return true;
  if (isOfText || (first !== undefined && !isAmong(first.text, '- /dev/stdin'))) return false;
  if (redirects.some(({ operator, target }) => operator === '<' && target.text.startsWith('<('))) return true;
  return upstream.some(({ program: source }) => !isAmong(source, 'echo printf cat tee'));
}
