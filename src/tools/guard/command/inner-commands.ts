import { type Finding, finding, type ReadCommand } from './command-reading.ts';
import { everyFound, isPowerfulVariable, isShell, steersShell } from './risks.ts';
import { anyWord, isAmong, isTold, joined, knownWord, operandsOf, type ShellWord, valuesOf } from './shell-words.ts';

export interface InnerCommands {
  /** Programs with their arguments. */
  readonly calls: readonly (readonly ShellWord[])[];
  /** Scripts that it gives to a shell. */
  readonly texts: readonly string[];
  readonly findings: readonly Finding[];
  /** What it runs is known only at run time. */
  readonly isOpaque: boolean;
}

type Input = Pick<ReadCommand, 'redirects' | 'upstream'>;

/** It runs nothing else. */
export const nothing: InnerCommands = { calls: [], texts: [], findings: [], isOpaque: false };

/** The commands that a command runs because of its arguments or its input. */
export function innerCommands(program: string, args: readonly ShellWord[], input: Input): InnerCommands {
  if (isShell(program) || isAmong(program, '. source')) return ofShell(program, args, input);
  if (isAmong(program, 'find fd fdfind')) return foundCalls(program, args);
  if (program === 'command' && /^-\w*[vV]/.test(args[0]?.text ?? '')) return nothing;
  const isHidden = hiddenTexts.some(
    ([programs, words]) => isAmong(program, programs) && words.test(args.map(({ text }) => ` ${text}`).join('')),
  );
  const own = isHidden ? hidden(program) : asTexts(program, textsIn(program, args));
  const syntax = wrappers.get(program);
  if (syntax === undefined) return own;
  const { words, isSure, changesPrograms, isSteered } = unwrap(args, syntax, isAmong(program, 'env sudo'));
  const findings = [
    ...(isSure ? [] : [finding('unknown', program)]),
    ...(changesPrograms ? [finding('hidden_code', program)] : []),
    ...own.findings,
  ];
  const takesPrinted = isAmong(program, 'xargs parallel') && isPrinted(input) && readInput(input) === undefined;
  const outer = { ...own, findings, isOpaque: !isSure || own.isOpaque || takesPrinted || isSteered };
  if (words.length === 0) return outer;
  const call = withInput(program, words, args, input);
  // Its words are joined and given to a shell. With watch, an `x` may mean anything, so it is read both ways.
  const isText = isAmong(program, 'parallel watch') || (program === 'sudo' && /^-\w*[is]/.test(args[0]?.text ?? ''));
  return {
    ...outer,
    calls: !isText || program === 'watch' || isShell(call[0]?.text ?? '') ? [call] : [],
    texts: [...(isText ? joined(words) : []).map(({ text }) => text), ...own.texts],
  };
}

/** What is printed for a program may be an option. */
function isPrinted({ upstream }: Input): boolean {
  return upstream.length > 0 && upstream.every(({ program }) => isAmong(program, 'echo printf'));
}

function hidden(program: string): InnerCommands {
  return { ...nothing, findings: [finding('hidden_code', program)], isOpaque: true };
}

/** A partly unknown text is read too: what is certain in it counts. */
function asTexts(program: string, words: readonly ShellWord[]): InnerCommands {
  const findings = words.every(({ isKnown }) => isKnown) ? [] : [finding('hidden_code', program)];
  // Behind an alias, a later word is another command than it seems.
  const isOpaque = (program === 'alias' && words.length > 0) || !words.every(isTold);
  return { calls: [], texts: words.map(({ text }) => text), findings, isOpaque };
}

function ofShell(program: string, args: readonly ShellWord[], input: Input): InnerCommands {
  const opaque = hidden(program);
  const at = args.findIndex(({ text }) => /^[-+][a-zA-Z]*c[a-zA-Z]*$/.test(text));
  if (at !== -1) {
    const text = args.slice(at + 1).find((word) => !/^[-+]./.test(word.text));
    return text === undefined ? opaque : asTexts(program, [text]);
  }
  const operands = operandsOf(args).filter(({ text }) => !isAmong(text, standardInput));
  // A script file: `command-facts.ts` tells which.
  if (operands.length > 0 && !args.some(({ text }) => /^-\w*s/.test(text)))
    return { ...opaque, isOpaque: !operands.every((word) => isTold(word) && !isOfKernel(word.text)) };
  const given = readInput(input);
  if (given !== undefined) return asTexts(program, given);
  return args.some(({ text }) => /^--(?:version|help)$/.test(text)) ? nothing : opaque;
}

