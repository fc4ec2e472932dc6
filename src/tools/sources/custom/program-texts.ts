import type { CommandReading, ReadCommand } from '../../guard/command/command-reading.ts';
import { readCommands } from '../../guard/command/read-commands.ts';
import { baseName, everyFound, interpreterOf, isShell } from '../../guard/command/risks.ts';
import { refusals } from './placeholder-sites.ts';
import { marksIn } from './placeholders.ts';

/** The placeholders of a masked text, by index, that would become part of a program that it runs, and the reasons. */
export function placeholdersInPrograms(text: string): ReadonlyMap<number, string> {
  const refused = new Map<number, string>();
  const refuse = (where: string, reason: string): void => {
    for (const mark of marksIn(where)) if (!refused.has(mark)) refused.set(mark, reason);
  };
  const reading = readCommands(text);
  const { commands, innerTexts, isWhole } = reading;
  if (!isWhole) refuse(text, refusals.tooDeep);
  for (const inner of innerTexts) refuse(inner, asCode('sh'));
  for (const { program, programPath } of commands) refuse(programPath ?? program, refusals.program);
  const signs = inputSigns(reading);
  for (const command of commands) {
    const { program, upstream } = command;
    const { code, readsInput } = codeWords(command);
    for (const word of code) refuse(word, asCode(program));
    const isHandedInput = [program, ...code].some((word) => signs.some((sign) => word.includes(sign)));
    const read = [...(isHandedInput ? commands : readsInput ? [command] : []).flatMap(inputOf)];
    if (isHandedInput || readsInput) read.push(...upstream.flatMap(printedBy));
    for (const input of read) refuse(input, asCode(program));
  }
  return refused;
}

/** The files and texts that it reads instead of a pipe. */
function inputOf({ redirects }: ReadCommand): readonly string[] {
  return redirects.flatMap(({ operator, target }) => (operator.startsWith('<') ? target.text : []));
}

/** Everything that may be in its output. */
function printedBy({ words, assignments, redirects }: ReadCommand): readonly string[] {
  return [...words, ...assignments.map(({ value }) => value), ...redirects.map(({ target }) => target)].map(
    (word) => word?.text ?? '',
  );
}

/** The signs for the input in a program's arguments: `{}`, or those of `-I %`, `-I%`, `--replace=%`. */
function inputSigns({ commands }: CommandReading): readonly string[] {
  const carriers = commands.filter(({ program }) => program === 'xargs' || program === 'parallel');
  const said = carriers.flatMap(({ words }) =>
    words.flatMap(({ text }, index) => {
      if (text === '-I') return words[index + 1]?.text ?? [];
      return /^(?:-[Ii]|--replace=)(.+)$/.exec(text)?.[1] ?? [];
    }),
  );
  return carriers.length === 0 ? [] : ['{}', everyFound, ...said];
}

function asCode(program: string): string {
  const language = interpreterOf(program) ?? program;
  const [, advice] = advices.find(([programs]) => programs.test(isShell(program) ? 'sh' : language)) ?? [];
  return `becomes a part of what ${program} runs: a value there would be code. ${advice}`;
}

const advices: readonly (readonly [programs: RegExp, advice: string])[] = [
  [/^sh$/, `Pass it behind the code: sh -c 'echo "$1"' sh {{x}}. What ssh runs can read it as input.`],
  [/awk$/, "Pass it as a variable: awk -v x={{x}} '{ print x }'."],
  [/^jq$/, "Pass it as a variable: jq --arg x {{x}} '.[$x]'."],
  [/^python/, "Pass it behind the code: python3 -c 'import sys; print(sys.argv[1])' {{x}}."],
  [/^node$/, "Pass it behind the code: node -e 'console.log(process.argv[1])' {{x}}."],
  [/^psql$/, "Pass it as a variable, psql -v x={{x}} -f query.sql, and write :'x' in the file."],
  [/^/, 'Put the code into a script file that reads its arguments, and run that with {{x}}.'],
];

/** The words of a command that its program runs, or reads as a program, rather than as data. */
interface CodeWords {
  readonly code: readonly string[];
  /** Its input is code, too. */
  readonly readsInput: boolean;
}

