import { nearest } from '../../../lib/nearest.ts';
import type { InLanguage } from '../../../lib/words.ts';
import {
  baseName,
  type CommandKind,
  type CommandReading,
  commandKinds,
  doesKind,
  isHarmless,
  isReadOnly,
  isReadOnlyCommand,
  isWithoutDoubt,
  printedWord,
  type ReadCommand,
} from './command-reading.ts';
import { commandWords } from './words.ts';

export interface CommandRuleSettings {
  readonly deny: readonly string[];
  readonly allow: readonly string[];
}

/**
 * The operator's rules for commands.
 *
 * A rule of words *forbids* a text if any command in it matches, wherever it is and whatever runs it: the program by
 * its name without a folder; the other words, in order, as the first words that are not options, whatever options are
 * between them; options anywhere. Letters match in other groups too (`-rf` matches `-f -r`). `--force` also matches
 * `--force=yes` and its abbreviations (`--forc`), but never `--force-with-lease`. A short form matches only if the rule
 * has it. A rule of a kind forbids a text if anything in it does that. If there is any rule, a text that is too long to
 * read is forbidden, and a person decides on what is known only at run time, such as `$x`.
 *
 * A text is *allowed* if each of its commands is: by a rule of words if it begins with exactly these, and nothing in it
 * is filled in, redirected to a file, sets variables or is run by another program; by `@read_only` if it only reads.
 */
export interface CommandRules {
  /** Why a rule forbids it, in words for the model; undefined if none does. */
  forbids(reading: CommandReading): string | undefined;
  /** Whether a rule might forbid what could not be read. A person then decides, in every mode. */
  mightForbid(reading: CommandReading): boolean;
  /** Whether rules allow all of it. Parsing is no boundary: this counts only for a confined command. */
  allows(reading: CommandReading): boolean;
}

/** Throws if an entry is invalid: `checkCommandRule` tells why in advance. */
export function commandRules({ deny, allow }: CommandRuleSettings): CommandRules {
  const denied = deny.map((text) => validRule(text, 'deny'));
  const allowed = allow.map((text) => validRule(text, 'allow'));
  return {
    forbids: (reading) => forbiddenBy(denied, reading),
    mightForbid: (reading) => denied.length > 0 && isOpaque(reading, denied),
    allows: (reading) => isAllowedBy(allowed, reading),
  };
}

function validRule(text: string, list: RuleList): CommandRule {
  const rule = readRule(text, list);
  if (typeof rule === 'function') throw new Error(`"${text}" is no rule of tools.shell.${list}: ${rule('en')}`);
  return rule;
}

function forbiddenBy(denied: readonly CommandRule[], reading: CommandReading): string | undefined {
  const rule = denied.find((candidate) => fitsText(candidate, reading));
  if (rule !== undefined) return refusal(rule);
  return denied.length === 0 || reading.isWhole ? undefined : unreadable;
}

function isAllowedBy(allowed: readonly CommandRule[], reading: CommandReading): boolean {
  if (reading.commands.length === 0 || !isWithoutDoubt(reading)) return false;
  return reading.commands.every((command) =>
    allowed.some((rule) => (rule.type === 'words' ? isJust(rule, command) : isReadOnlyCommand(command))),
  );
}

const unreadable =
  'This command is too long, or nested too deep, to be held against what the operator forbids (tools.shell.deny), so it does not run. Split it into shorter ones; put a long text into a file with write_file.';

function refusal({ text, type }: CommandRule): string {
  const what = type === 'kind' ? `commands of the kind "${text}"` : `commands such as "${text}"`;
  return `The operator's configuration forbids ${what} (tools.shell.deny), and nobody can approve this one. Find a way without it, or tell the person that only the operator can change this.`;
}

