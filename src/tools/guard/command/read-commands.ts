import { posix } from 'node:path';
import { type Command, forEachChild, parse, type Redirection, type SyntaxNode } from 'unbash';
import {
  baseName,
  type CommandReading,
  type Finding,
  finding,
  isHarmlessVariable,
  isReadOnlyCommand,
  printedWord,
  type ReadAssignment,
  type ReadCommand,
  type ReadRedirect,
} from './command-reading.ts';
import { type InnerCommands, innerCommands } from './inner-commands.ts';

import { interpreterOf, isShell, risksOf } from './risks.ts';
import {
  anyWord,
  expand,
  heldText,
  isAmong,
  isTold,
  knownWord,
  type ShellWord,
  valuesOf,
  writtenWord,
} from './shell-words.ts';

/** The most that is read: characters of a text and of all nested ones together, commands, and values of a variable. */
const most = { text: 32_768, allText: 262_144, commands: 2_000, values: 8 };
/** Nesting limits: texts in a text, programs that run each other, and syntax nodes. */
const deepest = { texts: 6, programs: 10, nodes: 300 };

/**
 * Reads a shell script, and never throws: what cannot be read is reported as unknown. Parses the script and lists its
 * simple commands in order, with all that they run because of their arguments: programs behind `sudo` or `find -exec`,
 * scripts of `sh -c`. Fills in the words as far as the script itself tells.
 */
export function readCommands(text: string): CommandReading {
  const walk = new Walk();
  try {
    if (text.length > most.text) walk.leaveOut('a very long text');
    else walk.read(text, { via: [], upstream: [], filledIn: [], folders: [], texts: 0, nodes: 0 });
  } catch (thrown) {
    // How deep the parser can go depends on the free stack.
    if (!(thrown instanceof RangeError)) throw thrown;
    walk.leaveOut('deep nesting');
  }
  const { innerTexts, isLeftRunning, isWhole } = walk;
  const findings = [...walk.doubts].map((doubt) => finding('unknown', doubt));
  return { text, commands: [...walk.commands, ...walk.alternatives], innerTexts, isLeftRunning, isWhole, findings };
}

/** A command as written. Its name is the first word. */
type WrittenCommand = Pick<ReadCommand, 'words' | 'assignments' | 'redirects'>;

interface CallSite extends Pick<ReadCommand, 'via' | 'upstream' | 'folders'> {
  /** The commands whose output becomes part of it. */
  readonly filledIn: readonly ReadCommand[];
  /** How many texts and syntax nodes it is in. */
  readonly texts: number;
  readonly nodes: number;
}

/** One pass over a text and its nested texts. */
class Walk {
  readonly commands: ReadCommand[] = [];
  /** The same commands with other values of their variables. */
  readonly alternatives: ReadCommand[] = [];
  readonly innerTexts: string[] = [];
  readonly doubts = new Set<string>();
  isLeftRunning = false;
  isWhole = true;
  readonly #values = new Map<string, readonly string[] | 'unknown'>();
  readonly #folders: string[] = [];
  #length = 0;

  read(text: string, site: CallSite): void {
    this.#length += text.length;
    if (site.texts > deepest.texts) this.leaveOut('deep nesting');
    else if (this.#length > most.allText) this.leaveOut('very many commands');
    else this.#visit(parse(text), site);
  }

  leaveOut(doubt: string): void {
    this.isWhole = false;
    this.doubts.add(doubt);
  }

  #visit(node: SyntaxNode, around: CallSite): void {
    const isLong = this.commands.length > most.commands;
    // The parser reads the inside again at each level.
    if (isLong || around.nodes >= deepest.nodes) {
      this.leaveOut(isLong ? 'very many commands' : 'deep nesting');
      return;
    }
    const doubt = doubtOf(node);
    if (doubt !== undefined) this.doubts.add(doubt);
    let site = { ...around, nodes: around.nodes + 1 };
    if (node.type === 'Pipeline') {
      for (const stage of node.commands) {
        const begin = this.commands.length;
        this.#visit(stage, site);
        site = { ...site, upstream: [...site.upstream, ...this.commands.slice(begin)] };
      }
    } else this.#enter(node, site);
  }

