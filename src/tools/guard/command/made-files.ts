import { baseName, isSystemProgram, type ReadCommand } from './command-reading.ts';
import { type InnerCommands, nothing } from './inner-commands.ts';
import { interpreterOf, isShell } from './risks.ts';
import { anyWord, isAmong, isTold, joined, knownWord, operandsOf, type ShellWord, valuesOf } from './shell-words.ts';

/*
 * What a text writes and then runs: `cat > x.sh <<'EOF' …; sh x.sh` runs a script that is in no file yet, but in the text.
 * And files that a text gives a name which is an option: with `-rf` among the files, `rm *` is `rm -rf …`.
 */

type MakingCommand = Pick<ReadCommand, 'program' | 'words' | 'redirects' | 'upstream'>;

export interface MadeFiles {
  /** Takes note of what a command writes, copies and links. `inside`: the commands of a group whose output it writes. */
  note(command: MakingCommand, inside: readonly MakingCommand[]): void;
  /** The commands that run because a program is, or reads, a file that the text has made. */
  commandsOf(command: RunCommand): InnerCommands;
  /** Whether a file may have been made whose name is an option. */
  hasOptionNames(): boolean;
}

/** A command that may run a file which the text has made. */
type RunCommand = Pick<ReadCommand, 'program' | 'programPath' | 'words'>;

export function createMadeFiles(): MadeFiles {
  return new WrittenFiles();
}

class WrittenFiles implements MadeFiles {
  readonly #contents = new Map<string, readonly ShellWord[]>();
  readonly #programs = new Map<string, string>();
  #hasOptionNames = false;

  note(command: MakingCommand, inside: readonly MakingCommand[]): void {
    const { program, words } = command;
    const targets = command.redirects.filter(({ operator }) => /^&?>/.test(operator)).map(({ target }) => target);
    const operands = operandsOf(words);
    const written = [...targets, ...(program === 'tee' ? operands : [])];
    const printed = written.length === 0 ? [] : program === '' ? inside.flatMap(printedBy) : printedBy(command);
    for (const path of written) this.#write(path, printed);
    for (const path of loaded(program, words)) this.#write(path, [anyWord(program)]);
    const [from, to] = copiedBy(program, words, targets);
    if (from !== undefined && to !== undefined) this.#copy(from, to);
    this.#hasOptionNames ||= [...targets, ...(isAmong(program, making) ? operands : [])].some(isOptionName);
  }

