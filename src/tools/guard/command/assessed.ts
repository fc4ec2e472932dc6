import type { Options } from './options.ts';
import type { ShellWord } from './shell-word.ts';

/** A command as those see it who say what it does in one respect. */
export interface Assessed {
  readonly program: string;
  readonly words: readonly ShellWord[];
  readonly options: Options;
  /** What it is told to do, as `push` of git: the first operand. Empty where there is none. */
  readonly verb: string;
  /** Its input is not the terminal. */
  readonly hasInput: boolean;
}

/** What a program is told to do. With git it may stand behind options with values. */
export function verbOf(program: string, words: readonly ShellWord[], { operands }: Options): string {
  if (program !== 'git') return operands[0]?.text ?? '';
  let index = 0;
  while (words[index]?.text.startsWith('-') === true) index += takesValue.test(words[index]?.text ?? '') ? 2 : 1;
  return words[index]?.text ?? '';
}

/**
 * Whether what stands behind options may be the value of one, rather than what the program is told to do: `-l info` of
 * docker. Only asked of programs that look or change by that word.
 */
export function isVerbDoubtful(program: string, words: readonly ShellWord[]): boolean {
  if (!toldByVerb.has(program)) return false;
  const at = words.findIndex(({ text }) => !text.startsWith('-'));
  return at > 0 && !/=|^--$/.test(words[at - 1]?.text ?? '') && !plainFlag.test(words[at - 1]?.text ?? '');
}

const toldByVerb: ReadonlySet<string> = new Set(
  `npm pnpm yarn pip pip3 cargo go docker podman kubectl apt brew systemctl service loginctl hostnamectl timedatectl
  localectl zfs zpool apt-mark apt-key nmcli networkctl`.split(/\s+/),
);

/** Options without a value, with all of these programs that have them. */
const plainFlag =
  /^(?:-[agqvy]|--(?:user|system|global|all|no-pager|no-legend|full|plain|quiet|silent|json|verbose|offline|locked|frozen))$/;

const takesValue = /^(?:-[cC]|--(?:git-dir|work-tree|namespace|exec-path|config-env|super-prefix))$/;
