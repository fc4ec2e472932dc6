import type { ReadAssignment } from './command-reading.ts';
import { type InnerCommands, nothing } from './inner-commands.ts';
import { anyOf, anyWord, isAmong, isTold, knownWord, type ShellWord } from './shell-words.ts';

/*
 * Variables that hold a command for another program, such as `GIT_EDITOR`: what they are set to is read like any other
 * text. And variables that hold options with which a program runs code of the text itself.
 */

/** What a command sets for programs that run it, by itself, and by `export` or `env`. */
export function steeredCommands(
  program: string,
  words: readonly ShellWord[],
  assignments: readonly ReadAssignment[],
): InnerCommands {
  const given = isAmong(program, 'export declare typeset readonly local env sudo') ? words.flatMap(assignedBy) : [];
  const all = [...assignments, ...given];
  const texts = all.filter(({ name }) => commandVariables.test(name)).map(({ value }) => value ?? anyWord(''));
  const isSteered = all.some(({ name, value }) =>
    optionVariables.some(([names, code]) => names.test(name) && code.test(value?.text ?? '')),
  );
  return {
    ...nothing,
    // LESSOPEN begins with a pipe, an alias of git with an exclamation mark.
    texts: texts.map(({ text }) => text.replace(/^[|!-]+/, '')),
    isOpaque: isSteered || !texts.every(isTold),
  };
}

function assignedBy(word: ShellWord): readonly ReadAssignment[] {
  const [, name, value = ''] = /^([A-Za-z_]\w*)\+?=(.*)$/s.exec(word.text) ?? [];
  return name === undefined ? [] : [{ name, value: isTold(word) ? knownWord(value) : anyWord(value) }];
}

const commandVariables = anyOf(String.raw`(?:\w+_)?(?:EDITOR|PAGER|ASKPASS) VISUAL BROWSER GIT_SSH(?:_COMMAND)?
  GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND RSYNC_RSH CVS_RSH LESSOPEN LESSCLOSE FCEDIT MAILER MANROFFOPT PREEXEC`);

const optionVariables: readonly (readonly [names: RegExp, code: RegExp])[] = [
  [/^NODE_OPTIONS$/, /(?:^|\s)(?:-r|-e|--(?:require|import|eval|(?:experimental-)?loader))/],
  [/^(?:GNU)?MAKEFLAGS$|^MFLAGS$/, /(?:^|\s)-?\w*[fEI]|eval|\$/],
  [/^(?:PERL5(?:OPT|DB)|TAR_OPTIONS|PROMPT_COMMAND|GIT_CONFIG_(?:PARAMETERS|KEY_\d+|VALUE_\d+))$/, /./],
];
