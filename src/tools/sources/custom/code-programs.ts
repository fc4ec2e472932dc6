import { baseName, type CommandKind, type ReadCommand } from '../../guard/command/command-reading.ts';
import { readCommands } from '../../guard/command/read-commands.ts';
import { interpreterOf, isPowerfulVariable, isShell } from '../../guard/command/risks.ts';
import { isAmong, isTold, type ShellWord } from '../../guard/command/shell-words.ts';
import { marksIn } from '../parameters.ts';
import type { CodeAdvice, PlaceholderFault } from './words.ts';

/**
 * The placeholders of a masked text, by index, that could become a part of what its programs run, and why; or a doubt
 * about the whole text. A program that runs code takes values only in its plain forms. If it has another form, and its
 * code may come from elsewhere in the text, nothing in the text takes values.
 */
export function placeholdersInCode(text: string): ReadonlyMap<number, PlaceholderFault> | string {
  const { commands, innerTexts, findings } = readCommands(text);
  const doubt = findings.flatMap(({ of }) => of).find((what) => /syntax|quotes|deep|long|many/.test(what));
  if (doubt !== undefined) return doubt;
  const refused = new RefusedPlaces();
  for (const inner of innerTexts) refused.add(inner, asCode('sh'));
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
    refused.add(programPath ?? program, isProgram);
    const isOpen = programPath === undefined && /[$`%]/.test(program);
    if (isHanded && (isOpen || program.search(handed) !== -1)) refused.add(text, isProgram);
    const does = (kind: CommandKind) =>
      command.findings.some((found) => found.kind === kind && found.of[0] === program);
    const isHidden = isOpaque && does('hidden_code') && !isShell(program) && !isAmong(program, '. source');
    // Where a wrapper's program begins is not certain.
    const isUnsure = isOpaque && isWrapper && does('unknown') && program !== 'find';
    if (!isHidden && !isUnsure && hasPlainForm(command, place)) continue;
    for (const word of words) refused.add(word.text, asCode(program));
    if (isHidden || isFed || !words.every(isTold)) refused.add(text, asCode(program));
  }
  return refused.faults;
}

/** The placeholders that take no value, by index. The first fault of each counts. */
class RefusedPlaces {
  readonly #faults = new Map<number, PlaceholderFault>();

  get faults(): ReadonlyMap<number, PlaceholderFault> {
    return this.#faults;
  }

  /** `where`: a piece of the masked text. */
  add(where: string, fault: PlaceholderFault): void {
    for (const mark of marksIn(where)) if (!this.#faults.has(mark)) this.#faults.set(mark, fault);
  }
}

const isProgram: PlaceholderFault = { why: 'program' };

function asCode(program: string): PlaceholderFault {
  const language = isShell(program) ? 'sh' : (interpreterOf(program) ?? program);
  const [, instead] = advices.find(([programs]) => programs.test(language)) ?? [];
  return { why: 'code', program, instead: instead ?? 'script' };
}

const advices: readonly (readonly [programs: RegExp, advice: CodeAdvice])[] = [
  [/^(?:sh|ssh|eval)$/, 'shell'],
  [/awk$/, 'awk'],
  [/^jq$/, 'jq'],
  [/^psql$/, 'psql'],
  [/^printf$/, 'printf'],
  [/^(?:export|declare|typeset|local|readonly|read)$/, 'variable'],
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
  if (isAmong(program, 'env sudo doas') && shapes.some(setsPower)) return false;
  if (!isPlain(program, shapes)) return false;
  if (!carriers.has(program)) return true;
  return words.every(({ text }, index) => {
    const inner = baseName(text);
    return (!isShell(inner) && interpreterOf(inner) === undefined) || isPlain(inner, shapes.slice(index + 1));
  });
}

/** Whether these shapes of words are in a form of the program in which it takes values as data. */
function isPlain(program: string, shapes: readonly string[]): boolean {
  const form = forms.get(program) ?? forms.get(interpreterOf(program) ?? '');
  return form === undefined || form.test(shapes.map((shape) => ` ${shape}`).join(''));
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
