import { nearest } from '../../../lib/nearest.ts';
import { type CommandKind, type CommandReading, commandKinds, doesKind, type ReadCommand } from './command-reading.ts';
import { isReadOnly, isReadOnlyCommand, isWithoutDoubt } from './read-only.ts';
import { baseName } from './risks.ts';
import { isStream, type ShellWord } from './shell-words.ts';

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
 * A rule of a kind forbids if anything in the text does that. What is too long to be read to its end is forbidden where there
 * is any rule. What only running it would tell, as `$x`, is for a person to decide where there is any rule.
 *
 * A text is *allowed* if each of its commands is: by a rule of words if it begins with just these, and nothing in it is
 * filled in, redirected into a file, sets variables or is run by another program; by `@read_only` if it only looks.
 */
export interface CommandRules {
  /** Why a rule forbids it, in words for the model; undefined where none does. */
  forbids(reading: CommandReading): string | undefined;
  /** Whether a rule might forbid it if it could be read to its end: a person decides then, in every mode. */
  mightForbid(reading: CommandReading): boolean;
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
    mightForbid: (reading) => denied.length > 0 && isOpaque(reading, denied),
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

function isOpaque({ commands, findings }: CommandReading, denied: readonly CommandRule[]): boolean {
  if (findings.length > 0 && findings.some(({ of }) => !of.every((doubt) => readableDoubts.has(doubt)))) return true;
  const names = new Set(denied.flatMap((rule) => (rule.type === 'words' ? [rule.program] : [])));
  const isOpen = ({ program, words }: ReadCommand): boolean =>
    names.has(program) && words.some(({ filled }) => filled === 'open');
  return commands.some((command) => command.isOpaque || isOpen(command));
}

/** Of these, every command is read all the same. */
const readableDoubts: ReadonlySet<string> = new Set([
  'a function',
  'arithmetic',
  'arithmetic with variables',
  'a test that shells read differently',
]);

function fitsText(rule: CommandRule, reading: CommandReading): boolean {
  if (rule.type === 'kind') return rule.kind === 'reading' ? isReadOnly(reading) : doesKind(reading, rule.kind);
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

/** An entry of `tools.shell.deny` or `tools.shell.allow`. */
type CommandRule =
  | { readonly type: 'kind'; readonly text: string; readonly kind: CommandKind }
  | { readonly type: 'read-only'; readonly text: string }
  | { readonly type: 'words'; readonly text: string; readonly program: string; readonly words: readonly string[] };

/** What an entry may be: what it is in, the other is not. */
type RuleList = 'deny' | 'allow';

const readOnly = '@read_only';

/** The names of kinds that an entry may have in the list. */
function ruleKinds(list: RuleList): readonly string[] {
  return list === 'allow' ? [readOnly] : commandKinds.map((kind) => `@${kind}`);
}

/** Why the entry is no rule, in words for the operator; undefined if it is one. */
export function checkCommandRule(text: string, list: RuleList): string | undefined {
  const entry = text.trim();
  if (entry === '') return 'expected a command such as "git push --force", or a kind such as "@network"';
  if (entry.startsWith('@')) return checkKind(entry, list);
  if (/["'`$\\|&;<>(){}[\]?!#~\n]/.test(entry)) {
    return 'expected the plain words of one command, such as "git push --force", without quotes, pipes or variables';
  }
  if (/(?:^|\s)\*\s/.test(entry) || /\S\*|\*\S/.test(entry))
    return 'expected a "*" only as the last word, such as "docker *"';
  return entry === '*' ? 'expected a command before the "*"' : undefined;
}

function checkKind(entry: string, list: RuleList): string | undefined {
  const kinds = ruleKinds(list);
  if (kinds.includes(entry)) return undefined;
  if (list === 'allow' && ruleKinds('deny').includes(entry)) {
    return `of kinds, only "${readOnly}" can be allowed: name the commands instead`;
  }
  if (list === 'deny' && entry === readOnly) return `"${readOnly}" is for tools.shell.allow alone`;
  const meant = nearest(entry, kinds);
  return `expected one of ${kinds.map((kind) => `"${kind}"`).join(', ')}${meant === undefined ? '' : `: did you mean "${meant}"?`}`;
}

/** Reads an entry. Throws if it is no rule, for which `checkCommandRule` tells why. */
function parseCommandRule(text: string, list: RuleList): CommandRule {
  const problem = checkCommandRule(text, list);
  if (problem !== undefined) throw new Error(`"${text}" is no rule of tools.shell.${list}: ${problem}`);
  const entry = text.trim();
  if (entry === readOnly) return { type: 'read-only', text: entry };
  const kind = commandKinds.find((known) => `@${known}` === entry);
  if (kind !== undefined) return { type: 'kind', text: entry, kind };
  const [program = '', ...words] = entry.split(/\s+/).filter((word) => word !== '*');
  return { type: 'words', text: entry, program: baseName(program), words };
}
