import type { ArithmeticWord, ParsedScript, SyntaxNode, Word, WordPart } from 'unbash';
import { isPowerfulVariable, isShell } from './risks.ts';
import { isAmong } from './shell-words.ts';

/*
 * Bash computes what stands in arithmetic, and where it wants a name or a number it takes the value of a variable for
 * arithmetic again: if that is `a[$(program)]`, the program runs. So whether such a place is harmless depends on what its
 * variables may hold: numbers and names are, and so is what a known program prints as a number. This follows the
 * variables of a text, in whatever order it sets and uses them.
 */

/** Stands for `$1`, `$@` and the like. */
const positional = '@';

export interface EvaluatedValues {
  /** Takes note of what a node sets and evaluates. Its children are visited by the caller. */
  visit(node: SyntaxNode): void;
  /** Whether something may be evaluated that runs a command which nobody has read. */
  mayRunCommand(): boolean;
}

export function createEvaluatedValues(): EvaluatedValues {
  return new TracedValues();
}

class TracedValues implements EvaluatedValues {
  /** What a variable may be set from. Undefined among them: anything. */
  readonly #sources = new Map<string, Set<string | undefined>>();
  readonly #evaluated = new Set<string | undefined>();
  readonly #functions = new Set<string>();
  readonly #calls: { readonly program: string; readonly args: readonly Word[] }[] = [];
  #hasFedShell = false;

  visit(node: SyntaxNode): void {
    switch (node.type) {
      case 'Assignment':
        if (node.index !== undefined) this.#evaluate(inArithmetic(node.index));
        for (const word of node.value.type === 'ArrayValue' ? node.value.elements : [node.value]) {
          this.#assign(node.name, sourcesOf(word));
          if (dynamic.has(node.name)) this.#evaluate([node.name]);
        }
        break;
      case 'ArrayValue':
        this.#evaluate(node.elements.flatMap(indexOf));
        break;
      case 'For':
      case 'Select':
        this.#assign(node.name.value, node.wordlist?.flatMap(sourcesOf) ?? [positional]);
        break;
      case 'Function':
        this.#functions.add(node.name.value);
        break;
      case 'ArithmeticWord':
        this.#evaluate(inArithmetic(node));
        break;
      case 'ArithmeticCommandExpansion':
        if (!printsPlain(node.script)) this.#evaluate([undefined]);
        break;
      case 'ParameterExpansion':
        if (node.index !== undefined && !/^[@*]$/.test(node.index.value)) this.#evaluate(inArithmetic(node.index));
        if (node.operation?.type !== 'Slice') break;
        this.#evaluate(inArithmetic(node.operation.offset));
        if (node.operation.length !== undefined) this.#evaluate(inArithmetic(node.operation.length));
        break;
      case 'TestUnary':
        if (isAmong(node.operator, '-v -R') && isNoPlainName(node.operand)) this.#evaluate(sourcesOf(node.operand));
        break;
      case 'TestBinary':
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator))
          this.#evaluate([...inArithmetic(node.left), ...inArithmetic(node.right)]);
        break;
      case 'Command':
        if (node.name !== undefined) this.#visitCommand(node.name.value, node.args);
        break;
      default:
    }
  }

  mayRunCommand(): boolean {
    const handed = this.#calls.filter(
      ({ program }) => this.#functions.has(program) || isShell(program) || isAmong(program, 'set eval'),
    );
    this.#assign(positional, [
      ...handed.flatMap(({ args }) => args.flatMap(sourcesOf)),
      ...(this.#hasFedShell ? [undefined] : []),
    ]);
    const reached = new Set(this.#evaluated);
    // A set goes on over what is added meanwhile.
    for (const name of reached) {
      if (name === undefined) return true;
      for (const source of this.#sources.get(name) ?? []) reached.add(source);
    }
    return false;
  }

  #assign(name: string, from: readonly (string | undefined)[]): void {
    const known = this.#sources.get(name) ?? new Set();
    for (const each of from) known.add(each);
    this.#sources.set(name, known);
  }

  #evaluate(from: readonly (string | undefined)[]): void {
    for (const name of from) this.#evaluated.add(name !== undefined && isPowerfulVariable(name) ? undefined : name);
  }

  #visitCommand(program: string, nodes: readonly SyntaxNode[]): void {
    const words = nodes.filter((node) => node.type === 'Word');
    this.#calls.push({ program, args: words });
    if (isAmong(program, 'xargs parallel find fd') && words.some(({ value }) => isShell(value)))
      this.#hasFedShell = true;
    if (program === 'let') this.#evaluate(words.flatMap(sourcesOf));
    if (isAmong(program, 'test [')) this.#evaluate(operatorsIn(words).flatMap(sourcesOf));
    if (isAmong(program, declaring)) this.#visitDeclaration(nodes);
    if (isAmong(program, `${setting} unset wait`)) {
      this.#evaluate(words.filter(isNoPlainName).flatMap(sourcesOf));
      for (const { value } of words) if (isAmong(program, setting)) this.#assign(value, [undefined]);
    }
    for (const name of ['REPLY', 'MAPFILE', 'OPTARG']) if (isAmong(program, setting)) this.#assign(name, [undefined]);
  }

  #visitDeclaration(nodes: readonly SyntaxNode[]): void {
    const words = nodes.filter((node) => node.type === 'Word');
    const has = (letter: string): boolean => words.some(({ value }) => value.startsWith('-') && value.includes(letter));
    this.#evaluate(words.filter(isNoPlainName).flatMap(sourcesOf));
    // What `declare -n` names is another variable from then on.
    if (has('n')) this.#evaluate([undefined]);
    if (!has('i')) return;
    for (const node of nodes) if (node.type === 'Assignment') this.#evaluate([node.name]);
    this.#evaluate(words.map(({ value }) => value));
  }
}

