import type { CommandKind } from './command-kind.ts';
import { type CommandReading, doesKind, type ReadCommand } from './command-reading.ts';
import { type CommandRule, parseCommandRule } from './command-rule.ts';
import { isStream } from './paths.ts';
import { isReadOnlyCommand, isWithoutDoubt } from './read-only.ts';
import type { ShellWord } from './shell-word.ts';

/** What the operator wrote: `tools.shell.deny` and `tools.shell.allow`. */
export interface CommandRuleSettings {
  readonly deny: readonly string[];
  readonly allow: readonly string[];
}

/**
 * The operator's rules for commands.
 *
 * A rule of words *forbids* if any command of the text fits, wherever it stands and whatever runs it: the program by its
 * name without a folder; the other words in their order as the first words that are no options, whatever options stand
 * between; options anywhere, letters also together with others (`-rf` fits `-f -r`), `--force` also as `--force=yes` or
 * cut short (`--forc`), and never as `--force-with-lease`. A short form fits only where the rule has it.
 * A rule of a kind forbids if anything in the text does that. What cannot be read to its end is forbidden where there is any
 * rule: else a long text would be the way around it.
 *
 * A text is *allowed* if each of its commands is: by a rule of words if it begins with just these, and nothing in it is
 * filled in, redirected into a file, sets variables or is run by another program; by `@read_only` if it only looks.
 */
export interface CommandRules {
  /** Why a rule forbids it, in words for the model; undefined where none does. */
  forbids(reading: CommandReading): string | undefined;
  /** Whether rules allow all of it. Parsing is no boundary: this counts only where something else confines the command. */
  allows(reading: CommandReading): boolean;
}

/** Throws if an entry is no rule: `checkCommandRule` tells why beforehand. */
export function commandRules({ deny, allow }: CommandRuleSettings): CommandRules {
  const denied = deny.map((text) => parseCommandRule(text, 'deny'));
  const allowed = allow.map((text) => parseCommandRule(text, 'allow'));
  return {
    forbids(reading) {
      const rule = denied.find((candidate) => fitsText(candidate, reading));
      if (rule !== undefined) return refusal(rule);
      return denied.length === 0 || reading.isWhole ? undefined : unreadable;
    },
    allows(reading) {
      if (reading.commands.length === 0 || !isWithoutDoubt(reading)) return false;
      return reading.commands.every((command) => allowed.some((rule) => covers(rule, command)));
    },
  };
}

const unreadable =
  'This command is too long, or nested too deep, to be held against what the operator forbids (tools.shell.deny), so it does not run. Split it into shorter ones; put a long text into a file with write_file.';

function refusal({ text, type }: CommandRule): string {
  const what = type === 'kind' ? `commands of the kind "${text}"` : `commands such as "${text}"`;
  return `The operator's configuration forbids ${what} (tools.shell.deny), and nobody can approve this one. Find a way without it, or tell the person that only the operator can change this.`;
}

function fitsText(rule: CommandRule, reading: CommandReading): boolean {
  if (rule.type === 'kind') return doesKind(reading, rule.kind);
  return rule.type === 'words' && reading.commands.some((command) => fitsCommand(rule, command));
}

type WordsRule = Extract<CommandRule, { type: 'words' }>;

function fitsCommand({ program, words }: WordsRule, command: ReadCommand): boolean {
  if (command.program !== program) return false;
  const end = command.words.findIndex(({ text }) => text === '--');
  const before = end === -1 ? command.words : command.words.slice(0, end);
  const isOption = (text: string): boolean => text.startsWith('-') && text !== '-';
  const plain = words.filter((word) => !isOption(word));
  const options = words.filter(isOption);
  return options.every((option) => hasOption(option, before)) && hasPlainWords(plain, command.words, isOption);
}

function hasOption(option: string, given: readonly ShellWord[]): boolean {
  const texts = given.map(({ text }) => text);
  if (option.startsWith('--')) {
    return texts.some((text) => {
      const name = text.split('=', 1)[0] ?? '';
      return (
        text === option || name === option || (name.length >= 4 && name.startsWith('--') && option.startsWith(name))
      );
    });
  }
  if (texts.includes(option)) return true;
  const clusters = texts.filter((text) => /^-[^-]/.test(text));
  return Array.from(option.slice(1)).every((letter) => clusters.some((cluster) => cluster.includes(letter, 1)));
}

/** A word that follows an option may be its value, and is passed over where it does not fit. */
function hasPlainWords(
  wanted: readonly string[],
  given: readonly ShellWord[],
  isOption: (text: string) => boolean,
): boolean {
  let next = 0;
  for (const [index, { text }] of given.entries()) {
    if (next === wanted.length) return true;
    if (isOption(text)) continue;
    if (text === wanted[next]) {
      next += 1;
      continue;
    }
    const previous = given[index - 1]?.text ?? '';
    if (!isOption(previous) || previous === '--') return false;
  }
  return next === wanted.length;
}

function covers(rule: CommandRule, command: ReadCommand): boolean {
  switch (rule.type) {
    case 'kind':
      return false;
    case 'read-only':
      return isReadOnlyCommand(command);
    case 'words':
      return isJust(rule, command);
  }
}

/** Nothing but the words of the rule, and arguments that stand there as they are. */
function isJust({ program, words }: WordsRule, command: ReadCommand): boolean {
  const { programPath, via, isWrapper, assignments, redirects, findings } = command;
  if (programPath !== program || via.length > 0 || isWrapper || assignments.length > 0) return false;
  if (findings.some(({ kind }) => neverAllowed.includes(kind))) return false;
  if (redirects.some((redirect) => !isHarmlessRedirect(redirect))) return false;
  return (
    command.words.every(({ isKnown }) => isKnown) && words.every((word, index) => command.words[index]?.text === word)
  );
}

/** What needs more than a rule of words. */
const neverAllowed: readonly CommandKind[] = ['downloaded_code', 'privilege'];

function isHarmlessRedirect({ operator, target }: ReadCommand['redirects'][number]): boolean {
  if (!target.isKnown) return false;
  if (operator === '>&' || operator === '<&') return /^(?:\d+-?|-)$/.test(target.text);
  return isStream(target.text) || operator.startsWith('<<') || (operator === '<' && !target.text.startsWith('/dev/'));
}
