import { baseName, type CommandKind, type ReadCommand } from '../../guard/command/command-reading.ts';
import { readCommands } from '../../guard/command/read-commands.ts';
import { interpreterOf, isPowerfulVariable, isShell } from '../../guard/command/risks.ts';
import { isAmong, isTold, type ShellWord } from '../../guard/command/shell-words.ts';
import { marksIn } from '../parameters.ts';

/**
 * The placeholders of a masked text, by index, that could become a part of what its programs run, and why; or a doubt
 * about the whole text. A program that runs code takes values only in its plain forms. If it has another form, and its
 * code may come from elsewhere in the text, nothing in the text takes values.
 */
export function placeholdersInCode(text: string): ReadonlyMap<number, string> | string {
  const { commands, innerTexts, findings } = readCommands(text);
  const doubt = findings.flatMap(({ of }) => of).find((what) => /syntax|quotes|deep|long|many/.test(what));
  if (doubt !== undefined) return doubt;
  const refused = new Map<number, string>();
  const refuse = (where: string, reason: string): void => {
    for (const mark of marksIn(where)) if (!refused.has(mark)) refused.set(mark, reason);
  };
  for (const inner of innerTexts) refuse(inner, asCode('sh'));
  const isFed = commands.some(
    ({ upstream, redirects }) => upstream.length > 0 || redirects.some(({ operator }) => operator.startsWith('<')),
  );
  const isHanded = commands.some(
    ({ program, assignments }) =>
      isAmong(program, 'find fd fdfind xargs parallel entr set export read mapfile readarray getopts') ||
      findings.some(({ of }) => of.includes('a function')) ||
      assignments.some(({ value }) => value === undefined || marksIn(value.text).length > 0),
  );
  const isSet = /(?<!\$\{?)\b(?:HOME|KEYTURN_PLUGIN_DIR|DATABASE_URL)\b/.test(text);
  const place: Surroundings = { isHanded, trusted: isSet ? /(?!)/ : ownVariable };
  for (const command of commands) {
    const { program, programPath, words, isWrapper, isOpaque } = command;
    refuse(programPath ?? program, isProgram);
    const isOpen = programPath === undefined && /[$`%]/.test(program);
    if (isHanded && (isOpen || program.search(handed) !== -1)) refuse(text, isProgram);
    const does = (kind: CommandKind) =>
      command.findings.some((found) => found.kind === kind && found.of[0] === program);
    const isHidden = isOpaque && does('hidden_code') && !isShell(program) && !isAmong(program, '. source');
    // Where a wrapper's program begins is not certain.
    const isUnsure = isOpaque && isWrapper && does('unknown') && program !== 'find';
    if (!isHidden && !isUnsure && hasPlainForm(command, place)) continue;
    for (const word of words) refuse(word.text, asCode(program));
    if (isHidden || isFed || !words.every(isTold)) refuse(text, asCode(program));
  }
  return refused;
}

const isProgram = 'is where a program is named: a value must not choose what runs. Name the program in the command.';

function asCode(program: string): string {
  const language = isShell(program) ? 'sh' : (interpreterOf(program) ?? program);
  const [, advice] = advices.find(([programs]) => programs.test(language)) ?? [];
  return `could become a part of what ${program} runs: a value there would be code. ${advice}`;
}

const advices: readonly (readonly [programs: RegExp, advice: string])[] = [
  [/^(?:sh|ssh|eval)$/, `Pass it behind the code: sh -c 'echo "$1"' sh {{x}}. What ssh runs can read it as input.`],
  [/awk$/, "Pass it as a variable: awk -v x={{x}} '{ print x }'."],
  [/^jq$/, "Pass it as a variable: jq --arg x {{x}} '.[$x]'."],
  [/^psql$/, "Pass it as a variable, psql -v x={{x}} -f query.sql, and write :'x' in the file."],
  [/^printf$/, "Pass it behind the format: printf '%s\\n' {{x}}."],
  [/^(?:export|declare|typeset|local|readonly|read)$/, 'Set a variable as x={{x}}, and use that.'],
  [/^/, 'Put the code into a script file that reads its arguments, and run that: python3 script.py {{x}}.'],
];

interface Surroundings {
  /** Values may come to a command by its input or by a variable. */
  readonly isHanded: boolean;
  /** Words with a variable of the operator's, which are fixed all the same. */
  readonly trusted: RegExp;
}

const ownVariable = /^\$\{?(?:(?:HOME|KEYTURN_PLUGIN_DIR)\}?\/[^$`]*|DATABASE_URL\}?)$/;

/** Whether a program gets code, if any, from fixed words alone, and values as data. Unlisted programs run no code. */
function hasPlainForm({ program, words }: ReadCommand, surroundings: Surroundings): boolean {
  const shapes = words.map((word) => shapeOf(word, surroundings));
  const isPlain = (name: string, given: readonly string[]): boolean => {
    const form = forms.get(name) ?? forms.get(interpreterOf(name) ?? '');
    return form === undefined || form.test(given.map((shape) => ` ${shape}`).join(''));
  };
  if (isAmong(program, 'env sudo doas') && shapes.some(setsPower)) return false;
  if (!isPlain(program, shapes)) return false;
  if (!carriers.has(program)) return true;
  return words.every(({ text }, index) => {
    const inner = baseName(text);
    return (!isShell(inner) && interpreterOf(inner) === undefined) || isPlain(inner, shapes.slice(index + 1));
  });
}

/** They run another program somewhere else, which their words name. */
const carriers: ReadonlySet<string> = new Set(
  `docker podman nerdctl kubectl oc lxc incus machinectl vagrant adb flatpak distrobox toolbox su runuser poetry pipenv
  pdm uv conda mamba nix nix-shell bundle hatch rye`.split(/\s+/),
);

function setsPower(word: string): boolean {
  const [name = '', value] = word.split('=', 2);
  return value?.includes(mark) === true && isPowerfulVariable(name);
}

const mark = '¤';
const unknown = '¿';
/** The signs for what a program is handed. */
const handed = /\{(?:[\d./#%]*|found)\}/g;

/** A word without blanks, with signs for values and for what is only known when it runs. */
function shapeOf(word: ShellWord, { isHanded, trusted }: Surroundings): string {
  const { text, isKnown, beginning } = word;
  const marked = (isHanded ? text.replace(handed, mark) : text).replace(/[\ue000-\uf8ff]+/g, mark);
  const isFixed = isKnown || trusted.test(text);
  const holdsValue = marked.includes(mark) || (isHanded && !isTold(word));
  const shape = isFixed ? marked : `${beginning}${unknown}${holdsValue ? mark : ''}`;
  return shape.replace(/\s/g, '_') || '_';
}

/** In forms: a fixed operand · the path of a script · any operand. */
const kinds: Readonly<Record<string, string>> = {
  '{code}': String.raw`(?!-)[^¤¿ ]+(?!\S)`,
  '{file}': String.raw`(?!-|\S*(?:stdin|/fd/))[^¤¿ ]*[./][^¤¿ ]*(?!\S)`,
  '{any}': String.raw`(?:[^- ]\S*|-)`,
};

/**
 * The plain forms of programs that run code, as patterns of their words, each after a blank. After `!`: options whose
 * values run or name programs, and take no `{{x}}`. An empty form: no plain one.
 */
const forms: ReadonlyMap<string, RegExp> = new Map(
  String.raw`
  sh bash dash ash zsh ksh mksh rbash|(?: -[euxl]+| -[eux]*o pipefail)*(?: -[euxl]*c {code}(?! -)| {file}).*
  python python2 python3 pypy ipython|(?: -[uBEsSO]+| -W \w+)*(?: -[cm] {code}(?!(?: -\S*)* -(?:\S*¤|\w*[cm] ))| {file}).*
  node nodejs|(?: --[\w-]+=[^¤¿ ]*| --(?:no-[\w-]+|experimental-(?:strip|transform)-types|enable-source-maps)| -r {code}| --(?:require|import) {code})* {file}.*| -\w*e {code}[^¤]*
  ruby lua julia Rscript groovy| {file}.*| -\w*e {code}[^¤]*
  perl| {file}(?!.* -[a-zA-Z]*[np]).*| -\w*e {code}[^¤]*
  php| (?:artisan(?!\S)|{file}).*
  luajit tclsh expect pwsh powershell ts-node tsx racket guile osascript fish csh tcsh . source
    elixir iex clojure clj octave kotlin yash posh nu xonsh elvish| {file}.*
  sbcl swift|(?: --script)? {file}.*| run {code}.*
  deno bun|(?: run)?(?: -[Aq]| --(?:allow|deny|no|unstable)-[\w-]+(?:=[^¤¿ ]*)?)* {file}.*
  java scala|(?: -[XD][^¤¿ ]*| -(?:cp|classpath) {code})*(?: -jar)? {file}.*
  awk gawk mawk nawk|(?: -F ?\S+| -v ?\w+=\S*)*(?:(?: -f {code})+| {code})(?: {any})*
  sed gsed|(?: -[nErsuz]*(?:i[^¤¿ ]*)?)*(?:(?: -[nErsuz]*[ef] {code})+| {code})(?: {any}| -[nErsuzi]+)*
  jq yq gojq|(?:{jq})*(?: -f)? {code}(?: {any}|{jq})*
  psql|(?=.* -[fc] {code})(?: {code}| -[fcdhUp] {code}| -v \w+=\S*| -[qAtX]+)*
  sqlite3|(?: -(?:readonly|json|csv|line|box|header|batch))* {code} {code}
  mysql mariadb|[^¤¿]* -e {code}[^¤¿]*
  export|(?: \w+(?:=\S*)?)*
  eval trap alias|[^¤¿]*
  let unset read declare typeset local readonly getopts mapfile readarray enable bind complete compgen hash fc socat
    tmux screen less more most make gmake|[^¤]*
  R irb ghci emacs vim vi nvim ed ex red gdb duckdb mongo mongosh at batch crontab dc m4 gnuplot
    sftp ftp erl jshell|
  git|(?!(?: -[cC] \S+| --(?:git-dir|work-tree|namespace) \S+| -\S*)* -c ?\S*¤)(?!.* (?:-O|--(?:config|exec|upload|receive|extc|open)[\w-]*[ =])\S*¤).*
  tar bsdtar|! -\w*[IF] --(?:use-comp|to-comm|checkpoint-a|info-s|rsh-c)[\w-]*
  rsync|! -\w*e --rsh --rsync-path
  ssh scp|! -\w*[oFS]
  curl|! -\w*K --config
  wget|! -\w*e --execute --config --use-askpass
  sort|! --compress-prog\w*
  man|! -\w*[PH] --pager --html
  zip|! -TT --unzip-command
  docker podman nerdctl|! --entrypoint
  printf| [^-¤¿]\S*|(?!(?: --| -v)? \S*¤).*
  test [| -[^vR] ¤ ¿¤|(?!.* (?:-[vR]|¤) \S*¤).*
  rg|! --pre
  nc ncat|! -\w*[ec] --exec --sh-exec --lua-exec`
    .trim()
    .split(/\n {2}(?! )/)
    .flatMap((row) => {
      const [programs = '', form = ''] = row.split(/\|(.*)/s);
      const options = form.startsWith('!') ? form.slice(2).split(' ').join('|') : undefined;
      const written = options === undefined ? form || '(?!)' : String.raw`(?!.* (?:${options})[ =]?\S*¤).*`;
      const jq = String.raw` -[rcnesSMCaj]+| --(?:(?:raw|compact|join|ascii|color)-output|slurp|null-input|raw-input|exit-status|sort-keys|tab)| --(?:arg|argjson|slurpfile|rawfile) \w+ \S+`;
      const pattern = written.replaceAll('{jq}', jq).replace(/\{\w+\}/g, (kind) => kinds[kind] ?? kind);
      return programs
        .trim()
        .split(/\s+/)
        .map((program) => [program, new RegExp(`^(?:${pattern})$`)] as const);
    }),
);
