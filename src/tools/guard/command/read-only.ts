import type { CommandReading, ReadAssignment, ReadCommand, ReadRedirect } from './command-reading.ts';
import { isSystemProgram } from './risks.ts';
import type { ShellWord } from './shell-words.ts';

/** Whether the text as a whole raises no doubt, apart from what its commands do. Otherwise no rule allows it. */
export function isWithoutDoubt({ text, commands, findings, isLeftRunning }: CommandReading): boolean {
  if (findings.length > 0 || isLeftRunning || namesKernelFiles(text)) return false;
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
  if (!via.every((wrapper) => plainWrappers.has(wrapper))) return false;
  if (command.findings.length > 0) return false;
  if (isWrapper) return plainWrappers.has(program) && words.every(({ isKnown }) => isKnown);
  if (words.some(reachesRoot)) return false;
  return lookingPrograms.get(program)?.(words) === true;
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

/** Whether a slash after it may stand for the root of the file system. */
function isAtTop(before: string): boolean {
  return before === '' || /(?:[^\w.-]|\.\.|\$\w+)$/.test(before.slice(-80));
}

/** A pattern in the root of the file system may match a folder of the kernel's. */
function reachesRoot({ isKnown, beginning, text }: ShellWord): boolean {
  return !isKnown && /(?:^|[=:,@])\/[^/]*$/.test(beginning) && text !== beginning;
}

function holdsRoot({ value }: ReadAssignment): boolean {
  return value === undefined || /^\/|^~|\.\./.test(value.text);
}

/** Variables that programs do not read (lower case by custom), and some that only affect how output looks. */
export function isHarmlessVariable(name: string): boolean {
  if (/_proxy$/.test(name) || /^npm_/.test(name)) return false;
  return /^(?:[a-z_][a-z0-9_]*|LANG|LC_[A-Z]+|TZ|COLUMNS|LINES|NO_COLOR|[A-Z])$/.test(name);
}

type Looks = (words: readonly ShellWord[]) => boolean;

/** Programs without an option that writes, runs something or uses the network. */
const always =
  `: true false pwd basename dirname realpath readlink ls dir vdir cat tac head tail wc nl cut paste join comm
  tr rev fold fmt expand unexpand echo stat du df id whoami groups uname nproc logname who w users uptime free
  md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od hexdump seq factor
  numfmt expr grep egrep fgrep diff cmp which type getconf locale jq strings cal ps tsort tty
  printenv lscpu look`.split(/\s+/);

/**
 * Programs of which only some options are harmless: the operands (`*` for any, or the maximum number of known ones),
 * then these options as regular expressions.
 */
const byOptions = String.raw`
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
xxd 1 -[pbeiu]+ -[cgls]\d*`
  .trim()
  .split(/\n(?=\w)/)
  .map((row): readonly [string, Looks] => {
    const [program = '', operands, ...options] = row.split(/\s+/);
    const isOption = new RegExp(`^(?:${options.join('|')})$`);
    const mayFollow = (words: readonly ShellWord[]): boolean =>
      operands === '*' || (words.length <= Number(operands) && words.every(({ isKnown }) => isKnown));
    return [program, (words) => onlyOptions(words, isOption, mayFollow)];
  });

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

function isCertain({ isKnown, beginning }: ShellWord): boolean {
  return isKnown || (beginning !== '' && !beginning.startsWith('-') && !beginning.startsWith('+'));
}

const none: Looks = (words) => words.length === 0;

const dateOption = /^(?:-[uRI]|-I\w+|-[dr]|--date=.*|--utc|--iso-8601(?:=\w+)?|--rfc-\w+(?:=\w+)?|--reference=.*)$/;

const lookingPrograms: ReadonlyMap<string, Looks> = new Map<string, Looks>([
  ...always.map((program) => [program, () => true] as const),
  ...byOptions,
  ...'git node python python3 npm pnpm yarn pip pip3 ruby perl php java gcc make docker bash tsc deno bun'
    .split(' ')
    .map((program) => [program, tellsVersion] as const),
  ['cd', looksAround],
  ['test', isPlainTest],
  ['[', isPlainTest],
  ['printf', ([format]) => format?.isKnown === true && !format.text.startsWith('-')],
  ['read', (words) => onlyOptions(words, /^-(?:r|s|[rs]*[dnpt])$/, areVariables)],
  ['env', none],
  ['export', none],
  // The value of -d and -r is an operand too. One of digits alone sets the clock.
  ['date', (words) => onlyOptions(words, dateOption, (operands) => !operands.some(mayBeTime))],
  ['sleep', (words) => words.every(({ isKnown, text }) => isKnown && /^[\d.]+[smh]?$/.test(text))],
  ['find', looksForFiles],
  ['sed', looksBySed],
  ['command', (words) => /^-[vV]$/.test(words[0]?.text ?? '')],
]);

function areVariables(words: readonly ShellWord[]): boolean {
  return words.every(({ text, isKnown }) => isKnown && /^[a-z_]\w*$/.test(text));
}

function mayBeTime({ isKnown, text }: ShellWord): boolean {
  return !isKnown || /^\d+(?:\.\d+)?$/.test(text);
}

function tellsVersion(words: readonly ShellWord[]): boolean {
  return words.length === 1 && words[0]?.isKnown === true && words[0].text === '--version';
}

/** Not to the root of the file system, where `proc/self` would be a relative path. */
function looksAround(words: readonly ShellWord[]): boolean {
  const [folder, ...more] = words;
  if (folder === undefined) return true;
  return more.length === 0 && folder.isKnown && !/^-|\.\.|^\/+$|^\/+\.|^\+/.test(folder.text) && folder.text !== '';
}

/** `-v` and `-R` evaluate the index of an array, which can run a command. */
function isPlainTest(words: readonly ShellWord[]): boolean {
  return words.every(({ text, beginning, isKnown }) => !/^-[vR]/.test(text) && (isKnown || beginning !== '-'));
}

const findTests =
  /^-(?:name|iname|path|ipath|wholename|regex|iregex|regextype|type|xtype|size|mtime|atime|ctime|mmin|amin|cmin|newer\w*|maxdepth|mindepth|depth|d|not|o|or|a|and|print|print0|printf|ls|prune|empty|perm|user|group|uid|gid|nouser|nogroup|links|inum|samefile|readable|writable|executable|follow|mount|xdev|quit|true|false|daystart|lname|L|H|P|warn|nowarn|noleaf|O\d|used|\d+)$/;

/** Every word that begins with a dash must be a known test, and no unknown word may become one. */
function looksForFiles(words: readonly ShellWord[]): boolean {
  return words.every((word) =>
    word.text.startsWith('-') ? word.isKnown && findTests.test(word.text) : isCertain(word),
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
  if (!words.every((word) => word.isKnown || isCertain(word))) return false;
  if (first?.isKnown !== true || rest.some(({ text }) => text.startsWith('-'))) return false;
  const script = first.text;
  if (script.length > longestScript) return false;
  if (sedScript.test(script)) return true;
  return !/[sy/|#{}]/.test(script) && script.split(';').every((part) => sedScript.test(part));
}
