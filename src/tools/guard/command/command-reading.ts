import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { Language } from '../../../lib/words.ts';
import { lossesOf, type RemoteLoss } from './forced-push.ts';
import { anyOf, type ShellWord } from './shell-words.ts';
import { commandWords } from './words.ts';

/**
 * What a command can do, the most dangerous first. In the config each begins with an @.
 *
 * downloaded_code: runs what the network sent · recursive_deletion: deletes folders with their content, without asking
 * · system_change: packages, users, services, disks, kernel, firewall, cron, power, system and login files · privilege:
 * asks for another user's rights · upload: sends data out · network_listener: lets others connect · hidden_code: runs
 * code that is not in the command · deletion: deletes files · permission_change: permissions and owners ·
 * process_ending: ends processes · network: uses the network · writing: creates or changes files · unknown: cannot be
 * told · reading: only reads, as with `@read_only`.
 */
export const commandKinds = [
  'downloaded_code',
  'recursive_deletion',
  'system_change',
  'privilege',
  'upload',
  'network_listener',
  'hidden_code',
  'deletion',
  'permission_change',
  'process_ending',
  'network',
  'writing',
  'unknown',
  'reading',
] as const;

export type CommandKind = (typeof commandKinds)[number];

export interface Finding {
  readonly kind: CommandKind;
  /** What it concerns, as written in the command: paths, hosts, program names. */
  readonly of: readonly string[];
}

export function finding(kind: CommandKind, ...of: readonly string[]): Finding {
  return { kind, of };
}

/** A variable that a command sets. The value of an array is left out. */
export interface ReadAssignment {
  readonly name: string;
  readonly value?: ShellWord;
}

/** A redirection from or to a file, a descriptor, or the text of a here-document. */
export interface ReadRedirect {
  readonly operator: string;
  readonly target: ShellWord;
}

/** One simple command that would run, anywhere in the text. */
export interface ReadCommand {
  /** Its name without folders; empty if it only sets variables or redirects. */
  readonly program: string;
  /** As written; undefined if known only at run time. */
  readonly programPath: string | undefined;
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ReadAssignment[];
  readonly redirects: readonly ReadRedirect[];
  /** The programs that run it: sudo, env, xargs, bash. Not those that merely surround it in the text. */
  readonly via: readonly string[];
  /** The commands whose output it may read. */
  readonly upstream: readonly ReadCommand[];
  /** It runs other commands, which are listed separately. */
  readonly isWrapper: boolean;
  /** What it runs, or whether an option changes what it does, is known only at run time. */
  readonly isOpaque: boolean;
  /** The folders that the script has changed to before, as written. */
  readonly folders: readonly string[];
  readonly findings: readonly Finding[];
}

/** What a shell script would run. */
export interface CommandReading {
  readonly text: string;
  readonly commands: readonly ReadCommand[];
  /** Scripts that its commands give to a shell. Their commands are among `commands`. */
  readonly innerTexts: readonly string[];
  /** It leaves something running in the background. */
  readonly isLeftRunning: boolean;
  /** All of it was read: it was neither too long nor too deep. */
  readonly isWhole: boolean;
  /** Findings and doubts about the text as a whole. */
  readonly findings: readonly Finding[];
}

/** All findings: of the text and of each command. */
export function allFindings(reading: CommandReading): readonly Finding[] {
  return [...reading.findings, ...reading.commands.flatMap(({ findings }) => findings)];
}

export function doesKind(reading: CommandReading, ...kinds: readonly CommandKind[]): boolean {
  return allFindings(reading).some(({ kind }) => kinds.includes(kind));
}

/**
 * Whether its output and its files may come from the network, where strangers write. `isOpen`: it can reach the
 * network, so unread code counts too.
 */
export function reachesNetwork(reading: CommandReading, isOpen = false): boolean {
  if (doesKind(reading, 'network', 'upload', 'downloaded_code')) return true;
  return isOpen && !isReadOnly(reading) && (!reading.isWhole || doesKind(reading, 'hidden_code', 'unknown'));
}

