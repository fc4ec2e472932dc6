import {
  type CommandReading,
  isHarmlessVariable,
  isSystemProgram,
  isWithoutDoubt,
  onlyLooks,
  programsByOptions,
  type ReadCommand,
} from './command-reading.ts';
import { isAmong, isTold, type ShellWord } from './shell-words.ts';

/*
 * Whether everything that a command runs is known, so that it may be allowed for good. A program counts only if it is in
 * these lists, with known options: most programs load more than they are told, from the folder that they are in
 * (interpreters their modules, make and npm their files, git the programs that its settings name). Not known is the
 * answer for everything else.
 */

/** Whether all that a text runs is known: programs of the system, and the scripts among its commands. */
export function runsOnlyKnown(reading: CommandReading, scripts: ReadonlySet<ReadCommand> = new Set()): boolean {
  if (!reading.isWhole || !isWithoutDoubt(reading)) return false;
  return reading.commands.every((command) => isPlain(command) && (scripts.has(command) || isKnownProgram(command)));
}

/**
 * The files that a text writes, if it changes no others: those that it redirects output to. Undefined if it may change
 * any file, and so the scripts that it runs.
 */
export function outputsOf(
  { commands }: CommandReading,
  scripts: ReadonlySet<ReadCommand> = new Set(),
): readonly string[] | undefined {
  const isCertain = commands.every((command) => scripts.has(command) || changesOnlyOutput(command));
  return isCertain ? commands.flatMap(({ redirects }) => redirects.map(({ target }) => target.text)) : undefined;
}

/** Whether nothing around the program changes what it runs. */
function isPlain({ programPath, isOpaque, assignments, findings }: ReadCommand): boolean {
  const isClear = findings.every(({ kind }) => kind !== 'downloaded_code');
  return programPath !== undefined && !isOpaque && isClear && assignments.every(({ name }) => isHarmlessVariable(name));
}

function isKnownProgram({ program, programPath = '', words, isWrapper }: ReadCommand): boolean {
  if (programPath === '') return true;
  if (!isSystemProgram(programPath)) return false;
  if (isWrapper) return isKnownWrapper(program, words);
  // Without the dash, the letters of its first word are options, too.
  if (program === 'tar' && words[0]?.text.startsWith('-') !== true) return false;
  return onlyLooks(program, words) || isAmong(program, withoutCode) || plainPrograms.get(program)?.(words) === true;
}

/** Whether it changes nothing, or only a file of a told name. */
function changesOnlyOutput({ program, programPath, words, isWrapper, redirects }: ReadCommand): boolean {
  if (!redirects.every(({ target }) => isTold(target))) return false;
  return programPath === '' || isWrapper || onlyLooks(program, words) || isAmong(program, ownCommands);
}

/** Whether it runs exactly the commands that were found in its words. */
function isKnownWrapper(program: string, words: readonly ShellWord[]): boolean {
  // A login shell, or an interactive one, reads files of its own first.
  if (isAmong(program, plainShells))
    return words.every(({ text }) => !/^[-+]/.test(text) || /^-[cefnsux]+$/.test(text));
  if (program === 'env') return words.every(isPlainSetting);
  return isAmong(program, plainWrappers);
}

/** Shells that read no file of their own before a script. */
export const plainShells = 'sh dash bash ash';

const plainWrappers = `command builtin exec eval trap nice nohup time timeout stdbuf setsid ionice chrt taskset xargs find fd`;

/** Not a word that sets a variable which another program reads. */
function isPlainSetting({ text }: ShellWord): boolean {
  const name = /^([^=]+)=/.exec(text)?.[1];
  return name === undefined || isHarmlessVariable(name);
}

/** The shell's own commands, which run nothing. */
const ownCommands = 'cd pushd set wait exit umask ulimit shift break continue return';

/** Programs that run nothing but themselves, whatever their words. */
const withoutCode =
  `cp mv rm rmdir mkdir touch ln chmod chown chgrp truncate tee unlink shred mkfifo mktemp sync dd gzip
  gunzip bzip2 bunzip2 xz unxz zstd unzstd unzip kill pkill killall pgrep ss netstat ping lsblk lsof vmstat iostat dig
  host nslookup whois nvidia-smi cd pushd wait exit umask ulimit shift break continue return`.replace(/\s+/g, ' ');

/** Programs of which some options run nothing else, in rows as `programsByOptions` reads them. */
const plainPrograms: ReadonlyMap<string, (words: readonly ShellWord[]) => boolean> = new Map(
  programsByOptions(`
set * [-+][a-zA-Z]+ -o
tar [^:]* -[cxtzjJvpfC]+ --create --extract --list --gzip --verbose --file=[^:]*
curl * -[fsSLkIiOJvgNRG]+ -[fsSLkIiOJvgNRG]*[oHAeXdmwu].* --(?:fail|silent|show-error|location|head|include|compressed)
  --(?:output|header|request|data|data-raw|json|max-time|user-agent|user)(?:=.*)?
wget * -[qcnN]+ -[qcnN]*[OP].* --quiet --(?:output-document|timeout|tries)=.*
split * -[abdlCnx].* --lines=.* --bytes=.* --number=.*
zip * -[rqj0-9]+
ip (?:a|addr|address|r|route|link|neigh|show)`),
);