  commandsOf({ program, programPath = '', words }: RunCommand): InnerCommands {
    if (programPath.includes('/') && !isSystemProgram(programPath)) {
      const copied = this.#programs.get(program);
      const copy = copied === undefined ? [] : [[knownWord(copied), ...words]];
      const inner = ofScript(undefined, this.#contentOf(program));
      return { ...inner, calls: [...copy, ...inner.calls] };
    }
    const files = operandsOf(words).map(({ text }) => text);
    if (isShell(program) || isAmong(program, '. source')) return ofScript('sh', this.#contentOf(files[0] ?? ''));
    if (interpreterOf(program) !== undefined) return ofScript(program, this.#contentOf(files[0] ?? ''));
    if (program === 'git')
      return ofScript(
        undefined,
        gitHooks.flatMap((path) => this.#contentOf(path)),
      );
    if (!isAmong(program, makers)) return nothing;
    return ofScript(
      program,
      [...files, ...makefiles].flatMap((path) => this.#contentOf(path)),
    );
  }

  hasOptionNames(): boolean {
    return this.#hasOptionNames;
  }

  #write(path: ShellWord, content: readonly ShellWord[]): void {
    const name = baseName(path.text);
    this.#contents.set(name, [...(this.#contents.get(name) ?? []), ...content]);
  }

  #copy(from: ShellWord, to: ShellWord): void {
    this.#write(to, this.#contents.get(baseName(from.text)) ?? []);
    if (from.text.startsWith('/') && isSystemProgram(from.text))
      this.#programs.set(baseName(to.text), baseName(from.text));
    else if (!isTold(from)) this.#write(to, [from]);
  }

  /** What the text writes into files of this name, whatever their folders. Nothing if it writes none, or copies a file. */
  #contentOf(path: string): readonly ShellWord[] {
    return this.#contents.get(baseName(path)) ?? [];
  }
}

/** Programs whose operands become files. */
const making = 'touch mkdir cp mv ln install tee truncate mkfifo split rename';

const makers = 'make gmake just ninja';
const makefiles = ['Makefile', 'makefile', 'GNUmakefile', 'justfile', 'build.ninja'];

const gitHooks =
  `applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change post-merge
  post-rewrite pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase prepare-commit-msg
  reference-transaction sendemail-validate`.split(/\s+/);

/** What runs with a script. Undefined: its first line names the program, or a shell reads it. */
function ofScript(program: string | undefined, content: readonly ShellWord[]): InnerCommands {
  const [, named = 'sh'] = /^#!\s*(?:\S*\/)?(?:env\s+(?:-\S+\s+)*)?([\w.-]+)/.exec(content[0]?.text ?? '') ?? [];
  const by = program ?? named;
  const isOpaque = !content.every(isTold);
  if (isShell(by)) return { ...nothing, texts: content.map(({ text }) => text), isOpaque };
  return { ...nothing, calls: content.map((word) => [knownWord(by), word]), isOpaque };
}

function isOptionName({ text }: ShellWord): boolean {
  return /(?:^|\/)-[^/]+$/.test(text);
}

/** The file that a command copies, and where to. */
function copiedBy(program: string, words: readonly ShellWord[], targets: readonly ShellWord[]): readonly ShellWord[] {
  const operands = operandsOf(words);
  if (isAmong(program, 'cp mv ln install')) return operands.slice(-2);
  if (program === 'cat') return [...operands.slice(0, 1), ...targets].slice(0, 2);
  if (program !== 'dd') return [];
  return ['if=', 'of='].flatMap((name) => {
    const word = words.find(({ text }) => text.startsWith(name));
    return word === undefined ? [] : [{ ...word, text: word.text.slice(name.length) }];
  });
}

/** The files that a program fetches: what is in them is known only then. */
function loaded(program: string, words: readonly ShellWord[]): readonly ShellWord[] {
  if (!isAmong(program, 'curl wget')) return [];
  const named = program === 'curl' ? valuesOf(words, 'o', 'output') : valuesOf(words, 'O', 'output-document');
  return [...named, ...operandsOf(words).filter(({ text }) => text.includes('/'))];
}

/** What a command prints, as far as the text has it. */
function printedBy({ program, words, redirects, upstream }: MakingCommand): readonly ShellWord[] {
  if (program === 'echo')
    return joined(words).map((word) => (/^-[nE]*e|\\/.test(word.text) ? anyWord(word.text) : word));
  if (program === 'printf') return joined(words).map(formatted);
  if (isAmong(program, ': true')) return [];
  // A copy of a file.
  if (program === 'cat' && operandsOf(words).length > 0) return [];
  if (!isAmong(program, 'cat tee')) return [anyWord(program)];
  const here = redirects.filter(({ operator }) => operator.startsWith('<<')).map(({ target }) => target);
  return here.length > 0 ? here : upstream.flatMap(printedBy);
}

/** A format of `printf` with the words behind it. Only one of plain lines is told. */
function formatted(word: ShellWord): ShellWord {
  const text = word.text.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\t`, '\t');
  return isTold(word) && !/[%\\]/.test(text) ? { ...word, text } : anyWord(text);
}

/**
 * Whether a pattern may stand for a file whose name is an option of `rm`: `*` and `?*` may, `*.o` and `build/*` may not.
 * In quotes it is no pattern.
 */
export function mayBeOption({ text, beginning, splits, filled }: ShellWord): boolean {
  if (splits !== true || beginning !== '' || filled === 'open' || !/[*?[]|\(/.test(text)) return false;
  if (/[!@+*?]\(|\[[!^]?[[\]\\]/.test(text)) return true;
  const pattern = text.replace(/\[([!^]?)([\w-]+)\]|[^\w-]/g, (sign, isNot, letters) => {
    if (sign === '*') return '.*';
    if (sign === '?') return '.';
    return letters === undefined ? `\\${sign}` : `[${isNot === '' ? '' : '^'}${letters}]`;
  });
  return optionNames.some((name) => matchesWhole(pattern, name));
}

const optionNames = '-r -R -f -i -rf -fr -Rf -fR -rv -vrf --recursive --force'.split(' ');

/** A range that ends before it begins, or what is no pattern, is taken for one that fits. */
function matchesWhole(pattern: string, name: string): boolean {
  try {
    return new RegExp(`^${pattern}$`, 's').test(name);
  } catch {
    return true;
  }
}
