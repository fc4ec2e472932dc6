import type { ShellWord } from './shell-word.ts';
import { isPowerfulVariable } from './syntax-doubts.ts';

/** How a program is written that runs another one. */
export interface WrapperSyntax {
  /** Letters of options that stand alone. */
  readonly flags: string;
  /** Letters of options that a value follows. */
  readonly values: string;
  /** Long options that a value follows as a word of its own. */
  readonly valueNames?: readonly string[];
  /** How many words stand before the program. */
  readonly operands?: number;
  /** Variables may stand before the program. */
  readonly takesVariables?: boolean;
}

/** Programs that run the program that is named in their arguments. */
export const wrapperPrograms: ReadonlyMap<string, WrapperSyntax> = new Map<string, WrapperSyntax>([
  [
    'sudo',
    {
      flags: 'AbBEeHiKklnPSsVv',
      values: 'CDghpRrtTUu',
      valueNames: ['user', 'group', 'host', 'prompt', 'chdir', 'role', 'type', 'close-from', 'chroot', 'other-user'],
      takesVariables: true,
    },
  ],
  ['doas', { flags: 'Lns', values: 'Cua' }],
  ['pkexec', { flags: '', values: '', valueNames: ['user'] }],
  ['env', { flags: 'i0v', values: 'uCSP', valueNames: ['unset', 'chdir', 'split-string'], takesVariables: true }],
  ['nohup', { flags: '', values: '' }],
  ['nice', { flags: '0123456789', values: 'n', valueNames: ['adjustment'] }],
  ['ionice', { flags: 't', values: 'cnpPu', valueNames: ['class', 'classdata', 'pid'] }],
  ['time', { flags: 'pavqV', values: 'fo', valueNames: ['format', 'output'] }],
  ['timeout', { flags: 'fpv', values: 'ks', valueNames: ['kill-after', 'signal'], operands: 1 }],
  ['stdbuf', { flags: '', values: 'ioe', valueNames: ['input', 'output', 'error'] }],
  ['setsid', { flags: 'cfw', values: '' }],
  ['chrt', { flags: 'abdfimorRv', values: 'DPT', operands: 1 }],
  ['taskset', { flags: 'ac', values: '', operands: 1 }],
  ['command', { flags: 'p', values: '' }],
  ['builtin', { flags: '', values: '' }],
  ['exec', { flags: 'cl', values: 'a' }],
  ['flock', { flags: 'sxeunFo', values: 'wE', valueNames: ['wait', 'timeout', 'conflict-exit-code'], operands: 1 }],
  ['chroot', { flags: '', values: '', valueNames: ['userspec', 'groups'], operands: 1 }],
  ['busybox', { flags: '', values: '' }],
  ['toybox', { flags: '', values: '' }],
  [
    'xargs',
    {
      flags: '0rtpxo',
      values: 'adEeIiLlnPsJRS',
      valueNames: [
        'arg-file',
        'delimiter',
        'max-args',
        'max-procs',
        'max-lines',
        'max-chars',
        'replace',
        'eof',
        'process-slot-var',
      ],
    },
  ],
  ['watch', { flags: 'bcdegtwxprC', values: 'nq', valueNames: ['interval', 'equexit'] }],
  ['strace', { flags: 'CcDdfFhikqrtTvVwxyYzZ', values: 'aeEIbopPsSuX' }],
  ['ltrace', { flags: 'cCfhiLrStTV', values: 'aAeDFlnosuwx' }],
  ['unshare', { flags: 'fimnpurUTCc', values: 'RwSG', valueNames: ['root', 'wd'] }],
  ['nsenter', { flags: 'aFZ', values: 'tmuinpUCGSrw', valueNames: ['target'] }],
  ['bwrap', { flags: '', values: '' }],
  ['prlimit', { flags: '', values: 'p' }],
  ['choom', { flags: '', values: 'np' }],
  ...['linux32', 'linux64'].map((name) => [name, { flags: 'RBFILSTXZv3', values: '' }] as const),
  ['setarch', { flags: 'RBFILSTXZv3', values: '', operands: 1 }],
  ['unbuffer', { flags: 'p', values: '' }],
  ['xvfb-run', { flags: 'al', values: 'enfps' }],
  ['runuser', { flags: 'lmpPf', values: 'ugGsw', valueNames: ['user', 'group', 'shell'] }],
  ['setpriv', { flags: '', values: '' }],
  ['entr', { flags: 'acdnprsz', values: '' }],
  ['parallel', { flags: '', values: 'jINnLPSaCd', valueNames: ['jobs', 'colsep', 'delay', 'arg-file', 'sshlogin'] }],
  ['npx', { flags: 'yq', values: 'pc', valueNames: ['package', 'call'] }],
  ['bunx', { flags: '', values: 'p' }],
  ['uvx', { flags: '', values: 'p', valueNames: ['from', 'with', 'python'] }],
  ['proxychains', { flags: 'q', values: 'f' }],
  ['torsocks', { flags: '', values: '' }],
  ['eatmydata', { flags: '', values: '' }],
  ['catchsegv', { flags: '', values: '' }],
  ['dbus-run-session', { flags: '', values: '' }],
  ['systemd-run', { flags: 'GtPqSdr', values: 'pEHMu', valueNames: ['unit', 'property', 'uid', 'gid', 'on-calendar'] }],
]);

export interface Unwrapped {
  /** The program that is run, with its arguments. */
  readonly words: readonly ShellWord[];
  /** All that stands before it is understood. */
  readonly isSure: boolean;
  /** What stands before it gives a variable by which yet another program may run. */
  readonly changesPrograms: boolean;
}

/** Finds the program in the arguments of one that runs it. */
export function unwrap(args: readonly ShellWord[], syntax: WrapperSyntax): Unwrapped {
  let index = 0;
  let isSure = true;
  let changesPrograms = false;
  for (; index < args.length; ) {
    const word = args[index]?.text ?? '';
    if (args[index]?.isKnown === false) isSure = false;
    if (word === '--') {
      index += 1;
      break;
    }
    if (!word.startsWith('-') || word === '-') break;
    const option = readOption(word, syntax);
    isSure &&= option.isKnown;
    index += option.length;
  }
  const isVariable = (word: ShellWord | undefined): boolean => /^\w+=/.test(word?.beginning ?? '');
  while (syntax.takesVariables === true && isVariable(args[index])) {
    changesPrograms ||= isPowerfulVariable(args[index]?.text.split('=', 1)[0] ?? '');
    index += 1;
  }
  return { words: args.slice(index + (syntax.operands ?? 0)), isSure, changesPrograms };
}

/** How many words an option takes, and whether it is one that is known. */
function readOption(word: string, syntax: WrapperSyntax): { readonly length: number; readonly isKnown: boolean } {
  const { flags, values, valueNames = [] } = syntax;
  if (word.startsWith('--')) {
    if (word.includes('=')) return { length: 1, isKnown: valueNames.includes(word.slice(2, word.indexOf('='))) };
    return { length: valueNames.includes(word.slice(2)) ? 2 : 1, isKnown: valueNames.includes(word.slice(2)) };
  }
  const letters = Array.from(word.slice(1));
  const at = letters.findIndex((letter) => values.includes(letter));
  const alone = at === -1 ? letters : letters.slice(0, at);
  const isKnown = alone.every((letter) => flags.includes(letter));
  return { length: at !== -1 && at === letters.length - 1 ? 2 : 1, isKnown };
}
