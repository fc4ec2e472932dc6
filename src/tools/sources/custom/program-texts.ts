import { baseName, type CommandReading, type ReadCommand } from '../../guard/command/command-reading.ts';
import { readCommands } from '../../guard/command/read-commands.ts';
import { everyFound, interpreterOf, isShell } from '../../guard/command/risks.ts';
import { marksIn } from '../parameters.ts';
import { refusals } from './placeholder-sites.ts';

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
    const read = (isHandedInput ? commands : readsInput ? [command] : []).flatMap(inputOf);
    const piped = isHandedInput || readsInput ? upstream.flatMap(printedBy) : [];
    for (const input of [...read, ...piped]) refuse(input, asCode(program));
  }
  return refused;
}

/** The files and texts that it reads instead of a pipe. */
function inputOf({ redirects }: ReadCommand): readonly string[] {
  return redirects.flatMap(({ operator, target }) => (operator.startsWith('<') ? target.text : []));
}

/** Everything that may be in its output. */
function printedBy({ words, assignments, redirects }: ReadCommand): readonly string[] {
  const all = [...words, ...assignments.map(({ value }) => value), ...redirects.map(({ target }) => target)];
  return all.map((word) => word?.text ?? '');
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
  const language = isShell(program) ? 'sh' : (interpreterOf(program) ?? program);
  const [, advice] = advices.find(([programs]) => programs.test(language)) ?? [];
  return `becomes a part of what ${program} runs: a value there would be code. ${advice}`;
}

/** Shell builtins that take code, or names of variables, which bash evaluates. */
const findsNames =
  /^(?:let|unset|read|export|declare|typeset|local|readonly|getopts|mapfile|readarray|enable|bind|complete|compgen|hash|fc)$/;

const advices: readonly (readonly [programs: RegExp, advice: string])[] = [
  [/^sh$/, `Pass it behind the code: sh -c 'echo "$1"' sh {{x}}. What ssh runs can read it as input.`],
  [findsNames, 'Set a variable as x={{x}}, and use that.'],
  [/awk$/, "Pass it as a variable: awk -v x={{x}} '{ print x }'."],
  [/^jq$/, "Pass it as a variable: jq --arg x {{x}} '.[$x]'."],
  [/^python/, "Pass it behind the code: python3 -c 'import sys; print(sys.argv[1])' {{x}}."],
  [/^node$/, "Pass it behind the code: node -e 'console.log(process.argv[1])' {{x}}."],
  [/^psql$/, "Pass it as a variable, psql -v x={{x}} -f query.sql, and write :'x' in the file."],
  [/^/, 'Put the code into a script file that reads its arguments, and run that with {{x}}.'],
];

/** The words of a command that its program runs, or may read as a program, rather than as data. */
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
  const language = isShell(program) ? program : interpreterOf(program);
  const options = optionValues(program, words);
  if (program === 'sqlite3') {
    // The first word is the file, all others are SQL.
    const [, ...statements] = words.filter((word) => !word.startsWith('-'));
    return { code: [...options, ...statements], readsInput: statements.length === 0 };
  }
  if (/^(?:psql|mysql|mariadb)$/.test(program))
    return {
      code: options,
      readsInput: !words.some((word) => /^-[a-zA-Z]*[cfe]|^--(?:command|file|execute)/.test(word)),
    };
  if (takesCommands.test(program)) return data(words);
  if (obeysInput.test(program)) return { code: options, readsInput: true };
  if (language !== undefined) return ofInterpreter(language, words);
  const syntax = scriptSyntaxes.find(({ programs }) => programs.test(program));
  if (syntax !== undefined) return data(ofScriptProgram(words, syntax));
  if (program === '.' || program === 'source') return readFrom(words.slice(0, 1));
  // Only the name of what is exported is looked up.
  if (program === 'export') return data(words.map((word) => word.split('=', 1)[0] ?? ''));
  return data(findsNames.test(program) ? words : options);
}

function data(code: readonly string[]): CodeWords {
  return { code, readsInput: false };
}

/** The last of these words names the program: none or `-` stands for the input. */
function readFrom(code: readonly string[]): CodeWords {
  return { code, readsInput: /^(?:-?|\/dev\/stdin|\/(?:dev|proc\/self)\/fd\/0)$/.test(code.at(-1) ?? '') };
}

