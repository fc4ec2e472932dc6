import type { CommandReading, ReadAssignment, ReadCommand, ReadRedirect } from './command-reading.ts';
import { isSystemProgram } from './paths.ts';
import { lookingPrograms } from './read-only-programs.ts';
import type { ShellWord } from './shell-word.ts';
import { isHarmlessVariable } from './syntax-doubts.ts';

/** Whether the text as a whole is free of doubt, apart from what its commands do: no rule allows one that is not. */
export function isWithoutDoubt({ text, commands, findings, isLeftRunning }: CommandReading): boolean {
  if (findings.length > 0 || isLeftRunning || namesKernelFiles(text)) return false;
  const words = commands.flatMap((command) => [...command.words, ...command.redirects.map(({ target }) => target)]);
  if (words.some((word) => namesKernelFiles(word.text))) return false;
  // What a variable holds may be put together to a path of the kernel's.
  const hasRoots = commands.some(({ assignments }) => assignments.some(holdsRoot));
  return !hasRoots || words.every(({ isKnown }) => isKnown);
}

/**
 * Whether a command, apart from the text around it, is known to change nothing and to reach no network, with options that are
 * known, too. What it looks at is not judged, but for `/proc`, `/sys` and `/dev`; nor is what the settings of a repository
 * make git do.
 */
export function isReadOnlyCommand(command: ReadCommand): boolean {
  const { program, programPath, words, assignments, redirects, via, isWrapper } = command;
  if (!assignments.every(({ name }) => isHarmlessVariable(name)) || !redirects.every(isHarmless)) return false;
  if (programPath === '') return true;
  if (programPath === undefined || !isSystemProgram(programPath)) return false;
  if (!via.every((wrapper) => plainWrappers.has(wrapper))) return false;
  if (command.findings.some(({ kind }) => kind !== 'reading')) return false;
  if (isWrapper) return plainWrappers.has(program) && words.every(({ isKnown }) => isKnown);
  if (words.some(reachesRoot)) return false;
  return lookingPrograms.get(program)?.(words) === true;
}

/** They only run another command, which is looked at too. */
const plainWrappers: ReadonlySet<string> = new Set(['command', 'timeout', 'nice', 'stdbuf']);

function isHarmless({ operator, target }: ReadRedirect): boolean {
  if (operator.startsWith('<<')) return true;
  if (operator === '>&' || operator === '<&') return target.isKnown && /^(?:\d+-?|-)$/.test(target.text);
  if (operator === '<') return target.beginning !== '' && !reachesRoot(target);
  return operator !== '<>' && target.isKnown && target.text === '/dev/null';
}

/** Whether a path of the kernel's stands in the text: quotes, escapes and detours do not hide it. */
function namesKernelFiles(text: string): boolean {
  const parts = text
    .replace(/["'\\]/g, '')
    .split('/')
    .filter((part, index) => index === 0 || (part !== '' && part !== '.'));
  return parts.some((part, index) => {
    const before = parts[index - 1];
    if (before === undefined || !isAtTop(before) || !/^(?:proc|sys|dev)(?![\w.-])/.test(part)) return false;
    return !(part === 'dev' && /^(?:null|stdin|stdout|stderr)(?![\w.-])/.test(parts[index + 1] ?? ''));
  });
}

/** Whether a slash behind it may stand for the top of the file system. */
function isAtTop(before: string): boolean {
  return before === '' || /(?:[^\w.-]|\.\.|\$\w+)$/.test(before.slice(-80));
}

/** A pattern at the very top of the file system may fit a folder of the kernel's. */
function reachesRoot({ isKnown, beginning, text }: ShellWord): boolean {
  return !isKnown && /(?:^|[=:,@])\/[^/]*$/.test(beginning) && text !== beginning;
}

function holdsRoot({ value }: ReadAssignment): boolean {
  return value === undefined || /^\/|^~|\.\./.test(value.text);
}
