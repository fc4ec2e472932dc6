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
import { innerCommands, isOfKernel } from './inner-commands.ts';
import { interpreterOf, isShell, risksOf, steersShell } from './risks.ts';
import { doubtOf } from './shell-doubts.ts';
import { anyWord, expand, heldWord, isAmong, knownWord, type ShellWord, valuesOf, writtenWord } from './shell-words.ts';

/** The most that is read: characters of a text and of all nested ones together, commands, and values of a variable. */
const most = { text: 32_768, allText: 262_144, commands: 2_000, values: 8 };
/** How deep a command may be, and how deep a syntax node, a program that runs another, and a text in a text each go. */
const deepest = 300;
const depths = { node: 1, program: 15, text: 25 };

/** A command as written. Its name is the first word. */
type WrittenCommand = Pick<ReadCommand, 'words' | 'assignments' | 'redirects'>;

interface CallSite extends Pick<ReadCommand, 'via' | 'upstream' | 'folders'> {
  /** The commands whose output becomes part of it. */
  readonly filledIn: readonly ReadCommand[];
  readonly depth: number;
}

/**
 * Reads a shell script, and never throws: what cannot be read is reported as unknown. Parses the script and lists its
 * simple commands in order, with all that they run because of their arguments: programs behind `sudo` or `find -exec`,
 * scripts of `sh -c`. Fills in the words as far as the script itself tells: a command whose variables may have several
 * values is listed with each.
 */