/** The words of an interpreter up to its program must hold no values; those after it are data. */
function ofInterpreter(program: string, words: readonly string[]): CodeWords {
  // With these options Perl opens its arguments as files, and runs those that end in a bar.
  if (program === 'perl' && words.some((word) => /^-[a-zA-Z]*[np]/.test(word))) return data(words);
  const codeOption = codeOptionOf(program);
  let isTold = false;
  let index = /^(?:deno|bun)$/.test(program) && /^(?:run|eval|x|test)$/.test(words[0] ?? '') ? 1 : 0;
  const first = index;
  for (let word = words[index]; word !== undefined; word = words[index]) {
    const isOption = word.startsWith('-') && word !== '-' && word !== '--';
    // A word behind an option is its value, as in `-W ignore`, unless it looks like a file.
    if (!isOption && (isTold || index === first || /^-|[./]/.test(word))) break;
    const isModule = program !== 'php' && /^(?:-r|--require|--import|--loader)$/.test(word);
    const takesCode = !isModule && codeOption.test(word);
    isTold ||= takesCode || /^--(?:eval|print|execute|command|expression)=/.test(word);
    index += takesCode || isModule ? 2 : 1;
  }
  if (isTold) return data(words.slice(0, index));
  if (words[index] === '--') index += 1;
  const named = words.slice(0, index + 1);
  return index < words.length ? readFrom(named) : { code: named, readsInput: true };
}

/** The options of an interpreter that are followed by code. */
function codeOptionOf(language: string): RegExp {
  const [, letters = 'ceEr'] = codeLetters.find(([languages]) => languages.test(language)) ?? [];
  return new RegExp(`^-[a-zA-Z]*[${isShell(language) ? 'c' : letters}]$|^--(?:eval|print|execute|command|expression)$`);
}

const codeLetters: readonly (readonly [languages: RegExp, letters: string])[] = [
  [/^python/, 'cm'],
  [/^perl/, 'eE'],
  [/^php/, 'rBRE'],
  [/^(?:node|nodejs|deno|bun|ts-node|tsx)$/, 'ep'],
];

/** Programs whose first operand is a script, unless an option gives one. */
interface ScriptSyntax {
  readonly programs: RegExp;
  /** Options that are followed by another script, or by a file with one. */
  readonly script: RegExp;
  /** Options that are followed by one word of data, or hold it, and by two. */
  readonly value: RegExp;
  readonly values?: RegExp;
}

const scriptSyntaxes: readonly ScriptSyntax[] = [
  { programs: /^[gmn]?awk$/, script: /^(?:-[feEil]|--(?:file|source|exec))$/, value: /^-[vF]/ },
  { programs: /^g?sed$/, script: /^(?:-[nrsuzE]*[ef]|--(?:expression|file))$/, value: /^(?:-l|--line-length)$/ },
  {
    programs: /^(?:jq|yq|gojq)$/,
    script: /^(?:-f|--from-file)$/,
    value: /^(?:-L|--indent)$/,
    values: /^--(?:arg|argjson|slurpfile|rawfile)$/,
  },
];

/** Options may stand behind operands. An option that is not known here may hold a script. */
function ofScriptProgram(words: readonly string[], { script, value, values }: ScriptSyntax): readonly string[] {
  const code: string[] = [];
  const operands: string[] = [];
  let isTold = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!/^-./.test(word)) operands.push(word);
    else if (values?.test(word)) index += 2;
    else if (value.test(word)) index += word.length > 2 && !word.startsWith('--') ? 0 : 1;
    else {
      code.push(word);
      // Behind an operand, some programs take it as a file, and the operand as the script.
      isTold ||=
        operands.length === 0 && (script.test(word) || /^--(?:expression|file|source|exec|from-file)=/.test(word));
      if (script.test(word)) code.push(words[++index] ?? '');
    }
  }
  return isTold ? code : [...code, ...operands.slice(0, 1)];
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

/** Programs whose arguments may all be commands. */
const takesCommands = /^(?:socat|tmux|screen|less|more|most|g?make)$/;

/** Programs that take commands from their input, even for a shell. */
const obeysInput = /^(?:at|batch|crontab|ed|ex|red|dc|m4|gnuplot|mongosh|mongo|duckdb|gdb|sftp|ftp)$/;