/** Whether it is a file of the kernel's, which stands for something that runs or is open. */
export function isOfKernel(path: string): boolean {
  return /^\/+(?:\.?\/+)*(?:proc|dev)(?:\/|$)/.test(path);
}

const standardInput = '- /dev/stdin /dev/fd/0 /proc/self/fd/0';

/** The input of a program, if the text contains it: a here-document, or what a plain `echo` before it prints. */
function readInput({ redirects, upstream }: Input): readonly ShellWord[] | undefined {
  const here = redirects.filter(({ operator }) => operator.startsWith('<<'));
  if (here.length > 0) return here.map(({ target }) => target);
  const [only, ...more] = upstream;
  if (only === undefined || more.length > 0) return undefined;
  if (only.program === 'cat' && only.words.length === 0) return readInput({ redirects: only.redirects, upstream: [] });
  const isPlain =
    only.program === 'echo' && only.words.every((word) => isTold(word) && !/^-[neE]+$|\\/.test(word.text));
  return isPlain ? joined(only.words) : undefined;
}

/** Programs, and words with which they run a text that is not read. */
const hiddenTexts: readonly (readonly [programs: string, words: RegExp])[] = [
  ['git', / foreach | bisect\b.* run | (?:rebase|difftool)\b.* (?:-\w*x|--extc)| --exec[ =]|=\s*!/s],
  ['git', / (?:config\b.* |-c ?)alias\.\S+[ =]\s*!/s],
  ['tar bsdtar', / --(?:to-c|us|inf|rsh|checkpoint-a\w*=exec)| -[a-zA-Z]*[IF](?: |$)| -I/],
  ['make gmake', / (?:-[a-zA-Z]*f|--(?:f|makef)[a-z]*)[ =]?(?:- |-$|\/dev\/|\/proc\/|<\()| -E| --ev/],
  ['make gmake', / \S*[:+?!]?=.*\$[({]shell| (?:SHELL|MAKE\w*|\.SHELLFLAGS)[:+?!]?=/s],
  ['just ninja', / (?:-f|--justfile)[ =]?(?:- |-$|\/dev\/|\/proc\/|<\()/],
  ['mapfile readarray', / -\w*C/],
  ['compgen complete', / -\w*[CFW]/],
  ['hash', / -\w*p/],
  ['enable', / -\w*f/],
  ['jobs bind', / -\w*x/],
  ['fc', /^(?! -l)/],
  ['awk gawk mawk nawk', /system\s*\(|\|\s*getline/],
  // What it prints goes to a program.
  ['awk gawk mawk nawk', /\bprintf?\b(?:"(?:[^"\\]|\\.){0,200}"|[^";}\n]){0,200}(?<!\|)\|(?!\|)/],
  ['awk gawk mawk nawk sed gsed', / (?:-\w*f|--fi\w*)[ =]?(?:- |-$|\/dev\/|<\()/],
  // The command `e`, behind an address or none; and the flag `e` of `s`.
  ['sed gsed', /(?:[ ;{}\n=]|^ -\w*e)[\d$,!~+/]*e[\s\\;}]|^(?: -[nErsuz]+)* e$|[ ;{}\n=][\d$,~+]*[\d$]!?e\w/],
  ['sed gsed', /(?:[ ;{}\n=,]|^ -\w*e)\/(?:[^/\\\n]|\\.){0,200}\/[IM]*\s*!?\s*e[\s\\;}]/],
  ['sed gsed', /(?<![\w\\])s([^\w\s])(?:(?!\1).){0,999}\1(?:(?!\1).){0,999}\1[gpiImM\d]*e/s],
  ['sed gsed', /(?:[ ;{}\n=])s(\w)(?:(?!\1).){0,99}\1(?:(?!\1).){0,99}\1[gpiImM\d]*e/],
  ['ssh', /(?:proxy|local|knownhosts)command\W/i],
];