/**
 * What a command will do, for the approver: short clauses of markdown, the most dangerous first. Says read-only exactly
 * if `isReadOnly` accepts all of it. For people only: no decision relies on it.
 */
export function describeCommand(reading: CommandReading, language: Language): readonly string[] {
  const say = commandWords[language];
  if (isReadOnly(reading)) return [say.readOnly];
  const findings = allFindings(reading);
  const kinds = new Set(findings.map(({ kind }) => kind));
  // Sending and listening use the network.
  if (kinds.has('upload') || kinds.has('network_listener')) kinds.delete('network');
  if (kinds.has('recursive_deletion')) kinds.delete('deletion');
  const isUnknown = kinds.delete('unknown');
  const deeds = commandKinds
    .filter((kind) => kinds.has(kind))
    // Sending more is no harm in comparison.
    .flatMap((kind) => [
      ...(kind === 'upload' ? describeLosses(reading, language) : []),
      say[kind](namesOf(kind, findings)),
    ]);
  if (deeds.length === 0) return [say.cannotTell];
  return isUnknown ? [...deeds, say.cannotTellMore] : deeds;
}

/** What a forced push takes from a remote. */
function describeLosses({ commands }: CommandReading, language: Language): readonly string[] {
  const losses = commands.flatMap(lossesOf);
  const kinds: readonly RemoteLoss[] = ['overwritten', 'removed'];
  return kinds.flatMap((kind) => {
    const places = losses.filter(({ loss }) => loss === kind).map(({ at }) => at);
    return places.length === 0 ? [] : [commandWords[language][kind](namedOf(places))];
  });
}

/** Whether it does what nobody can take back. */
export function isIrreversible(reading: CommandReading): boolean {
  return doesKind(reading, 'downloaded_code', 'recursive_deletion', 'system_change', 'upload', 'deletion');
}

/** The command as a line of markdown, cut if it is too long. */
export function describeRun({ text }: CommandReading, language: Language): string {
  const code = inlineCode(oneLine(text, 280));
  return commandWords[language].run(code.length <= 300 ? code : inlineCode(oneLine(text, 80)));
}

/** Whether `describeRun` says all of it, and a line has room for that. */
export function isShortRun({ text }: CommandReading): boolean {
  return text.length <= 80 && oneLine(text, 80) === text;
}

function namesOf(kind: CommandKind, findings: readonly Finding[]) {
  return namedOf(findings.filter((found) => found.kind === kind).flatMap(({ of }) => of));
}

/** What it concerns, as code: two by name, and how many in all. */
function namedOf(all: readonly string[]) {
  const names = [...new Set(all.filter((what) => what !== ''))];
  return { names: names.slice(0, 2).map((what) => inlineCode(oneLine(what, 40))), count: names.length };
}

/** A doubt for what is forbidden. What only reads may be given any word: `ls -l $(which node)`. */
export const printedWord = 'a word that a command prints';

/** Whether the text as a whole raises no doubt, apart from what its commands do. Otherwise no rule allows it. */
export function isWithoutDoubt({ text, commands, findings, isLeftRunning }: CommandReading): boolean {
  if (findings.some(({ of }) => !of.includes(printedWord)) || isLeftRunning || namesKernelFiles(text)) return false;
  const words = commands.flatMap((command) => [...command.words, ...command.redirects.map(({ target }) => target)]);
  if (words.some((word) => namesKernelFiles(word.text))) return false;
  // Variables may be joined to a path of the kernel's.
  const hasRoots = commands.some(({ assignments }) => assignments.some(holdsRoot));
  return !hasRoots || words.every(({ isKnown }) => isKnown);
}

/** Whether everything that a text runs only reads. Only this makes a card say read-only. */
export function isReadOnly(reading: CommandReading): boolean {
  return reading.commands.length > 0 && isWithoutDoubt(reading) && reading.commands.every(isReadOnlyCommand);
}