/** Knows the usual programs; for others, all words are data. */
function codeWords({ program, words: shellWords }: ReadCommand): CodeWords {
  const words = shellWords.map(({ text }) => text);
  const own = ownCodeWords(program, words);
  if (!carriers.test(program)) return own;
  const all = words.map(baseName).flatMap((inner, index) => {
    const isRunner = isShell(inner) || interpreterOf(inner) !== undefined;
    return isRunner ? [ownCodeWords(inner, words.slice(index + 1))] : [];
  });
  all.push(own);
  return { code: all.flatMap(({ code }) => code), readsInput: all.some(({ readsInput }) => readsInput) };
}

/** Programs that run another program somewhere else, named in their words. */
const carriers =
  /^(?:docker|podman|nerdctl|kubectl|oc|lxc|incus|machinectl|vagrant|adb|flatpak|distrobox|toolbox|su|runuser|poetry|pipenv|pdm|uv|conda|mamba|nix|nix-shell|bundle|hatch|rye)$/;

function ownCodeWords(program: string, words: readonly string[]): CodeWords {
  const language = interpreterOf(program);
  if (/^(?:sqlite3|psql|mysql|mariadb)$/.test(program)) return ofDatabase(program, words);
  if (takesCommands.test(program)) return data(words);
  if (obeysInput.test(program)) return { code: optionValues(program, words), readsInput: true };
  if (isShell(program) || language !== undefined) return ofInterpreter(language ?? program, words);
  const syntax = scriptSyntaxes.find(({ programs }) => programs.test(program));
  if (syntax !== undefined) return data(scriptOf(words, syntax));
  if (program === '.' || program === 'source') {
    const [file = ''] = words;
    return { code: [file], readsInput: inputNames.has(file) };
  }
  if (findsNames.test(program)) return data(namesIn(program, words));
  return data(optionValues(program, words));
}

function data(code: readonly string[]): CodeWords {
  return { code, readsInput: false };
}

/** The words of an interpreter up to its program must hold no values; those after it are data. */
function ofInterpreter(program: string, words: readonly string[]): CodeWords {
  // With these options Perl opens its arguments as files, and runs those that end in a bar.
  if (program === 'perl' && words.some((word) => /^-[a-zA-Z]*[np]/.test(word))) return data(words);
  let index = 0;
  let hasCode = false;
  for (let word = words[0]; word?.startsWith('-') && word !== '-' && word !== '--'; word = words[index]) {
    const isModule = /^(?:-r|--require|--import|--loader)$/.test(word);
    const takesCode = !(program === 'node' && isModule) && isCodeOption(word);
    hasCode ||= takesCode || /^--(?:eval|print|execute|command|expression)=/.test(word);
    index += takesCode || isModule ? 2 : 1;
  }
  if (hasCode) return data(words.slice(0, index));
  if (words[index] === '--') index += 1;
  // `deno run file`: a verb before the program.
  const isVerb = /^(?:deno|bun)$/.test(program) && /^(?:run|eval|x|test)$/.test(words[index] ?? '');
  const end = index + (isVerb ? 2 : 1);
  const named = words[end - 1];
  return { code: words.slice(0, end), readsInput: named === undefined || inputNames.has(named) };
}

function isCodeOption(word: string): boolean {
  return /^-[a-zA-Z]*[cemEprxBR]$|^--(?:eval|print|execute|command|expression)$/.test(word);
}

function ofDatabase(program: string, words: readonly string[]): CodeWords {
  const options = optionValues(program, words);
  if (program !== 'sqlite3') {
    const isTold = words.some((word) => /^-[a-zA-Z]*[cfe]|^--(?:command|file|execute)/.test(word));
    return { code: options, readsInput: !isTold };
  }
  // The first word is the file, all others are SQL.
  const [, ...statements] = words.filter((word) => !word.startsWith('-'));
  return { code: [...options, ...statements], readsInput: statements.length === 0 };
}

/** Programs whose first operand is a script, unless an option gives one. */
interface ScriptSyntax {
  readonly programs: RegExp;
  /** Options that are followed by another script, or by a file with one. */
  readonly script: RegExp;
  /** Options that are followed by one other word, and by two. */
  readonly value: RegExp;
  readonly values?: RegExp;
}