  #enter(node: SyntaxNode, site: CallSite): void {
    const begin = this.commands.length;
    if (node.type === 'For' || node.type === 'Select')
      for (const { name, value } of this.#loopValues(node)) this.#set(name, value);
    forEachChild(node, (child) => this.#visit(child, site));
    // dash reads it as two subshells, and runs what is in it.
    if (node.type === 'ArithmeticCommand') this.read(node.body, { ...site, texts: site.texts + 1 });
    const here = { ...site, filledIn: this.commands.slice(begin), folders: [...this.#folders] };
    for (const [choice, written] of this.#written(node).entries()) {
      this.#call(written, here, choice === 0 ? this.commands : this.alternatives);
      if (choice === 0) this.#remember(written);
    }
    if (node.type === 'Statement' && node.background === true) this.isLeftRunning = true;
  }

  /** Adds a command and the commands that it runs. */
  #call({ words, assignments, redirects }: WrittenCommand, site: CallSite, into: ReadCommand[]): void {
    const { via, upstream, folders } = site;
    const [name, ...args] = words;
    const programPath = name === undefined ? '' : name.isKnown ? name.text : undefined;
    const program = baseName(name?.text ?? '');
    const isTooDeep = via.length > deepest.programs;
    if (isTooDeep) this.leaveOut('deep nesting');
    const inner = isTooDeep ? tooDeep : innerCommands(program, args, { redirects, upstream });
    const isWrapper = inner.calls.length + inner.texts.length > 0;
    const isOpen = isOpenCommand(program, args, assignments);
    const isOpaque = programPath === undefined || inner.isOpaque || isOpen;
    const of = { assignments, redirects, via, upstream, folders };
    const base = { program, programPath, words: args, isWrapper, isOpaque, ...of };
    const risks = [...risksOf(base), ...inner.findings];
    const findings = [...risks, ...downloaded(program, risks, site)];
    const isRead = isWrapper || program === '' || isAmong(program, ownMatters);
    const isClear = findings.length > 0 || isRead || isReadOnlyCommand({ ...base, findings });
    const isSure = isClear && programPath !== undefined && !isOpen;
    into.push({ ...base, findings: isSure ? findings : [...findings, finding('unknown', program)] });

    const gone = program === 'env' ? valuesOf(args, 'C', 'chdir').map(({ text }) => text) : [];
    const inside = { ...site, filledIn: [], via: [...via, program], folders: [...folders, ...gone] };
    for (const call of inner.calls) this.#call({ words: call, assignments: [], redirects: [] }, inside, into);
    this.innerTexts.push(...inner.texts);
    for (const text of inner.texts) this.read(text, { ...inside, texts: site.texts + 1 });
  }

  /** The command of this node itself, once for each value that its variables may have. Compound nodes have none. */
  #written(node: SyntaxNode): readonly WrittenCommand[] {
    const bare = { words: [], assignments: [], redirects: [] };
    switch (node.type) {
      case 'Redirected':
        return [{ ...bare, redirects: this.#redirects(node.redirects, 0) }];
      case 'For':
      case 'Select': {
        const assignments = [{ name: node.name.value, value: anyWord('') }, ...this.#loopValues(node)];
        return [{ ...bare, assignments }];
      }
      case 'Command': {
        const first = this.#simpleCommand(node, 0);
        const all = [...first.words, ...first.redirects.map(({ target }) => target)];
        if (all.every(({ isKnown }) => isKnown)) return [first];
        const held = [...this.#values.values()].map((values) => (values === 'unknown' ? 1 : values.length));
        const others = Array.from({ length: Math.max(1, ...held) - 1 }, (_, index) => index + 1);
        return [first, ...others.map((choice) => this.#simpleCommand(node, choice))];
      }
      default:
        return [];
    }
  }

  #simpleCommand({ name, args, prefix, redirects }: Command, choice: number): WrittenCommand {
    const assignments = prefix.flatMap((part): readonly ReadAssignment[] => {
      if (part.type !== 'Assignment') return [];
      if (part.value.type !== 'Word') return [{ name: part.name }];
      const value = writtenWord(part.value);
      const text = part.append === true || part.index !== undefined ? undefined : heldText(part.value, this.#values);
      if (value.isKnown && text !== undefined) return [{ name: part.name, value }];
      const filled = text === undefined ? 'open' : 'worked-out';
      return [{ name: part.name, value: { ...value, isKnown: false, text: text ?? value.text, filled } }];
    });
    const words = [...(name === undefined ? [] : [name]), ...args].flatMap((node) =>
      node.type === 'Word' ? expand(node, this.#values, choice) : [writtenWord(node)],
    );
    return { words, assignments, redirects: this.#redirects(redirects, choice) };
  }

  #redirects(redirections: readonly Redirection[], choice: number): readonly ReadRedirect[] {
    return redirections.map((redirection) => {
      const { operator } = redirection;
      if (redirection.type !== 'HereDoc') {
        const { target } = redirection;
        return { operator, target: (target && expand(target, this.#values, choice)[0]) ?? anyWord('') };
      }
      const { body, delimiter } = redirection;
      const isKnown = delimiter?.quoted === true || (body.parts ?? []).every((part) => part.type === 'Literal');
      return { operator, target: isKnown ? knownWord(body.text) : anyWord(body.text) };
    });
  }

  /** Remembers what affects later commands: variables, arguments, the folder. */
  #remember({ words, assignments }: WrittenCommand): void {
    for (const { name, value } of assignments)
      if (value === undefined || value.text !== '' || value.isKnown) this.#set(name, value);
    const [name, ...args] = words.slice(words.findIndex(({ text }) => !isAmong(text, 'command builtin')));
    const program = name?.text ?? '';
    const first = args[0]?.text ?? '';
    if (isAmong(program, 'export declare typeset local readonly')) {
      for (const word of args) {
        const [, variable, text = ''] = /^(\w+)\+?=(.*)$/s.exec(word.text) ?? [];
        if (variable !== undefined) this.#set(variable, { ...word, text });
      }
    } else if (isAmong(program, 'read getopts mapfile readarray') || (program === 'printf' && first === '-v')) {
      for (const { text } of args) this.#values.set(text, 'unknown');
    } else if (program === 'shift') this.#values.set('@', 'unknown');
    else if (program === 'set' && (first === '--' || (first !== '' && !first.startsWith('-')))) {
      const given = first === '--' ? args.slice(1) : args;
      this.#values.set('@', given.every(isTold) ? given.map(({ text }) => text) : 'unknown');
    } else if (isAmong(program, 'cd pushd')) {
      const folder = args.find(({ text }) => !text.startsWith('-'))?.text ?? '~';
      this.#folders.push(/^[/~$]/.test(folder) ? folder : posix.join(this.#folders.at(-1) ?? '', folder));
    }
  }

  #loopValues(node: Extract<SyntaxNode, { type: 'For' | 'Select' }>): readonly ReadAssignment[] {
    const name = node.name.value;
    if (node.wordlist === undefined) return [{ name, value: anyWord('"$@"') }];
    return node.wordlist.flatMap((word) => expand(word, this.#values)).map((value) => ({ name, value }));
  }

  #set(name: string, value: ShellWord | undefined): void {
    const held = this.#values.get(name) ?? [];
    const isUnknown =
      value === undefined || value.filled === 'open' || held === 'unknown' || held.length >= most.values;
    this.#values.set(name, isUnknown ? 'unknown' : [...new Set([value.text, ...held])]);
  }
}

const tooDeep: InnerCommands = { calls: [], texts: [], findings: [finding('unknown', 'deep nesting')], isOpaque: true };

/** What these run is found in their arguments. */
const ownMatters = 'eval exec command builtin trap alias';

/** Whether a word that is known only at run time may change what it does. */
function isOpenCommand(program: string, words: readonly ShellWord[], assignments: readonly ReadAssignment[]): boolean {
  if (assignments.some(({ name }) => /^(?:IFS|PATH|ENV|BASH_ENV|LD_\w+)$/.test(name))) return true;
  if (isAmong(program, 'git exec busybox toybox docker systemctl')) return words[0]?.filled === 'open';
  return isAmong(program, 'rm grm find dd') && words.some(({ filled }) => filled === 'open');
}

/** Hidden code that may come from the network. */
function downloaded(program: string, findings: readonly Finding[], site: CallSite): readonly Finding[] {
  const takesCode = isShell(program) || interpreterOf(program) === program || isAmong(program, 'eval source . xargs');
  if (!takesCode || !findings.some(({ kind }) => kind === 'hidden_code' || kind === 'unknown')) return [];
  const sources = [...site.upstream, ...site.filledIn].flatMap((source) => source.findings);
  return sources.some(({ kind }) => kind === 'network') ? [finding('downloaded_code')] : [];
}

/**
 * Why what runs may differ from what is read: the shell computes something, or shells read the text differently (sh on
 * Debian is dash). Undefined if neither.
 */
function doubtOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Script':
      return node.errors?.[0] && `a mistake in its syntax: ${node.errors[0].message}`;
    case 'Function':
      return 'a function';
    case 'Coproc':
      return 'a coprocess';
    case 'ArithmeticCommand':
      return 'arithmetic';
    case 'ArithmeticWord':
      // A variable in arithmetic may hold an index that runs a command: only plain numbers are certain.
      return /^(?:\d+#)?\d[\da-fx]*$/i.test(node.value) ? undefined : 'arithmetic with variables';
    case 'ParameterExpansion': {
      const { prefix, index, operation, parameter } = node;
      if (prefix === '!') return 'a variable that names another';
      if (isComputed(index?.value)) return 'a list with a computed index';
      if (operation?.type === 'Transform' || operation?.type === 'Unknown') return 'a variable that is read as code';
      const isSet = operation?.type === 'Default' && operation.operator.endsWith('=');
      if (isSet && !isHarmlessVariable(parameter)) return 'a variable that changes what runs';
      if (operation?.type !== 'Slice') return undefined;
      const isPlain = [operation.offset, operation.length].every((word) => /^\s*-?\d+$/.test(word?.value ?? '0'));
      return isPlain ? undefined : 'arithmetic with variables';
    }
    case 'Assignment':
      return isComputed(node.index?.value) ? 'a list with a computed index' : undefined;
    case 'CommandExpansion': {
      // What it prints is not worked out, and may be any word.
      const [statement, ...more] = node.script?.commands ?? [];
      const name =
        statement?.command.type === 'Command' && more.length === 0 ? statement.command.name?.value : undefined;
      if (isAmong(name ?? '', 'echo printf') && /\\|(?<!\w)\//.test(node.text)) return 'a path that a command prints';
      return isAmong(name ?? '', 'echo printf which command') ? printedWord : undefined;
    }
    case 'HereDocDelimiter':
      // If shells disagree on the delimiter, one runs what the other reads as text.
      return /^(?:\\?[\w.-]+|'[\w.-]+'|"[\w.-]+")$/.test(node.text) ? undefined : 'quotes that shells read differently';
    case 'AnsiCQuoted':
      // If the other shell ends the string here, another command may begin.
      return node.text.includes("\\'") ? 'quotes that shells read differently' : undefined;
    case 'TestCommand': {
      // Inside `[[ ]]`, dash sees redirections and further commands; bash evaluates numeric comparisons.
      const { expression } = node;
      const isPlain =
        (expression.type === 'TestUnary' && /^-[a-hknpr-uwxzGLNOS]$/.test(expression.operator)) ||
        (expression.type === 'TestBinary' && ['=', '==', '!='].includes(expression.operator));
      return isPlain ? undefined : 'a test that shells read differently';
    }
    default:
      return undefined;
  }
}

function isComputed(index = '0'): boolean {
  return !/^(?:\d+|@|\*)$/.test(index);
}