export function readCommands(text: string): CommandReading {
  const commands: ReadCommand[] = [];
  const innerTexts: string[] = [];
  const doubts = new Set<string>();
  const values = new Map<string, readonly string[]>();
  const folders: string[] = [];
  const evaluations = createEvaluatedValues();
  let length = 0;
  /** The input that `exec` has set for all that follows. */
  let standing: readonly ReadCommand[] = [];
  let isLeftRunning = false;
  let isWhole = true;

  function leaveOut(doubt: string): void {
    isWhole = false;
    doubts.add(doubt);
  }

  function read(script: string, site: CallSite): void {
    length += script.length;
    // A `#` right behind a process substitution begins no comment.
    if (/[<>]\(/.test(script) && /\)(?:\\\n)*#/.test(script)) doubts.add('quotes that shells read differently');
    if (script.length > most.text || length > most.allText) leaveOut('a very long text');
    else visit(parse(script), site);
  }

  function visit(node: SyntaxNode, around: CallSite): void {
    if (isTooMuch(around)) return;
    const doubt = doubtOf(node);
    if (doubt !== undefined) doubts.add(doubt);
    evaluations.visit(node);
    let site = { ...around, upstream: inputOf(node) ?? around.upstream, depth: around.depth + depths.node };
    if (node.type === 'Pipeline') {
      for (const stage of node.commands) {
        const begin = commands.length;
        visit(stage, site);
        site = { ...site, upstream: [...site.upstream, ...commands.slice(begin)] };
      }
    } else visitInside(node, site);
  }

  /** Whether it is left out. The parser reads the inside again at each level. */
  function isTooMuch({ depth }: CallSite): boolean {
    if (depth > deepest) leaveOut('deep nesting');
    else if (commands.length > most.commands) leaveOut('very many commands');
    else return false;
    return true;
  }

  function visitInside(node: SyntaxNode, site: CallSite): void {
    const begin = commands.length;
    if (node.type === 'For' || node.type === 'Select') for (const { name, value } of loopValues(node)) set(name, value);
    forEachChild(node, (child) => visit(child, site));
    // dash reads it as two subshells, and runs what is in it.
    if (node.type === 'ArithmeticCommand') read(node.body, { ...site, depth: site.depth + depths.text });
    const here = { ...site, filledIn: commands.slice(begin), folders: [...folders] };
    const [first, ...others] = writtenCommands(node);
    if (first !== undefined) {
      for (const written of [first, ...others]) call(written, here);
      remember(first);
    }
    if (node.type === 'Statement' && node.background === true) isLeftRunning = true;
  }

  /** Adds a command and the commands that it runs. */
  function call({ words, assignments, redirects }: WrittenCommand, site: CallSite): void {
    if (isTooMuch(site)) return;
    const { via, folders, depth } = site;
    const upstream = site.upstream.length === 0 ? standing : site.upstream;
    const [name, ...args] = words;
    const programPath = name === undefined ? '' : name.isKnown ? name.text : undefined;
    const program = baseName(name?.text ?? '');
    const inner = innerCommands(program, args, { redirects, upstream });
    const isWrapper = inner.calls.length + inner.texts.length > 0;
    const isOpen = isUnknown(programPath, folders) || isOpenCommand(program, args, assignments);
    const of = { assignments, redirects, via, upstream, folders };
    const base = { program, programPath, words: args, isWrapper, isOpaque: isOpen || inner.isOpaque, ...of };
    const risks = [...risksOf(base), ...inner.findings];
    const findings = [...risks, ...downloaded(program, risks, site)];
    const isRead = isWrapper || program === '' || isAmong(program, ownMatters);
    const isClear = findings.length > 0 || isRead || isReadOnlyCommand({ ...base, findings });
    commands.push({ ...base, findings: isClear && !isOpen ? findings : [...findings, finding('unknown', program)] });

    const gone = program === 'env' ? valuesOf(args, 'C', 'chdir').map(({ text }) => text) : [];
    // `xargs` reads its input itself.
    const given = isAmong(program, 'xargs parallel') ? undefined : fromRedirects(redirects);
    const inside = {
      upstream: given ?? upstream,
      filledIn: [],
      via: [...via, program],
      folders: [...folders, ...gone],
    };
    for (const each of inner.calls)
      call({ words: each, assignments: [], redirects: [] }, { ...inside, depth: depth + depths.program });
    innerTexts.push(...inner.texts);
    for (const script of inner.texts) read(script, { ...inside, depth: depth + depths.text });
  }

  /** The command of this node itself, once for each value that its variables may have. Compound nodes have none. */
  function writtenCommands(node: SyntaxNode): readonly WrittenCommand[] {
    const bare = { words: [], assignments: [], redirects: [] };
    switch (node.type) {
      case 'Redirected':
        return [{ ...bare, redirects: redirectsOf(node.redirects, 0) }];
      case 'For':
      case 'Select':
        return [{ ...bare, assignments: [{ name: node.name.value, value: anyWord('') }, ...loopValues(node)] }];
      case 'Command': {
        const first = simpleCommand(node, 0);
        const all = [...first.words, ...first.redirects.map(({ target }) => target)];
        if (all.every(({ isKnown }) => isKnown)) return [first];
        const choices = Math.max(1, ...[...values.values()].map((held) => held.length));
        return [first, ...Array.from({ length: choices - 1 }, (_, index) => simpleCommand(node, index + 1))];
      }
      default:
        return [];
    }
  }

  function simpleCommand({ name, args, prefix, redirects }: Command, choice: number): WrittenCommand {
    const assignments = prefix.flatMap((part): readonly ReadAssignment[] => {
      if (part.type !== 'Assignment') return [];
      if (part.value.type !== 'Word') return [{ name: part.name }];
      const value = heldWord(part.value, values);
      const isPart = part.append === true || part.index !== undefined;
      return [{ name: part.name, value: isPart ? { ...value, isKnown: false, filled: 'open' } : value }];
    });
    const words = [...(name === undefined ? [] : [name]), ...args].flatMap((node) =>
      node.type === 'Word' || !isAmong(name?.value ?? '', declaringWords)
        ? expand(node, values, choice)
        : [writtenWord(node)],
    );
    return { words, assignments, redirects: redirectsOf(redirects, choice) };
  }

  /** The input of all that is in a node, if it has one of its own. */
  function inputOf(node: SyntaxNode): readonly ReadCommand[] | undefined {
    if (node.type === 'Redirected') return fromRedirects(redirectsOf(node.redirects, 0));
    // What it gets is written by the command that it is an argument of.
    return node.type === 'ProcessSubstitution' && node.operator === '>' ? [passingOn([])] : undefined;
  }

  function redirectsOf(redirections: readonly Redirection[], choice: number): readonly ReadRedirect[] {
    return redirections.map((redirection) => {
      const { operator } = redirection;
      if (redirection.type !== 'HereDoc') {
        const { target } = redirection;
        // Neither braces nor blanks make more words of it.
        if (target !== undefined && redirection.type === 'HereString')
          return { operator, target: heldWord(target, values, choice) };
        return { operator, target: (target && expand(target, values, choice)[0]) ?? anyWord('') };
      }
      const { body, delimiter } = redirection;
      const isKnown = delimiter?.quoted === true || (body.parts ?? []).every((part) => part.type === 'Literal');
      return { operator, target: isKnown ? knownWord(body.text) : anyWord(body.text) };
    });
  }

  /** Remembers what affects later commands: variables and the folder. */
  function remember({ words, assignments, redirects }: WrittenCommand): void {
    for (const { name, value } of assignments)
      if (value === undefined || value.text !== '' || value.isKnown) set(name, value);
    const [name, ...args] = words.slice(words.findIndex(({ text }) => !isAmong(text, 'command builtin')));
    const program = name?.text ?? '';
    if (isAmong(program, 'export declare typeset local readonly')) {
      // Bash changes the letters of what it is told to, adds, and names other variables.
      const isChanged = args.some(({ text }) => /^[-+]\w*[aAilnuc]/.test(text));
      for (const { text, isKnown } of args) {
        const [, variable, sign = '', value = ''] = /^(\w+)(\+?=)?(.*)$/s.exec(text) ?? [];
        const isTold = isKnown && !isChanged && sign === '=';
        if (variable !== undefined && (sign !== '' || isChanged)) set(variable, isTold ? knownWord(value) : undefined);
      }
    } else if (isAmong(program, 'read getopts mapfile readarray printf unset wait')) {
      for (const { text } of args) set(text, undefined);
    } else if (program === 'exec' && args.length === 0) {
      standing = fromRedirects(redirects) ?? standing;
    } else if (isAmong(program, 'cd pushd')) {
      const folder = args.find(({ text }) => !text.startsWith('-'))?.text ?? '~';
      folders.push(/^[/~$]/.test(folder) ? folder : posix.join(folders.at(-1) ?? '', folder));
    }
  }

  function loopValues(node: Extract<SyntaxNode, { type: 'For' | 'Select' }>): readonly ReadAssignment[] {
    const name = node.name.value;
    if (node.wordlist === undefined) return [{ name, value: anyWord('"$@"') }];
    return node.wordlist.flatMap((word) => expand(word, values)).map((value) => ({ name, value }));
  }

  /** Adds a value that a variable may have. One that may have any has none, and gets none. */
  function set(name: string, value: ShellWord | undefined): void {
    const held = values.get(name);
    const isOpen = value === undefined || value.filled === 'open' || held?.length === 0 || held?.length === most.values;
    values.set(name, isOpen ? [] : [...new Set([value.text, ...(held ?? [])])]);
  }

  try {
    read(text, { via: [], upstream: [], filledIn: [], folders: [], depth: 0 });
  } catch (thrown) {
    // How deep the parser can go depends on the free stack.
    if (!(thrown instanceof RangeError)) throw thrown;
    leaveOut('deep nesting');
  }
  if (evaluations.mayRunCommand()) doubts.add('a value that is computed, and may be a command');
  const findings = [...doubts].map((doubt) => finding('unknown', doubt));
  return { text, commands, innerTexts, isLeftRunning, isWhole, findings };
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

/** Whether a program is known only at run time: the kernel's files are whatever runs, or is open. */
function isUnknown(path: string | undefined, folders: readonly string[]): boolean {
  if (path === undefined) return true;
  return path.includes('/') && [path, ...folders.map((folder) => posix.join(folder, path))].some(isOfKernel);
}

function isSteered(name: string): boolean {
  return name === 'PATH' || steersShell(name);
}

const declaringWords = 'export declare typeset local readonly';
const namingWords = 'read getopts mapfile readarray printf unset wait';

/** Whether a word that is known only at run time may change what it does. */
function isOpenCommand(program: string, words: readonly ShellWord[], assignments: readonly ReadAssignment[]): boolean {
  if (assignments.some(({ name }) => isSteered(name) && !(program === 'read' && name === 'IFS'))) return true;
  if (
    isAmong(program, `${declaringWords} ${namingWords}`) &&
    words.some(({ text }) => steersShell(text.split(/\+?=/, 1)[0] ?? ''))
  )
    return true;
  // Unlike `export PATH=…`, these do not say what they set it to.
  if (isAmong(program, namingWords) && words.some(({ text }) => text === 'PATH')) return true;
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