/** The texts in a command's arguments that it gives to a shell. */
function textsIn(program: string, args: readonly ShellWord[]): readonly ShellWord[] {
  const plain = args[0]?.text === '--' ? args.slice(1) : args;
  if (program === 'eval') return joined(plain);
  if (program === 'trap') return plain.slice(0, 1).filter(({ text }) => !/^(?:-|-[lp]|)$/.test(text));
  if (program === 'alias')
    return args.flatMap((word) => (word.text.includes('=') ? { ...word, text: word.text.replace(/^.*?=/s, '') } : []));
  if (program === 'ssh') {
    // What follows the host runs there.
    const host = args.findIndex(({ text }, at) => !text.startsWith('-') && !sshValue.test(args[at - 1]?.text ?? ''));
    return joined(host === -1 ? [] : args.slice(host + 1));
  }
  if (isAmong(program, 'su runuser script flock')) return valuesOf(args, 'c', 'command');
  if (program === 'env') {
    // Its own escape for a blank.
    const asBlank = (word: ShellWord): ShellWord => ({ ...word, text: word.text.replaceAll(String.raw`\_`, ' ') });
    return valuesOf(args, 'S', 'split-string').map(asBlank);
  }
  if (program === 'git') return gitTexts(args);
  if (program === 'split') return valuesOf(args, '', 'filter');
  if (program === 'rsync') return valuesOf(args, 'e', 'rsh');
  return program === 'npx' ? valuesOf(args, 'c', 'call') : [];
}

/** The commands that settings of git name, by `git config` and `-c`. */
function gitTexts(args: readonly ShellWord[]): readonly ShellWord[] {
  return args.flatMap((word, at) => {
    const [name = '', ...value] = word.text.split('=');
    const held = value.length > 0 ? { ...word, text: value.join('=') } : args[at + 1];
    return held === undefined || !gitCommandSetting.test(name) ? [] : [held];
  });
}

const gitCommandSetting =
  /^(?:core\.(?:fsmonitor|pager|editor|sshcommand|askpass|gitproxy|alternaterefscommand)|sequence\.editor|pager\.\w+|interactive\.difffilter|\S+\.(?:cmd|command|textconv|clean|smudge|process|external|helper|driver|program|receivepack|uploadpack|browser))$/i;

const sshValue = /^-\w*[bcDEeFIiJLlmOopQRSWw]$/;

