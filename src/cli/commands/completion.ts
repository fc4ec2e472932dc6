/* What makes a shell complete the commands and options of the program. */

import { UnansweredError } from '../unanswered-error.ts';
import { type CliCommand, type CommandContext, exitCodes, optionNames } from './command.ts';
import { commandListWords } from './words.ts';

const scripts: Readonly<Record<string, (all: readonly CliCommand[]) => string>> = { bash, zsh, fish };

/** `completion SHELL`: prints what its startup file reads. */
export async function completion({
  operands: [shell = ''],
  print,
  commands,
}: Pick<CommandContext, 'operands' | 'print' | 'commands'>): Promise<number> {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined) {
    const shells = Object.keys(scripts);
    throw new UnansweredError(exitCodes.misused, (language) => commandListWords[language].noShell({ shell, shells }));
  }
  print(script(commands));
  return exitCodes.done;
}

/** What may follow the words of a command, by those words: the next words, and the options. */
function followers(commands: readonly CliCommand[]): readonly (readonly [words: string, next: readonly string[]])[] {
  const names = commands.map(({ name }) => name);
  const beginnings = new Set(
    names.flatMap((name) => name.split(' ').map((_word, index, all) => all.slice(0, index).join(' '))),
  );
  const known = [...new Set([...beginnings, ...names])];
  return known.map((words) => {
    const prefix = words === '' ? '' : `${words} `;
    const next = names
      .filter((name) => name !== '' && name.startsWith(prefix))
      .flatMap((name) => name.slice(prefix.length).split(' ')[0] ?? [])
      .filter((word) => word !== '');
    const own = commands.find(({ name }) => name === words);
    const shorts = own?.options?.flatMap(({ short }) => (short === undefined ? [] : `-${short}`)) ?? [];
    const options = own === undefined ? [] : [...optionNames(own).map((option) => `--${option}`), ...shorts];
    return [words, [...new Set([...next, ...options])]] as const;
  });
}

function bash(commands: readonly CliCommand[]): string {
  const cases = followers(commands).map(([words, next]) => {
    const takesFiles = commands.some(
      ({ name, words: of }) => name === words && /^\[?FILE/.test(of('en').operands ?? ''),
    );
    return `    '${words}') next='${next.join(' ')}'${takesFiles ? ' files=1' : ''} ;;`;
  });
  return `_keyturn() {
  local word words='' next='' files='' current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) words="\${words:+$words }$word" ;; esac
  done
  case "$words" in
${cases.join('\n')}
  esac
  COMPREPLY=()
  case "$files$current" in 1|1[!-]*) ;; *) COMPREPLY=($(compgen -W "$next" -- "$current")) ;; esac
  local IFS=$'\n'
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _keyturn keyturn`;
}

function zsh(commands: readonly CliCommand[]): string {
  return `#compdef keyturn
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`;
}

function fish(commands: readonly CliCommand[]): string {
  const lines = followers(commands).flatMap(([words, next]) => {
    const options = next.filter((word) => word.startsWith('--'));
    const shorts = next.filter((word) => /^-[^-]/.test(word));
    const own = next.filter((word) => !word.startsWith('-'));
    const condition = `test (string join " " -- (commandline -opc | string match -v -- "-*")[2..]) = "${words}"`;
    return [
      ...(own.length === 0 ? [] : [`complete -c keyturn -f -n '${condition}' -a '${own.join(' ')}'`]),
      ...options.map((option) => `complete -c keyturn -n '${condition}' -l ${option.slice(2)}`),
      ...shorts.map((short) => `complete -c keyturn -n '${condition}' -s ${short.slice(1)}`),
    ];
  });
  return lines.join('\n');
}
