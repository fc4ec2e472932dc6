import { posix } from 'node:path';
import { type Command, forEachChild, parse, type Redirection, type SyntaxNode } from 'unbash';
import {
  baseName,
  type CommandReading,
  type Finding,
  finding,
  isReadOnlyCommand,
  type ReadAssignment,
  type ReadCommand,
  type ReadRedirect,
} from './command-reading.ts';
import { createEvaluatedValues } from './evaluated-values.ts';
import { declaringWords, isOpenCommand, isUnknown, takesHiddenCode } from './hidden-code.ts';
import { innerCommands, nothing } from './inner-commands.ts';
import { createMadeFiles } from './made-files.ts';
import { interpreterOf, isShell, risksOf, writesAnywhere } from './risks.ts';
import { doubtOf } from './shell-doubts.ts';
import {
  anyWord,
  expand,
  heldText,
  heldWord,
  isAmong,
  knownWord,
  namesSystemPath,
  type ShellWord,
  type Values,
  valuesOf,
  writtenWord,
} from './shell-words.ts';
import { steeredCommands } from './steering-variables.ts';

/**
 * The most that is read: characters of a text and of all nested ones together, commands, values of a variable, choices of
 * values for a command, calls of a function with an input, and files that run one another.
 */
const most = { text: 32_768, allText: 262_144, commands: 2_000, values: 8, choices: 64, calls: 16, files: 3 };
/** How deep a command may be, and how deep a syntax node, a program that runs another, and a text in a text each go. */
const deepest = 300;
const depths = { node: 1, program: 15, text: 25 };

/** A command as written. Its name is the first word. */
type WrittenCommand = Pick<ReadCommand, 'words' | 'assignments' | 'redirects'>;

interface CallSite extends Pick<ReadCommand, 'via' | 'upstream' | 'folders'> {
  /** The commands whose output becomes part of it. */
  readonly filledIn: readonly ReadCommand[];
  /** The functions whose calls it is part of. */
  readonly inFunctions: readonly string[];
  /** How many files made by the text run one another around it. */
  readonly inFiles: number;
  readonly depth: number;
}

/**
 * Reads a shell script, and never throws: what cannot be read is reported as unknown. Parses the script and lists its
 * simple commands in order, with all that they run because of their arguments: programs behind `sudo` or `find -exec`,
 * scripts of `sh -c`. Fills in the words as far as the script itself tells: a command whose variables may have several
 * values is listed with each.
 */
export function readCommands(text: string): CommandReading {
  return new CommandReader().read(text);
}

class CommandReader {
  readonly #commands: ReadCommand[] = [];
  readonly #innerTexts: string[] = [];
  readonly #doubts = new Set<string>();
  readonly #values = new Map<string, readonly string[]>();
  readonly #folders: string[] = [];
  readonly #evaluations = createEvaluatedValues();
  readonly #made = createMadeFiles();
  readonly #functions = new Map<string, { readonly body: SyntaxNode; calls: number }>();
  #length = 0;
  /** The input that `exec` has set for all that follows. */
  #standing: readonly ReadCommand[] = [];
  #isLeftRunning = false;
  #isWhole = true;