/**
 * Whether a command, apart from the text around it, is known to change nothing and to reach no network, and has known
 * options only. What it reads is not judged, except `/proc`, `/sys` and `/dev`. Git is left out: the settings of a
 * repository name programs that `git status` and `git diff` run.
 */
export function isReadOnlyCommand(command: ReadCommand): boolean {
  const { program, programPath, words, assignments, redirects, via, isWrapper } = command;
  if (!assignments.every(({ name }) => isHarmlessVariable(name)) || !redirects.every(isHarmless)) return false;
  if (programPath === '') return true;
  if (programPath === undefined || !isSystemProgram(programPath)) return false;
  if (command.findings.length > 0 || !via.every((wrapper) => plainWrappers.has(wrapper))) return false;
  if (isWrapper) return plainWrappers.has(program) && words.every(({ isKnown }) => isKnown);
  if (words.some(reachesRoot)) return false;
  return onlyLooks(program, words);
}

/** Whether a program with these words only reads, and runs nothing else. */
export function onlyLooks(program: string, words: readonly ShellWord[]): boolean {
  return lookingPrograms.get(program)?.(words) === true;
}

/** Whether everything that a text runs opens no file, apart from its own program: it reads no content at all. */
export function opensNoFile(reading: CommandReading): boolean {
  const opens = ({ program, redirects }: ReadCommand): boolean =>
    !withoutFiles.has(program) || redirects.some(({ operator }) => operator.startsWith('<'));
  return isReadOnly(reading) && !reading.commands.some(opens);
}

const withoutFiles: ReadonlySet<string> = new Set(
  `: true false pwd cd echo printf date sleep ls dir vdir stat test [ find df id whoami groups uname hostname nproc
  logname uptime free seq expr basename dirname realpath readlink ps tty printenv type which`.split(/\s+/),
);

/** Whether the program is found by its name or in a system folder, rather than a file that anybody may have written. */
export function isSystemProgram(path: string): boolean {
  return !path.includes('/') || /^\/(?:usr\/)?(?:local\/)?s?bin\/[^/]+$/.test(path);
}

/** They only run another command, which is judged too. */
const plainWrappers: ReadonlySet<string> = new Set(['command', 'timeout', 'nice', 'stdbuf']);

/** Whether it only reads, or writes no file. Commands on the allow list may do nothing else. */
export function isHarmless({ operator, target }: ReadRedirect): boolean {
  if (operator.startsWith('<<')) return true;
  if (operator === '>&' || operator === '<&') return target.isKnown && /^(?:\d+-?|-)$/.test(target.text);
  if (operator === '<') return target.beginning !== '' && !reachesRoot(target);
  return operator !== '<>' && target.isKnown && target.text === '/dev/null';
}