/** The input adds arguments. Unknown ones may turn a harmless deletion into another one. */
function withInput(
  program: string,
  words: readonly ShellWord[],
  args: readonly ShellWord[],
  input: Input,
): readonly ShellWord[] {
  if (!isAmong(program, 'xargs parallel entr')) return words;
  const short = args.map(({ text: word }) => /^-i(.+)$/.exec(word)?.[1]).find((found) => found !== undefined);
  const sign = valuesOf(args, 'I', 'replace')[0]?.text ?? short ?? '';
  if (input.upstream.some((command) => isAmong(command.program, 'find fd'))) {
    // With `{}`, whichever sign stands for what is found.
    const signed = words.map((word) => (sign === '' ? word : { ...word, text: word.text.replaceAll(sign, '{}') }));
    return [...signed, anyWord(everyFound)];
  }
  const [only, ...more] = readInput(input) ?? [];
  const text = only !== undefined && more.length === 0 && isTold(only) ? only.text : undefined;
  if (sign === '') {
    // With these, or with quotes in it, a blank does not separate words.
    const isSplit = args.every((word) => !/^-(?:[^-]*[0d]|-nu|-de)/.test(word.text)) && !/["'\\]/.test(text ?? '');
    const added = isSplit ? text?.split(/\s+/).filter((word) => word !== '') : undefined;
    return [...words, ...(added?.map(knownWord) ?? [anyWord('{}')])];
  }
  return words.map((word) => {
    if (!word.text.includes(sign)) return word;
    if (text !== undefined) return knownWord(word.text.replaceAll(sign, text.trim()));
    return anyWord(word.text, word.text.slice(0, word.text.indexOf(sign)));
  });
}

/** `find … -exec program … ;` and `fd -x program`, `-xprogram`, `--exec=program`. */
function foundCalls(program: string, args: readonly ShellWord[]): InnerCommands {
  const starts = program === 'find' ? /^-(?:exec|ok)(?:dir)?()$/ : /^(?:-[^-xX]*[xX]|--exec(?:-batch)?(?:=|$))(.*)$/;
  const calls: ShellWord[][] = [];
  // A call takes everything up to its end: reading parts twice would take exponential time.
  let isInside = false;
  for (const word of args) {
    const own: string | undefined = isInside ? undefined : starts.exec(word.text)?.[1];
    if (own !== undefined) calls.push(own === '' ? [] : [knownWord(own)]);
    isInside = own !== undefined || (isInside && !isAmong(word.text, '; +'));
    if (isInside && own === undefined) calls.at(-1)?.push(word);
  }
  const whole = calls.flatMap((call) => (call.length === 0 ? [] : [[...call, anyWord(everyFound)]]));
  return { ...nothing, calls: whole, isOpaque: args.some(({ filled }) => filled === 'open') };
}

interface WrapperSyntax {
  /** Options that are known, and options whose value is the next word. */
  readonly known: RegExp;
  readonly withValue: RegExp;
  /** How many words precede the program. */
  readonly operands: number;
}

/** Programs|letters without a value|letters with one|words before the program|long options with a value. */
const wrappers: ReadonlyMap<string, WrapperSyntax> = new Map(
  `sudo|AbBEeHiKklnPSsVv|CDghpRrtTUu|0|user group host prompt chdir role type close-from chroot other-user
  doas|Lns|Cua|0|
  env|i0v|uCSP|0|unset chdir split-string
  nice|0123456789|n|0|adjustment
  time|pavqV|fo|0|format output
  timeout|fpv|ks|1|kill-after signal
  stdbuf||ioe|0|input output error
  setsid|cfw||0|
  command|p||0|
  exec|cl|a|0|
  ionice|t|cnpPu|0|class classdata pid
  flock|sxeunFo|wE|1|wait timeout conflict-exit-code
  xargs|0rtpxo|adEeIiLlnPsJRS|0|arg-file delimiter max-args max-procs max-lines max-chars replace eof process-slot-var
  watch|bcdegtwxprC|nq|0|interval equexit
  runuser|lmpPf|ugGsw|0|user group shell
  parallel||jINnLPSaCd|0|jobs colsep delay arg-file sshlogin
  npx|yq|pc|0|package call
  nohup builtin busybox toybox unbuffer pkexec bwrap setpriv torsocks eatmydata catchsegv dbus-run-session strace
    run0 fakeroot firejail proot numactl chronic ifne caffeinate rlwrap softlimit ccache valgrind sshpass cpulimit
    ltrace unshare nsenter prlimit choom linux32 linux64 xvfb-run entr bunx uvx proxychains systemd-run ssh-agent|||0|
  chrt taskset chroot setarch faketime runcon setuidgid|||1|`
    .split(/\n {2}(?! )/)
    .flatMap((line) => {
      const [programs = '', flags = '', values = '', operands, names = ''] = line.trim().split('|');
      const long = `--(?:${names.replaceAll(' ', '|')})`;
      const syntax = {
        known: new RegExp(`^(?:-[${flags}]+$|-[${flags}]*[${values}]|${long}(?:=|$))`),
        withValue: new RegExp(`^(?:-(?!-)[^${values}]*[${values}]|${long})$`),
        operands: Number(operands),
      };
      return programs.split(/\s+/).map((program) => [program, syntax] as const);
    }),
);

/** Finds the program in the arguments of its wrapper. */
function unwrap(args: readonly ShellWord[], { known, withValue, operands }: WrapperSyntax, takesVariables: boolean) {
  let isSure = true;
  let index = 0;
  for (; index < args.length; index += 1) {
    const { text, isKnown } = args[index] ?? anyWord('');
    isSure &&= isKnown;
    if (text === '--') index += 1;
    if (!/^-./.test(text) || text === '--') break;
    isSure &&= known.test(text);
    if (withValue.test(text)) index += 1;
  }
  const isVariable = (word: ShellWord | undefined) => takesVariables && /^[^=/-][^=/]*=/.test(word?.beginning ?? '');
  const first = index;
  while (isVariable(args[index])) index += 1;
  const names = args.slice(first, index).map(({ text }) => text.split('=', 1)[0] ?? '');
  return {
    words: args.slice(index + operands),
    isSure,
    changesPrograms: names.some(isPowerfulVariable),
    isSteered: names.some(steersShell),
  };
}
