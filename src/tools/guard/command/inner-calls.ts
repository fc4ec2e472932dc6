import { finding } from './command-kind.ts';
import { readOptions } from './options.ts';
import { isShell } from './programs.ts';
import { type InnerCalls, type Input, nothing, shellTexts } from './shell-texts.ts';
import { anyWord, knownWord, type ShellWord } from './shell-word.ts';
import { unwrap, wrapperPrograms } from './wrapper-programs.ts';

/** The commands that a command runs by its arguments. */
export function innerCalls(program: string, args: readonly ShellWord[], input: Input): InnerCalls {
  if (program === 'find' || program === 'fd' || program === 'fdfind') return foundCalls(program, args);
  if (program === 'command' && readOptions(args.slice(0, 1)).hasLetter('vV')) return nothing;
  const syntax = wrapperPrograms.get(program);
  if (syntax === undefined) return shellTexts(program, args, input);
  const { words, isSure, changesPrograms } = unwrap(args, syntax);
  const findings = [
    ...(isSure ? [] : [finding('unknown', program)]),
    ...(changesPrograms ? [finding('hidden_code', program)] : []),
  ];
  const texts = shellTexts(program, args, input);
  if (words.length === 0) return { ...texts, findings: [...findings, ...texts.findings] };
  const joined = runsText(program, args) ? [words.map(({ text }) => text).join(' ')] : [];
  const call = withInput(program, words, input);
  const isListed = isShell(call[0]?.text ?? '') || joined.length === 0;
  return {
    calls: isListed ? [call] : [],
    texts: [...joined, ...texts.texts],
    findings: [...findings, ...texts.findings],
  };
}

/** Whether the words are put together and given to a shell. */
function runsText(program: string, args: readonly ShellWord[]): boolean {
  if (program === 'parallel') return true;
  if (program === 'watch') return !readOptions(args).hasLetter('x');
  return program === 'sudo' && readOptions(args.slice(0, 1)).hasLetter('is');
}

/** What comes in adds arguments that nobody knows yet, and may make another deletion of a harmless one. */
function withInput(program: string, words: readonly ShellWord[], { upstream }: Input): readonly ShellWord[] {
  if (program !== 'xargs' && program !== 'parallel' && program !== 'entr') return words;
  const isRecursive = upstream.some((command) => command.program === 'find' || command.program === 'fd');
  return [...words, anyWord(isRecursive ? everyFound : '{}')];
}

/** Stands for the files that find lists. */
export const everyFound = '{found}';

/** `find … -exec program … ;` and its kin. */
function foundCalls(program: string, args: readonly ShellWord[]): InnerCalls {
  const isStarter = program === 'find' ? startsCallOfFind : startsCallOfFd;
  const calls: (readonly ShellWord[])[] = [];
  for (let index = 0; index < args.length; index++) {
    const own = isStarter(args[index]?.text ?? '');
    if (own === undefined) continue;
    // All up to the end belongs to the call, whatever it looks like: to read it twice would take time without end.
    const end = args.findIndex(({ text }, at) => at > index && (text === ';' || text === '+'));
    const call = [...own.map(knownWord), ...args.slice(index + 1, end === -1 ? args.length : end)];
    if (call.length > 0) calls.push([...call, anyWord(everyFound)]);
    if (end === -1) break;
    index = end;
  }
  return { calls, texts: [], findings: [] };
}

/** What of the word itself belongs to the call, if one begins with it. */
type StartsCall = (word: string) => readonly string[] | undefined;

const startsCallOfFind: StartsCall = (word) => (['-exec', '-execdir', '-ok', '-okdir'].includes(word) ? [] : undefined);

/** `-x rm`, `-xrm`, `-Hx rm`, `--exec=rm`. */
const startsCallOfFd: StartsCall = (word) => {
  const program = /^(?:-[^-xX]*[xX]|--exec(?:-batch)?(?:=|$))(.*)$/.exec(word)?.[1];
  return program === undefined ? undefined : [program].filter((each) => each !== '');
};