function isOpaque(reading: CommandReading, denied: readonly CommandRule[]): boolean {
  const { commands, findings, text } = reading;
  // A variable or a text in arithmetic may be an index that runs a command.
  const mayRunIndex = /\w\[(?:[^[\]]|(?<!\w)\[)*(?:\$\(|`)/.test(text);
  const names = new Set(denied.flatMap((rule) => (rule.type === 'words' ? [rule.program] : [])));
  // What a rule is about may not even be given a part of a word.
  const mayBePrinted = isReadOnly(reading) && !commands.some(({ program }) => names.has(program));
  const hides = (doubt: string) =>
    !((readableDoubts.has(doubt) && !mayRunIndex) || (doubt === printedWord && mayBePrinted));
  if (findings.some(({ of }) => of.some(hides))) return true;
  return commands.some(
    ({ isOpaque, program, words }) => isOpaque || (names.has(program) && words.some(({ filled }) => filled === 'open')),
  );
}

/** Despite these doubts, every command was read. */
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
  const given = command.words.map(({ text }) => text);
  const end = given.indexOf('--');
  const before = end === -1 ? given : given.slice(0, end);
  const plain = words.filter((word) => !isOption(word));
  return words.every((word) => !isOption(word) || hasOption(word, before)) && hasPlainWords(plain, given);
}

function isOption(text: string): boolean {
  return text.startsWith('-') && text !== '-';
}

function hasOption(option: string, given: readonly string[]): boolean {
  if (option.startsWith('--')) {
    return given.some((text) => {
      const name = text.split('=', 1)[0] ?? '';
      const isCutShort = name.length >= 4 && name.startsWith('--') && option.startsWith(name);
      return text === option || name === option || isCutShort;
    });
  }
  if (given.includes(option)) return true;
  const clusters = given.filter((text) => /^-[^-]/.test(text));
  return Array.from(option.slice(1)).every((letter) => clusters.some((cluster) => cluster.includes(letter, 1)));
}

/** A word after an option may be its value, and is skipped if it does not match. */
function hasPlainWords(wanted: readonly string[], given: readonly string[]): boolean {
  let next = 0;
  for (const [index, text] of given.entries()) {
    if (next === wanted.length) return true;
    if (isOption(text)) continue;
    const previous = given[index - 1] ?? '';
    if (text === wanted[next]) next += 1;
    else if (!isOption(previous) || previous === '--') return false;
  }
  return next === wanted.length;
}

/** Whether it is the words of the rule, then plain arguments, and nothing else. */
function isJust({ program, words }: WordsRule, command: ReadCommand): boolean {
  const { programPath, via, isWrapper, isOpaque, assignments, redirects, findings } = command;
  if (programPath !== program || via.length > 0 || isWrapper || isOpaque || assignments.length > 0) return false;
  if (findings.some(({ kind }) => neverAllowed.includes(kind))) return false;
  if (!redirects.every((redirect) => redirect.target.isKnown && isHarmless(redirect))) return false;
  return (
    command.words.every(({ isKnown }) => isKnown) && words.every((word, index) => command.words[index]?.text === word)
  );
}

/** Kinds that no rule of words can allow. */
const neverAllowed: readonly CommandKind[] = ['downloaded_code', 'privilege'];
type CommandRule =
  | { readonly type: 'kind'; readonly text: string; readonly kind: CommandKind }
  | { readonly type: 'read-only'; readonly text: string }
  | { readonly type: 'words'; readonly text: string; readonly program: string; readonly words: readonly string[] };

type RuleList = 'deny' | 'allow';

const readOnly = '@read_only';

/** Why the entry is invalid, in words for the operator; undefined if it is valid. */
export function checkCommandRule(text: string, list: RuleList): InLanguage | undefined {
  const rule = readRule(text, list);
  return typeof rule === 'function' ? rule : undefined;
}

/** The rule, or why the entry is invalid. */
function readRule(entry: string, list: RuleList): CommandRule | InLanguage {
  const text = entry.trim();
  if (text === '') return (language) => commandWords[language].ruleIsEmpty;
  if (text.startsWith('@')) return readKind(text, list);
  if (/["'`$\\|&;<>(){}[\]?!#~\n]/.test(text)) return (language) => commandWords[language].ruleIsNotPlain;
  if (/(?:^|\s)\*\s|\S\*|\*\S/.test(text)) return (language) => commandWords[language].starNotLast;
  if (text === '*') return (language) => commandWords[language].starAlone;
  const [program = '', ...words] = text.split(/\s+/).filter((word) => word !== '*');
  return { type: 'words', text, program: baseName(program), words };
}

function readKind(text: string, list: RuleList): CommandRule | InLanguage {
  const kind = commandKinds.find((known) => `@${known}` === text);
  if (kind !== undefined && list === 'deny') return { type: 'kind', text, kind };
  if (kind !== undefined) return (language) => commandWords[language].kindNotAllowed({ readOnly });
  if (text === readOnly) {
    if (list === 'allow') return { type: 'read-only', text };
    return (language) => commandWords[language].kindOnlyAllowed({ readOnly });
  }
  const kinds = list === 'allow' ? [readOnly] : commandKinds.map((known) => `@${known}`);
  return (language) => commandWords[language].unknownKind({ kinds, meant: nearest(text, kinds) });
}
