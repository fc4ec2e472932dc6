import type { ReadCommand } from '../../guard/command/command-reading.ts';
import { baseName } from '../../guard/command/paths.ts';
import { interpreterOf, isShell } from '../../guard/command/programs.ts';
import { codeOptions, findsNames, inputNames, obeysInput, readsMake, takesCommands } from './code-options.ts';

export type CommandWords = Pick<ReadCommand, 'program'> & { readonly words: readonly string[] };

/** What of a command's words a program runs, or reads as a program, rather than takes as data. */
export interface CodeWords {
  readonly code: readonly string[];
  /** What comes in is code, too. */
  readonly readsInput: boolean;
}

/** Knows the usual programs; of those that it does not know, all words are data. */
export function codeWords(command: CommandWords): CodeWords {
  const { program, words } = command;
  const own = ownCodeWords(command);
  if (!carriers.has(program)) return own;
  const carried = words.flatMap((word, index) => {
    const inner = baseName(word);
    return isRunner(inner) ? [ownCodeWords({ program: inner, words: words.slice(index + 1) })] : [];
  });
  return {
    code: [...own.code, ...carried.flatMap(({ code }) => code)],
    readsInput: own.readsInput || carried.some(({ readsInput }) => readsInput),
  };
}

/** Programs that run another one somewhere else, which is named among their words. */
const carriers: ReadonlySet<string> = new Set(
  `docker podman nerdctl kubectl oc lxc incus machinectl vagrant adb flatpak distrobox toolbox su runuser poetry pipenv pdm
  uv conda mamba nix nix-shell bundle hatch rye`.split(/\s+/),
);

function isRunner(program: string): boolean {
  return isShell(program) || interpreterOf(program) !== undefined;
}

function ownCodeWords({ program, words }: CommandWords): CodeWords {
  const language = interpreterOf(program);
  if (databases.has(program)) return ofDatabase(program, words);
  if (takesCommands.has(program)) return data(words);
  if (obeysInput.has(program)) return { code: optionValues(program, words), readsInput: true };
  if (isShell(program) || language !== undefined) return ofInterpreter(language ?? program, words);
  if (/^[gmn]?awk$/.test(program)) return data(scriptOf(words, awkSyntax));
  if (program === 'sed' || program === 'gsed') return data(scriptOf(words, sedSyntax));
  if (program === 'jq' || program === 'yq' || program === 'gojq') return data(scriptOf(words, jqSyntax));
  if (program === '.' || program === 'source') {
    const [file = ''] = words;
    return { code: [file], readsInput: inputNames.has(file) };
  }
  if (readsMake.has(program) || findsNames.has(program)) return data(namesIn(program, words));
  return data(optionValues(program, words));
}

function data(code: readonly string[]): CodeWords {
  return { code, readsInput: false };
}

/** Up to its program, nothing that an interpreter is given may be chosen by a value; what comes behind it is data. */
function ofInterpreter(program: string, words: readonly string[]): CodeWords {
  // With these it opens what it is given as files, and runs what ends in a bar.
  if (program === 'perl' && words.some((word) => /^-[a-zA-Z]*[np]/.test(word))) return data(words);
  let index = 0;
  let hasCode = false;
  for (; index < words.length; ) {
    const word = words[index] ?? '';
    if (!word.startsWith('-') || word === '-' || word === '--') break;
    const takesCode = !(program === 'node' && /^(?:-r|--require|--import|--loader)$/.test(word)) && isCodeOption(word);
    hasCode ||= takesCode || /^--(?:eval|print|execute|command|expression)=/.test(word);
    index += takesCode || /^(?:-r|--require|--import|--loader)$/.test(word) ? 2 : 1;
  }
  if (hasCode) return { code: words.slice(0, index), readsInput: false };
  if (words[index] === '--') index += 1;
  // `deno run file`, where the verb stands before the program.
  const isVerb = /^(?:deno|bun)$/.test(program) && /^(?:run|eval|x|test)$/.test(words[index] ?? '');
  const end = index + (isVerb ? 2 : 1);
  const named = words[end - 1];
  return { code: words.slice(0, end), readsInput: named === undefined || inputNames.has(named) };
}

function isCodeOption(word: string): boolean {
  return /^-[a-zA-Z]*[cemEprxBR]$|^--(?:eval|print|execute|command|expression)$/.test(word);
}

const databases: ReadonlySet<string> = new Set(['sqlite3', 'psql', 'mysql', 'mariadb']);

function ofDatabase(program: string, words: readonly string[]): CodeWords {
  const options = optionValues(program, words);
  if (program !== 'sqlite3') {
    const isTold = words.some((word) => /^-[a-zA-Z]*[cfe]|^--(?:command|file|execute)/.test(word));
    return { code: options, readsInput: !isTold };
  }
  // The first is the file, all others are SQL.
  const [, ...statements] = words.filter((word) => !word.startsWith('-'));
  return { code: [...options, ...statements], readsInput: statements.length === 0 };
}

/** How a program is written whose first operand is a script, unless an option gives it. */
interface ScriptSyntax {
  /** Options that another script, or a file with one, follows. */
  readonly script: RegExp;
  /** Options that so many other words follow. */
  readonly values: readonly (readonly [option: RegExp, count: number])[];
}

const awkSyntax: ScriptSyntax = { script: /^(?:-[feEil]|--(?:file|source|exec))$/, values: [[/^-[vF]$/, 1]] };
const sedSyntax: ScriptSyntax = {
  script: /^(?:-[nrsuzE]*[ef]|--(?:expression|file))$/,
  values: [[/^(?:-l|--line-length)$/, 1]],
};
const jqSyntax: ScriptSyntax = {
  script: /^(?:-f|--from-file)$/,
  values: [
    [/^--(?:arg|argjson|slurpfile|rawfile)$/, 2],
    [/^(?:-L|--indent)$/, 1],
  ],
};

function scriptOf(words: readonly string[], { script, values }: ScriptSyntax): readonly string[] {
  const code: string[] = [];
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (!word.startsWith('-') || word === '-') break;
    if (script.test(word)) {
      code.push(words[index + 1] ?? '');
      index += 1;
    } else if (/^--(?:expression|file|source|exec|from-file)=/.test(word)) code.push(word);
    else index += values.find(([option]) => option.test(word))?.[1] ?? 0;
  }
  return code.length > 0 ? code : words.slice(index, index + 1);
}

/** What names a variable to a builtin of the shell, which may compute it; all that make is given. */
function namesIn(program: string, words: readonly string[]): readonly string[] {
  if (readsMake.has(program)) return words;
  if (!/^(?:export|declare|typeset|local|readonly)$/.test(program)) return words;
  if (words.some((word) => /^-[a-zA-Z]*[in]/.test(word))) return words;
  return words.map((word) => word.split('=', 1)[0] ?? '');
}

function optionValues(program: string, words: readonly string[]): readonly string[] {
  const options = codeOptions.get(program) ?? [];
  // Behind what git is told to do, the same letter means something else.
  const verb = program === 'git' ? words.findIndex((word, at) => !word.startsWith('-') && words[at - 1] !== '-c') : -1;
  return words.flatMap((word, index) => {
    const found = options.find((option) => word === option || word.startsWith(valueStart(option)));
    if (found === undefined || (found === '-c' && verb !== -1 && index > verb)) return [];
    return word === found ? words.slice(index + 1, index + 2) : [word];
  });
}

/** `--rsh=ssh`, `-eSSH` */
function valueStart(option: string): string {
  return option.startsWith('--') ? `${option}=` : option;
}