/** Whether the text contains a path of the kernel's, even with quotes, escapes and detours. */
function namesKernelFiles(text: string): boolean {
  const plain = text.replace(/["'\\]/g, '').replace(/\/(?:\.?\/)+/g, '/');
  return /(?:^|[^\w.-]|\.\.|\$\w+)\/(?:proc|sys|dev(?!\/(?:null|stdin|stdout|stderr)(?![\w.-])))(?![\w.-])/.test(plain);
}

/** A pattern in the root of the file system may match a folder of the kernel's. `..` and `.*` may lead there. */
function reachesRoot({ isKnown, beginning, text }: ShellWord): boolean {
  if (isKnown) return false;
  const beginsThere = /(?:^|[=:,@])\/[^/]*$/.test(beginning) && text !== beginning;
  return beginsThere || /(?:^|[=:,@/])\.[.*?[][^/]*\//.test(text);
}

function holdsRoot({ value }: ReadAssignment): boolean {
  return value === undefined || /^\/|^~|\.\./.test(value.text);
}

/** Variables that programs do not read (lower case by custom), and some that only affect how output looks. */
export function isHarmlessVariable(name: string): boolean {
  return !/_proxy$|^npm_/.test(name) && harmlessVariables.test(name);
}

const harmlessVariables = anyOf('[a-z_][a-z0-9_]* LANG LC_[A-Z]+ TZ COLUMNS LINES NO_COLOR [A-Z]');

type Looks = (words: readonly ShellWord[]) => boolean;

/** Programs without an option that writes, runs something or uses the network. */
const always =
  `: true false pwd basename dirname realpath readlink ls dir vdir cat tac head tail wc nl cut paste join comm
  tr rev fold fmt expand unexpand echo stat du df id whoami groups uname nproc logname who w users uptime free
  md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od hexdump seq factor
  numfmt expr grep egrep fgrep diff cmp which type getconf locale jq strings cal ps tsort tty
  printenv lscpu look`.split(/\s+/);

/**
 * Programs of which only some options are harmless: the operands (`*` for any; a digit for the most, or a pattern, of
 * known ones), then the options as patterns. The value of an option may be an operand: with `date`, digits alone would
 * set the clock. No `cd` to the root of the file system, where `proc/self` would be a relative path.
 */
const byOptions = programsByOptions(String.raw`
hostname 0 -[fisdAI] --fqdn --short --ip-address
sort * -[bcCdfghiMnRrsuVz]+ -[kt].* -[bdfginrsuVz]+[kt] --reverse --numeric-sort --unique --human-numeric-sort
  --version-sort --ignore-case --stable --check --key=.* --field-separator=.* --general-numeric-sort --month-sort
uniq 1 -[cdDiuz]+ -[fsw]\d* --count --repeated --unique --ignore-case
column * -[tnxeJ]+ -[scoN].*
tree * -[adfhistuvrpCDFNLIP]+ --du --dirsfirst --noreport --gitignore --si --prune --filelimit=\d+
file * -[bhikLNr0]+ --brief --mime --mime-type --mime-encoding --dereference
rg * -[acFhHiIlLnNoPqsSuvwxU0]+ -[ABCegjmtTf]\S* --files --hidden --no-ignore --count --line-number --ignore-case
  --smart-case --fixed-strings --files-with-matches --type=\S+ --glob=.* --context=\d+ --max-count=\d+ --no-heading
  --heading --json --multiline --word-regexp --invert-match --sort=\w+ --stats --color=\w+ --type --glob --iglob
  --max-depth=\d+
fd * -[HIsiFadLpgu01]+ -[tedE]\S* --hidden --no-ignore --type=\S+ --type --extension=\S+ --extension --glob
  --max-depth=\d+
base64 1 -[dDw]\d* --decode --wrap=\d+
base32 1 -[dw]\d* --decode --wrap=\d+
shasum * -a -[abt]+ -\d+
xxd 1 -[pbeiu]+ -[cgls]\d*
env 0
export 0
command * -[vV]
cd (?!.*\.\.|/+(?:\.|$)|[+-]).+
sleep [\d.]+[smh]?
read [a-z_]\w* -(?:r|s|[rs]*[dnpt])
date (?!\d+(?:\.\d+)?$).* -[uRI] -I\w+ -[dr] --date=.* --utc --iso-8601(?:=\w+)? --rfc-\w+(?:=\w+)? --reference=.*`);

/** Reads such a table: programs joined by commas, their operands, and their options. */
export function programsByOptions(table: string): readonly (readonly [program: string, Looks])[] {
  return table
    .trim()
    .split(/\n(?=\S)/)
    .flatMap((row) => {
      const [programs = '', operand = '', ...options] = row.split(/\s+/);
      const isOption = anyOf(options.join(' '));
      const isOperand = /^[*\d]$/.test(operand) ? /^/ : anyOf(operand);
      const mayFollow = (words: readonly ShellWord[]): boolean =>
        operand === '*' ||
        (words.every(({ isKnown, text }) => isKnown && isOperand.test(text)) &&
          (!/^\d$/.test(operand) || words.length <= Number(operand)));
      const looks: Looks = (words) => onlyOptions(words, isOption, mayFollow);
      return programs.split(',').map((program) => [program, looks] as const);
    });
}

/** Whether all options are known, and the other words are permitted. */
function onlyOptions(words: readonly ShellWord[], isOption: RegExp, mayFollow: Looks): boolean {
  const end = words.findIndex(({ text }) => text === '--');
  const before = end === -1 ? words : words.slice(0, end);
  const isOperand = ({ text }: ShellWord): boolean => !text.startsWith('-') || text === '-';
  // A word that begins with an expansion may become an option.
  const areSafe = before.every((word) =>
    isOperand(word) ? isCertain(word) : word.isKnown && isOption.test(word.text),
  );
  return areSafe && mayFollow([...before.filter(isOperand), ...(end === -1 ? [] : words.slice(end + 1))]);
}

function isCertain({ isKnown, beginning, splits }: ShellWord): boolean {
  return isKnown || (splits !== true && /^[^-+]/.test(beginning));
}

/** Further programs. The interpreters among them only tell their version. */
const lookingPrograms: ReadonlyMap<string, Looks> = new Map<string, Looks>([
  ...always.map((program) => [program, () => true] as const),
  ...byOptions,
  // Not yarn and pnpm, which begin the version of themselves that a project names.
  ...'git node python python3 npm pip pip3 ruby perl php java gcc make docker bash tsc deno bun'
    .split(' ')
    .map((program) => [program, tellsVersion] as const),
  ['test', isPlainTest],
  ['[', isPlainTest],
  ['printf', ([format]) => format?.isKnown === true && !format.text.startsWith('-')],
  // For `find`, a `--` does not end the tests.
  ['find', (words) => words.every(({ text }) => text !== '--') && onlyOptions(words, findTest, () => true)],
  ['sed', looksBySed],
]);

const findTest =
  anyOf(String.raw`-name -iname -path -ipath -wholename -regex -iregex -regextype -type -xtype -size -mtime -atime
  -ctime -mmin -amin -cmin -newer\w* -maxdepth -mindepth -depth -d -not -o -or -a -and -print -print0 -printf -ls
  -prune -empty -perm -user -group -uid -gid -nouser -nogroup -links -inum -samefile -readable -writable -executable
  -follow -mount -xdev -quit -true -false -daystart -lname -L -H -P -warn -nowarn -noleaf -O\d -used -\d+`);

function tellsVersion(words: readonly ShellWord[]): boolean {
  return words.length === 1 && words[0]?.isKnown === true && words[0].text === '--version';
}

/** `-v` and `-R` evaluate the index of an array, which can run a command. What is filled in may be one of them. */
function isPlainTest(words: readonly ShellWord[]): boolean {
  const isCompared = ({ beginning, splits }: ShellWord, next = ']') =>
    beginning === '' && splits !== true && /^(?:-[a-z]+|!?==?|\])$/.test(next);
  return words.every(
    (word, at) => !/^-[vR]/.test(word.text) && (isCertain(word) || isCompared(word, words[at + 1]?.text)),
  );
}

const sedAddress = String.raw`(?:(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)(?:,\s*(?:\+?\d+|\$|/(?:[^/\\\n]|\\.)*/))?!?)?`;
const sedSubstitution = String.raw`s([/|#,:@])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI\d]*`;
const sedScript = new RegExp(String.raw`^\s*${sedAddress}\s*(?:[pdq=]|${sedSubstitution})\s*$`);

/** In characters: matching a longer one takes too long. */
const longestScript = 500;

/** Whether the script is one of the few that are recognisably harmless. */
function looksBySed(words: readonly ShellWord[]): boolean {
  // A second -e would bring another script.
  if (words.some(({ text }, index) => index > 0 && /^-\w*e$/.test(text))) return false;
  const [first, ...rest] = words.filter(({ text }) => !/^-[nErsuz]*e?$/.test(text) || text === '-');
  if (!words.every(isCertain) || first?.isKnown !== true || rest.some(({ text }) => text.startsWith('-'))) return false;
  const script = first.text;
  if (script.length > longestScript) return false;
  return (
    sedScript.test(script) || (!/[sy/|#{}]/.test(script) && script.split(';').every((part) => sedScript.test(part)))
  );
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