const scriptSyntaxes: readonly ScriptSyntax[] = [
  { programs: /^[gmn]?awk$/, script: /^(?:-[feEil]|--(?:file|source|exec))$/, value: /^-[vF]$/ },
  { programs: /^g?sed$/, script: /^(?:-[nrsuzE]*[ef]|--(?:expression|file))$/, value: /^(?:-l|--line-length)$/ },
  {
    programs: /^(?:jq|yq|gojq)$/,
    script: /^(?:-f|--from-file)$/,
    value: /^(?:-L|--indent)$/,
    values: /^--(?:arg|argjson|slurpfile|rawfile)$/,
  },
];

function scriptOf(words: readonly string[], { script, value, values }: ScriptSyntax): readonly string[] {
  const code: string[] = [];
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!word.startsWith('-') || word === '-') break;
    if (script.test(word)) {
      code.push(words[index + 1] ?? '');
      index += 1;
    } else if (/^--(?:expression|file|source|exec|from-file)=/.test(word)) code.push(word);
    else if (values?.test(word)) index += 2;
    else if (value.test(word)) index += 1;
  }
  return code.length > 0 ? code : words.slice(index, index + 1);
}

/** The words that name a variable to a shell builtin, which may evaluate the name. */
function namesIn(program: string, words: readonly string[]): readonly string[] {
  if (!/^(?:export|declare|typeset|local|readonly)$/.test(program)) return words;
  if (words.some((word) => /^-[a-zA-Z]*[in]/.test(word))) return words;
  return words.map((word) => word.split('=', 1)[0] ?? '');
}

function optionValues(program: string, words: readonly string[]): readonly string[] {
  const options = codeOptions.get(program) ?? [];
  // After git's subcommand, the same letter means something else.
  const verb = program === 'git' ? words.findIndex((word, at) => !word.startsWith('-') && words[at - 1] !== '-c') : -1;
  return words.flatMap((word, index) => {
    // `--rsh=ssh`, `-eSSH`
    const found = options.find(
      (option) => word === option || word.startsWith(option.startsWith('--') ? `${option}=` : option),
    );
    if (found === undefined || (found === '-c' && verb !== -1 && index > verb)) return [];
    return word === found ? words.slice(index + 1, index + 2) : [word];
  });
}

/** Options whose value a program runs, or takes commands from. On each line: the programs, and the options. */
const codeOptions: ReadonlyMap<string, readonly string[]> = new Map(
  `psql|-c --command -f --file
  mysql mariadb|-e --execute --init-command
  sqlite3|-cmd -init
  git|-c --config-env --exec-path --upload-pack --receive-pack --exec --extcmd
  tar|-I -F --use-compress-program --to-command --checkpoint-action --info-script --rsh-command
  rsync|-e --rsh --rsync-path
  ssh|-o -F
  scp|-o -F -S
  sftp|-o -F -S -b
  curl|-K --config
  wget|-e --execute --config --use-askpass
  sort|--compress-program
  man|-P -H --pager --html
  zip|-TT --unzip-command
  docker podman|--entrypoint
  printf test [|-v
  rg|--pre
  nc ncat|-e -c --exec --sh-exec --lua-exec
  mongosh|--eval -f --file
  mongo|--eval
  duckdb|-c -s -cmd -init
  gnuplot|-e
  dc|-e -f --expression --file`
    .split('\n')
    .flatMap((line) => {
      const [programs = '', options = ''] = line.trim().split('|');
      return programs.split(' ').map((program) => [program, options.split(' ')] as const);
    }),
);

/** Shell builtins that take code, or names of variables, which bash evaluates. */
const findsNames =
  /^(?:let|unset|read|declare|typeset|local|readonly|getopts|mapfile|readarray|enable|bind|complete|compgen|hash|fc)$/;

/** Programs whose arguments may all be commands. */
const takesCommands = /^(?:socat|tmux|screen|less|more|most|g?make)$/;

/** Programs that take commands from their input, even for a shell. */
const obeysInput = /^(?:at|batch|crontab|ed|ex|red|dc|m4|gnuplot|mongosh|mongo|duckdb|gdb|sftp|ftp)$/;

/** File names that stand for standard input. */
const inputNames: ReadonlySet<string> = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);