/** Bash's own commands that set variables, named in their words; and those that may make them compute. */
const setting = 'read mapfile readarray getopts printf';
const declaring = 'declare typeset local readonly export';

/** Bash's own variables that compute what they are set to. */
const dynamic: ReadonlySet<string> = new Set(
  'RANDOM SRANDOM SECONDS LINENO OPTIND HISTCMD UID EUID PPID BASHPID'.split(' '),
);

/** Whether a word may be another name than it seems, or one with an index. Options and formats are no names. */
function isNoPlainName({ value, parts }: Word): boolean {
  return parts === undefined ? /^[^-%\s]*\w\[/.test(value) : !/^-|^['"]?[^$]*%/.test(value);
}

/** The words of a test that may be `-v`, which evaluates an index, or its operand. */
function operatorsIn(words: readonly Word[]): readonly Word[] {
  return words.filter((word, at) => {
    const before = words[at - 1]?.value;
    if (before !== undefined && /^-[vR]/.test(before)) return isNoPlainName(word);
    return word.parts?.some(({ type, text }) => isFilledIn(type) && !isNumber(text)) === true;
  });
}

function isFilledIn(type: WordPart['type']): boolean {
  return type === 'SimpleExpansion' || type === 'ParameterExpansion' || type === 'CommandExpansion';
}

/** The variables that a word gets its value from. Undefined among them: it may hold an index by itself. */
function sourcesOf(word: Word): readonly (string | undefined)[] {
  if (word.parts === undefined) return ofLiteral(word.value);
  // A range of numbers.
  if (/^\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}$/.test(word.text)) return [];
  return word.parts.flatMap(ofPart);
}

function ofLiteral(text: string): readonly (string | undefined)[] {
  return /[[$`]/.test(text) ? [undefined] : namesIn(text);
}

/** Names that bash would take for variables. */
function namesIn(text: string): readonly string[] {
  return text.match(/(?<![\w#])[A-Za-z_]\w*/g) ?? [];
}

/** The expansions that are always a number. */
function isNumber(text: string): boolean {
  return /^\$(?:\{?[#?$!]|\{?(?:S?RANDOM|SECONDS|LINENO|E?UID|PPID|BASHPID|EPOCHSECONDS)\b)/.test(text);
}

function ofPart(part: WordPart): readonly (string | undefined)[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return ofLiteral(part.value);
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.flatMap(ofPart);
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
      return [];
    case 'SimpleExpansion':
      return isNumber(part.text) ? [] : [ofVariable(part.text.slice(1))];
    case 'ParameterExpansion':
      return isNumber(part.text) ? [] : ofParameter(part);
    case 'CommandExpansion':
      return printsPlain(part.script) ? [] : [undefined];
    // Patterns are names of files, which may be any.
    case 'Glob':
    case 'ExtendedGlob':
      return [undefined];
    case 'BraceExpansion':
      return part.parts?.flatMap(ofPart) ?? ofLiteral(part.text);
  }
}

function ofVariable(name: string): string {
  return /^(?:\d+|[@*])$/.test(name) ? positional : name;
}

function ofParameter({
  parameter,
  prefix,
  operation,
}: Extract<WordPart, { type: 'ParameterExpansion' }>): readonly (string | undefined)[] {
  if (prefix === '!') return [undefined];
  const own = [ofVariable(parameter)];
  switch (operation?.type) {
    case undefined:
    case 'Slice':
    case 'Remove':
    case 'CaseModification':
      return own;
    case 'Default':
      return [...own, ...sourcesOf(operation.operand)];
    case 'Replace':
      return [...own, ...sourcesOf(operation.replacement)];
    case 'Transform':
    case 'Names':
    case 'Unknown':
      return [undefined];
  }
}

/** The same for what is arithmetic itself, where an index is written out and commands in it are read as such. */
function inArithmetic({ value, parts }: ArithmeticWord | Word): readonly (string | undefined)[] {
  if (parts === undefined) {
    const isHidden = /['"\\`]|\$(?:\(|\{!)/.test(value);
    const given = /\$\{?[\d@*]/.test(value) ? [positional] : [];
    return isHidden ? [undefined] : [...namesIn(value), ...given];
  }
  return parts.flatMap((part) =>
    part.type === 'Literal' ? inArithmetic({ ...part, parts: undefined, type: 'Word' }) : ofPart(part),
  );
}

/** The index of `([index]=value)`. */
function indexOf({ text }: Word): readonly (string | undefined)[] {
  if (!text.startsWith('[')) return [];
  const [, index] = /^\[(\w+)\]\+?=/.exec(text) ?? [];
  return index === undefined ? [undefined] : namesIn(index);
}

/** Whether what a script prints can hold no index: it ends with a program that prints numbers, or plain names. */
function printsPlain(script: ParsedScript | undefined): boolean {
  const [statement, ...more] = script?.commands ?? [];
  if (statement === undefined || more.length > 0) return false;
  const { command } = statement;
  const last = command.type === 'Pipeline' ? command.commands.at(-1) : command;
  if (last?.type !== 'Command' || last.prefix.length > 0) return false;
  const words = last.args.flatMap((word) => (word.type === 'Word' && word.parts === undefined ? [word.value] : ['[']));
  if (words.some((word) => /[[$`\\]/.test(word))) return false;
  const program = last.name?.value ?? '';
  if (isAmong(program, 'wc')) return words.every((word) => word.startsWith('-'));
  return isAmong(program, 'nproc id date uname arch whoami seq') || (program === 'grep' && words[0] === '-c');
}