  read(text: string): CommandReading {
    try {
      this.#read(text, { via: [], upstream: [], filledIn: [], folders: [], inFunctions: [], inFiles: 0, depth: 0 });
    } catch (thrown) {
      // How deep the parser can go depends on the free stack.
      if (!(thrown instanceof RangeError)) throw thrown;
      this.#leaveOut('deep nesting');
    }
    const doubts = this.#doubts;
    const commands = this.#commands;
    if (namesSystemPath(text) && commands.some(writesAnywhere)) doubts.add('a path of the system, and an open one');
    if (this.#made.hasOptionNames()) doubts.add('a file whose name is an option');
    if (this.#evaluations.mayRunCommand()) doubts.add('a value that is computed, and may be a command');
    const findings = [...doubts].map((doubt) => finding('unknown', doubt));
    const innerTexts = this.#innerTexts;
    return { text, commands, innerTexts, isLeftRunning: this.#isLeftRunning, isWhole: this.#isWhole, findings };
  }

  #leaveOut(doubt: string): void {
    this.#isWhole = false;
    this.#doubts.add(doubt);
  }

  #read(script: string, site: CallSite): void {
    this.#length += script.length;
    // A `#` right behind a process substitution begins no comment.
    if (/[<>]\(/.test(script) && /\)(?:\\\n)*#/.test(script)) this.#doubts.add('quotes that shells read differently');
    if (script.length > most.text || this.#length > most.allText) this.#leaveOut('a very long text');
    else this.#visit(parse(script), site);
  }

  #visit(node: SyntaxNode, around: CallSite): void {
    if (this.#isTooMuch(around)) return;
    const doubt = doubtOf(node);
    if (doubt !== undefined) this.#doubts.add(doubt);
    this.#evaluations.visit(node);
    let site = { ...around, upstream: this.#inputOf(node) ?? around.upstream, depth: around.depth + depths.node };
    if (node.type === 'Pipeline') {
      for (const stage of node.commands) {
        const begin = this.#commands.length;
        this.#visit(stage, site);
        site = { ...site, upstream: [...site.upstream, ...this.#commands.slice(begin)] };
      }
    } else this.#visitInside(node, site);
  }

  /** Whether it is left out. The parser reads the inside again at each level. */
  #isTooMuch({ depth }: CallSite): boolean {
    if (depth > deepest) this.#leaveOut('deep nesting');
    else if (this.#commands.length > most.commands) this.#leaveOut('very many commands');
    else return false;
    return true;
  }

  #visitInside(node: SyntaxNode, site: CallSite): void {
    const begin = this.#commands.length;
    if (node.type === 'Function') this.#functions.set(node.name.value, { body: node.body, calls: 0 });
    if (node.type === 'For' || node.type === 'Select')
      for (const { name, value } of this.#loopValues(node)) this.#set(name, value);
    forEachChild(node, (child) => this.#visit(child, site));
    // dash reads it as two subshells, and runs what is in it.
    if (node.type === 'ArithmeticCommand') this.#read(node.body, { ...site, depth: site.depth + depths.text });
    const here = { ...site, filledIn: this.#commands.slice(begin), folders: [...this.#folders] };
    const written = this.#writtenCommands(node);
    for (const each of written) {
      this.#call(each, here);
      this.#made.note(
        { program: each.words[0]?.text ?? '', upstream: here.upstream, ...each, words: each.words.slice(1) },
        here.filledIn,
      );
    }
    for (const each of written) this.#remember(each);
    if (node.type === 'Statement' && node.background === true) this.#isLeftRunning = true;
  }

  /** Adds a command and the commands that it runs. */
  #call({ words, assignments, redirects }: WrittenCommand, site: CallSite): void {
    if (this.#isTooMuch(site)) return;
    const { via, folders, depth } = site;
    const upstream = site.upstream.length === 0 ? this.#standing : site.upstream;
    const [name, ...args] = words;
    const programPath = name === undefined ? '' : name.isKnown ? name.text : undefined;
    const program = baseName(name?.text ?? '');
    const inner = innerCommands(program, args, { redirects, upstream });
    const steered = steeredCommands(program, args, assignments);
    const script = site.inFiles > most.files ? nothing : this.#made.commandsOf({ program, programPath, words: args });
    const further = [inner, steered, script];
    const isWrapper = inner.calls.length + inner.texts.length > 0;
    const isOpen = isUnknown(programPath, folders) || isOpenCommand(program, args, assignments);
    const isOpaque =
      isOpen || further.some((each) => each.isOpaque) || takesHiddenCode({ program, words: args, redirects, upstream });
    const of = { assignments, redirects, via, upstream, folders };
    const base = { program, programPath, words: args, isWrapper, isOpaque, ...of };
    const risks = [...risksOf(base), ...inner.findings];
    const findings = [...risks, ...downloaded(program, risks, site)];
    const isRead = isWrapper || program === '' || isAmong(program, ownMatters);
    const isClear = findings.length > 0 || isRead || isReadOnlyCommand({ ...base, findings });
    this.#commands.push({
      ...base,
      findings: isClear && !isOpen ? findings : [...findings, finding('unknown', program)],
    });

    const gone = program === 'env' ? valuesOf(args, 'C', 'chdir').map(({ text }) => text) : [];
    // `xargs` reads its input itself.
    const given = isAmong(program, 'xargs parallel') ? undefined : fromRedirects(redirects);
    const inside = {
      ...site,
      upstream: given ?? upstream,
      filledIn: [],
      via: [...via, program],
      folders: [...folders, ...gone],
    };
    for (const each of further) {
      const within = each === script ? { ...inside, inFiles: site.inFiles + 1 } : inside;
      for (const words of each.calls)
        this.#call({ words, assignments: [], redirects: [] }, { ...within, depth: depth + depths.program });
      for (const text of each.texts) this.#read(text, { ...within, depth: depth + depths.text });
    }
    this.#innerTexts.push(...inner.texts);
    this.#callFunction(program, { ...inside, depth: depth + depths.text });
  }

  /**
   * Reads a function again at its first call, when more functions are known, and for each input: a program in it may take
   * that for its code.
   */
  #callFunction(name: string, site: CallSite): void {
    const called = this.#functions.get(name);
    if (called === undefined || site.inFunctions.includes(name)) return;
    if (site.upstream.length === 0 && called.calls > 0) return;
    called.calls += 1;
    if (called.calls > most.calls) this.#doubts.add('a function with many inputs');
    else this.#visit(called.body, { ...site, inFunctions: [...site.inFunctions, name] });
  }

  /** The command of this node itself, once for each value that its variables may have. Compound nodes have none. */
  #writtenCommands(node: SyntaxNode): readonly WrittenCommand[] {
    const bare = { words: [], assignments: [], redirects: [] };
    switch (node.type) {
      case 'Redirected':
        return [{ ...bare, redirects: redirectsOf(node.redirects, this.#values) }];
      case 'For':
      case 'Select':
        return [{ ...bare, assignments: [{ name: node.name.value, value: anyWord('') }, ...this.#loopValues(node)] }];
      case 'Command':
        return this.#choicesOf(node).map((chosen) => simpleCommand(node, chosen));
      default:
        return [];
    }
  }

  /** The values that the variables of a command may have together. If those are too many, each value is among some. */
  #choicesOf({ name, args, prefix, redirects }: Command): readonly Values[] {
    const nodes = [name, ...args, ...prefix, ...redirects.map((each) => ('target' in each ? each.target : undefined))];
    const written = nodes.map((node) => (node !== undefined && 'text' in node ? node.text : '')).join(' ');
    const names = [...written.matchAll(/\$\{?(\w+)/g)].map(([, used = '']) => used);
    const varied = [...new Set(names)].flatMap((used) => {
      const held = this.#values.get(used) ?? [];
      return held.length > 1 ? [[used, held] as const] : [];
    });
    const count = varied.reduce((product, [, held]) => product * held.length, 1);
    const rows =
      count > most.choices
        ? Array.from({ length: most.values }, (_, at) =>
            varied.map(([used, held]) => [used, [held[at % held.length] ?? '']] as const),
          )
        : varied.reduce<(readonly (readonly [string, readonly string[]])[])[]>(
            (sofar, [used, held]) => sofar.flatMap((row) => held.map((value) => [...row, [used, [value]] as const])),
            [[]],
          );
    return rows.map((row) => new Map([...this.#values, ...row]));
  }

  /** The input of all that is in a node, if it has one of its own. */
  #inputOf(node: SyntaxNode): readonly ReadCommand[] | undefined {
    if (node.type === 'Redirected') return fromRedirects(redirectsOf(node.redirects, this.#values));
    // What it gets is written by the command that it is an argument of.
    return node.type === 'ProcessSubstitution' && node.operator === '>' ? [passingOn([])] : undefined;
  }

  /** Remembers what affects later commands: variables and the folder. */
  #remember({ words, assignments, redirects }: WrittenCommand): void {
    for (const { name, value } of assignments)
      if (value === undefined || value.text !== '' || value.isKnown) this.#set(name, value);
    const [name, ...args] = words.slice(words.findIndex(({ text }) => !isAmong(text, 'command builtin')));
    const program = name?.text ?? '';
    if (isAmong(program, 'export declare typeset local readonly')) {
      // Bash changes the letters of what it is told to, adds, and names other variables.
      const isChanged = args.some(({ text }) => /^[-+]\w*[aAilnuc]/.test(text));
      for (const { text, isKnown } of args) {
        const [, variable, sign = '', value = ''] = /^(\w+)(\+?=)?(.*)$/s.exec(text) ?? [];
        const isTold = isKnown && !isChanged && sign === '=';
        if (variable !== undefined && (sign !== '' || isChanged))
          this.#set(variable, isTold ? knownWord(value) : undefined);
      }
    } else if (isAmong(program, 'read getopts mapfile readarray printf unset wait')) {
      for (const { text } of args) this.#set(text, undefined);
    } else if (program === 'exec' && args.length === 0) {
      this.#standing = fromRedirects(redirects) ?? this.#standing;
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

  /** Adds a value that a variable may have. One that may have any has none, and gets none. */
  #set(name: string, value: ShellWord | undefined): void {
    const held = this.#values.get(name);
    const isOpen = value === undefined || value.filled === 'open' || held?.length === 0 || held?.length === most.values;
    this.#values.set(name, isOpen ? [] : [...new Set([value.text, ...(held ?? [])])]);
  }
}

function simpleCommand({ name, args, prefix, redirects }: Command, chosen: Values): WrittenCommand {
  const assignments = prefix.flatMap((part): readonly ReadAssignment[] => {
    if (part.type !== 'Assignment') return [];
    if (part.value.type !== 'Word') return [{ name: part.name }];
    const value = heldWord(part.value, chosen);
    const isPart = part.append === true || part.index !== undefined;
    return [{ name: part.name, value: isPart ? { ...value, isKnown: false, filled: 'open' } : value }];
  });
  const words = [...(name === undefined ? [] : [name]), ...args].flatMap((node) =>
    node.type === 'Word' || !isAmong(name?.value ?? '', declaringWords) ? expand(node, chosen) : [writtenWord(node)],
  );
  return { words, assignments, redirects: redirectsOf(redirects, chosen) };
}

function redirectsOf(redirections: readonly Redirection[], chosen: Values): readonly ReadRedirect[] {
  return redirections.map((redirection) => {
    const { operator } = redirection;
    if (redirection.type !== 'HereDoc') {
      const { target } = redirection;
      // Neither braces nor blanks make more words of it.
      if (target !== undefined && redirection.type === 'HereString')
        return { operator, target: heldWord(target, chosen) };
      return { operator, target: (target && expand(target, chosen)[0]) ?? anyWord('') };
    }
    const { body, delimiter } = redirection;
    if (delimiter?.quoted === true) return { operator, target: knownWord(body.text) };
    return { operator, target: heldText(body.text, body.parts ?? [], chosen) };
  });
}

/** The input that redirections bring, as if `cat` passed it on. Undefined if they bring none. */
function fromRedirects(redirects: readonly ReadRedirect[]): readonly ReadCommand[] | undefined {
  const inputs = redirects.filter(({ operator }) => operator.startsWith('<'));
  return inputs.length === 0 ? undefined : [passingOn(inputs)];
}

function passingOn(redirects: readonly ReadRedirect[]): ReadCommand {
  const of = { words: [], assignments: [], redirects, via: [], upstream: [], folders: [], findings: [] };
  return { ...of, program: 'cat', programPath: 'cat', isWrapper: false, isOpaque: false };
}

/** What these run is found in their arguments. */
const ownMatters = 'eval exec command builtin trap alias';

/** Hidden code that may come from the network. */
function downloaded(program: string, findings: readonly Finding[], site: CallSite): readonly Finding[] {
  const takesCode = isShell(program) || interpreterOf(program) === program || isAmong(program, 'eval source . xargs');
  if (!takesCode || !findings.some(({ kind }) => kind === 'hidden_code' || kind === 'unknown')) return [];
  const sources = [...site.upstream, ...site.filledIn].flatMap((source) => source.findings);
  return sources.some(({ kind }) => kind === 'network') ? [finding('downloaded_code')] : [];
}
