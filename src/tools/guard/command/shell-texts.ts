import { type Finding, finding } from './command-kind.ts';
import type { ReadCommand, ReadRedirect } from './command-reading.ts';
import { readOptions } from './options.ts';
import { isShell } from './programs.ts';
import type { ShellWord } from './shell-word.ts';

export interface InnerCalls {
  /** Programs with their arguments that the command runs. */
  readonly calls: readonly (readonly ShellWord[])[];
  /** Texts that it has a shell run. */
  readonly texts: readonly string[];
  readonly findings: readonly Finding[];
}

/** What a command can read beside its arguments. */
export interface Input {
  readonly redirects: readonly ReadRedirect[];
  readonly upstream: readonly ReadCommand[];
}

/** The texts that a command gives to a shell. What of them is not known is among its findings. */
export function shellTexts(program: string, args: readonly ShellWord[], input: Input): InnerCalls {
  if (isShell(program)) return ofShell(program, args, input);
  const given = givenText(program, args);
  return given.length === 0 ? nothing : asTexts(program, given);
}

/** Of a command that runs no other. */
export const nothing: InnerCalls = { calls: [], texts: [], findings: [] };

/** A text that is partly unknown is read all the same: what is certain in it counts. */
function asTexts(program: string, words: readonly ShellWord[]): InnerCalls {
  const isKnown = words.every((word) => word.isKnown);
  return {
    calls: [],
    texts: words.map(({ text }) => text),
    findings: isKnown ? [] : [finding('hidden_code', program)],
  };
}

function givenText(program: string, args: readonly ShellWord[]): readonly ShellWord[] {
  switch (program) {
    case 'eval':
      return args.length === 0 ? [] : [joined(args)];
    case 'trap':
      return args.slice(0, 1).filter(({ text }) => !/^(?:-|-[lp]|)$/.test(text));
    case 'alias':
      return args.filter(({ text }) => text.includes('=')).map((word) => after(word, '='));
    case 'su':
    case 'runuser':
    case 'script':
    case 'flock':
      return valuesOf(args, 'c', ['command']);
    case 'env':
      return valuesOf(args, 'S', ['split-string']);
    case 'ssh':
      return remoteText(args);
    case 'git':
      return gitTexts(args);
    case 'tar':
    case 'bsdtar':
      return tarTexts(args);
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
      return awkTexts(args);
    case 'rsync':
      return valuesOf(args, 'e', ['rsh']);
    case 'npx':
      return valuesOf(args, 'c', ['call']);
    default:
      return [];
  }
}

function ofShell(program: string, args: readonly ShellWord[], { redirects, upstream }: Input): InnerCalls {
  const at = args.findIndex(({ text }) => /^[-+][a-zA-Z]*c[a-zA-Z]*$/.test(text));
  if (at !== -1) {
    const text = args.slice(at + 1).find((word) => !/^[-+]/.test(word.text) || word.text === '-');
    return text === undefined ? opaque(program) : asTexts(program, [text]);
  }
  const operands = readOptions(args).operands;
  if (operands.length > 0 && !readOptions(args).hasLetter('s')) return opaque(program);
  const here = redirects.filter(({ operator }) => operator.startsWith('<<'));
  if (here.length > 0)
    return asTexts(
      program,
      here.map(({ target }) => target),
    );
  const [only, ...more] = upstream;
  const isPrinted = only !== undefined && more.length === 0 && ['echo', 'printf'].includes(only.program);
  if (isPrinted) return asTexts(program, [joined(only.words.filter(({ text }) => !/^-[neE]+$/.test(text)))]);
  const isTold = readOptions(args).hasName('version', 'help');
  return isTold ? nothing : opaque(program);
}

function opaque(program: string): InnerCalls {
  return { calls: [], texts: [], findings: [finding('hidden_code', program)] };
}

/** What git runs by itself: aliases, and what its subcommands are given to run. */
function gitTexts(args: readonly ShellWord[]): readonly ShellWord[] {
  const aliases = valuesOf(args, 'c', []).filter(({ text }) => /=\s*!/.test(text));
  const foreach = args.findIndex(({ text }) => text === 'foreach');
  const run = args.findIndex(({ text }, index) => text === 'run' && args[index - 1]?.text === 'bisect');
  const rest = [foreach, run].filter((index) => index !== -1).map((index) => args.slice(index + 1));
  const isRebase = args.some(({ text }) => text === 'rebase');
  return [
    ...aliases.map((word) => after(word, '!')),
    ...rest
      .filter((words) => words.length > 0)
      .map((words) => joined(words.filter(({ text }) => !text.startsWith('--')))),
    ...(isRebase ? valuesOf(args, 'x', ['exec']) : []),
  ];
}

function tarTexts(args: readonly ShellWord[]): readonly ShellWord[] {
  const actions = valuesOf(args, '', ['checkpoint-action']).filter(({ text }) => text.startsWith('exec='));
  const programs = valuesOf(args, '', ['to-command', 'use-compress-program', 'info-script', 'rsh-command']);
  const short = args.flatMap((word, index) =>
    /^-[a-zA-Z]*[IF]$/.test(word.text) ? args.slice(index + 1, index + 2) : [],
  );
  return [...actions.map((word) => after(word, '=')), ...programs, ...short];
}

/** The strings that awk has a shell run, as far as they are literals. */
function awkTexts(args: readonly ShellWord[]): readonly ShellWord[] {
  return args.flatMap((word) =>
    [...word.text.matchAll(/(?:system\s*\(\s*"((?:[^"\\]|\\.)*)"|"((?:[^"\\]|\\.)*)"\s*\|\s*getline)/g)].map(
      (match) => ({
        ...word,
        text: (match[1] ?? match[2] ?? '').replaceAll('\\"', '"'),
      }),
    ),
  );
}

/** What stands after the host runs there. */
function remoteText(args: readonly ShellWord[]): readonly ShellWord[] {
  const proxies = valuesOf(args, 'o', []).filter(({ text }) =>
    /^(?:proxycommand|localcommand|knownhostscommand)\W/i.test(text),
  );
  let index = 0;
  while (args[index]?.text.startsWith('-') === true) {
    index += /[bcDEeFIiJLlmOopQRSWw]$/.test(args[index]?.text ?? '') ? 2 : 1;
  }
  const rest = args.slice(index + 1);
  return [
    ...proxies.map((word) => after(word, /[=\s]/.exec(word.text)?.[0] ?? '=')),
    ...(rest.length > 0 ? [joined(rest)] : []),
  ];
}

function valuesOf(args: readonly ShellWord[], letter: string, names: readonly string[]): readonly ShellWord[] {
  const isKnown = args.every((word) => word.isKnown);
  return readOptions(args)
    .valuesOf(letter, ...names)
    .map((text) => ({ text, isKnown, beginning: isKnown ? text : '' }));
}

function joined(words: readonly ShellWord[]): ShellWord {
  const text = words.map((word) => word.text).join(' ');
  return { text, isKnown: words.every(({ isKnown }) => isKnown), beginning: words[0]?.beginning ?? '' };
}

function after({ text, isKnown }: ShellWord, mark: string): ShellWord {
  const rest = text.slice(text.indexOf(mark) + mark.length);
  return { text: rest, isKnown, beginning: isKnown ? rest : '' };
}
