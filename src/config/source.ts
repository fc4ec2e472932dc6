import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type Fault, type KeyPath, type PlacedFault, spellPath } from './config-error.ts';

/** A parsed config file. */
export interface Source {
  /** As given on the command line. */
  readonly file: string;
  readonly text: string;
  /** Undefined if the text is not JSON, or is only comments. */
  readonly tree: Node | undefined;
  readonly faults: readonly PlacedFault[];
}

const longestText = 1_000_000;
const deepestNesting = 100;
const mostFaultsShown = 50;

/** Parses JSON with comments and trailing commas. Never throws: errors are in `faults`. */
export function parseSource(file: string, text: string): Source {
  const failed = (offset: number, words: string): Source => {
    return { file, text, tree: undefined, faults: [{ offset, path: [], text: words }] };
  };
  if (text.length > longestText) {
    return failed(0, `the file is longer than ${longestText} characters: is it a config?`);
  }
  // The parser would overflow the stack.
  for (const { open, offset } of bracketsIn(text))
    if (open.length > deepestNesting)
      return failed(offset, `brackets are nested more than ${deepestNesting} deep here.`);
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0) return { file, text, tree: undefined, faults: syntaxFaults(text, errors) };
  return { file, text, tree, faults: keyFaults(tree) };
}

/** The entries of an object in their order, including duplicates. */
export function entriesOf(node: Node | undefined): readonly { readonly key: Node; readonly value: Node }[] {
  if (node?.type !== 'object') return [];
  return (node.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? [];
    return key === undefined || value === undefined ? [] : [{ key, value }];
  });
}

/** Each value with its path, parents before children. */
export function* valuesIn(node: Node | undefined, path: KeyPath = []): Generator<{ node: Node; path: KeyPath }> {
  if (node === undefined) return;
  yield { node, path };
  for (const { key, value } of entriesOf(node)) yield* valuesIn(value, [...path, String(key.value)]);
  const items = node.type === 'array' ? (node.children ?? []) : [];
  for (const [index, item] of items.entries()) yield* valuesIn(item, [...path, index]);
}

export function nodeAt(tree: Node | undefined, path: KeyPath): Node | undefined {
  return path.reduce<Node | undefined>(childOf, tree);
}

function childOf(node: Node | undefined, segment: string | number): Node | undefined {
  if (typeof segment === 'number') return node?.type === 'array' ? node.children?.[segment] : undefined;
  return entriesOf(node).findLast(({ key }) => key.value === segment)?.value;
}

/** A fault of the value at a path; if that is missing, its place is the nearest parent. */
export function faultAt(tree: Node | undefined, path: KeyPath, text: string): PlacedFault {
  return { offset: nearestAt(tree, path)?.offset ?? 0, path, text };
}

/** A fault of the key itself. */
export function faultAtKey(tree: Node | undefined, path: KeyPath, text: string): PlacedFault {
  const entry = entriesOf(nodeAt(tree, path.slice(0, -1))).findLast(({ key }) => key.value === path.at(-1));
  return entry === undefined ? faultAt(tree, path, text) : { offset: entry.key.offset, path, text };
}

/** The value at a path, or else its nearest parent. */
function nearestAt(tree: Node | undefined, path: KeyPath): Node | undefined {
  return nodeAt(tree, path) ?? (path.length === 0 ? undefined : nearestAt(tree, path.slice(0, -1)));
}

/** The faults with line and column: sorted by place, without duplicates, at most fifty. */
export function placeFaults({ file, text }: Source, faults: readonly PlacedFault[]): readonly Fault[] {
  const sorted = [...faults].sort((a, b) => a.offset - b.offset);
  const shown = sorted.slice(0, mostFaultsShown).map(({ offset, path, text: words }) => ({
    file,
    ...positionOf(text, offset),
    key: spellPath(path),
    text: words,
  }));
  const distinct = [...new Map(shown.map((fault) => [JSON.stringify(fault), fault])).values()];
  if (sorted.length <= mostFaultsShown) return distinct;
  return [...distinct, { file, key: '', text: 'there are more faults than these.' }];
}

/** The line and column of an offset, both from 1. */
function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

function keyFaults(tree: Node | undefined): readonly PlacedFault[] {
  return [...valuesIn(tree)].flatMap(({ node, path }) => {
    const seen = new Set<string>();
    return entriesOf(node).flatMap(({ key }) => {
      const name = String(key.value);
      const fault = (text: string): PlacedFault => ({ offset: key.offset, path: [...path, name], text });
      if (name === '__proto__') return [fault('this name is not allowed as a key.')];
      if (seen.has(name)) return [fault('this key appears twice. Keep one of them.')];
      seen.add(name);
      return [];
    });
  });
}

/** A key that was renamed within its object. */
export interface RenamedKey {
  /** The path of the object; `*` matches any key. */
  readonly in: readonly string[];
  readonly from: string;
  readonly to: string;
}

/**
 * All since the first release, permanently: a config that was once valid is never refused. Add each renamed key here.
 */
export const renamedKeys: readonly RenamedKey[] = [];

/** The config with current names. Gives a notice for each old one; it is a fault if both are present. */
export function withNamesOfToday(
  source: Source,
  renamed: readonly RenamedKey[],
): { readonly source: Source; readonly notices: readonly string[] } {
  const notices: string[] = [];
  const faults = [...source.faults];
  function rename(node: Node, path: KeyPath): Node {
    if (node.type !== 'object') return node;
    const names = entriesOf(node).map(({ key }) => key.value);
    const children = (node.children ?? []).flatMap((property) => {
      const [key, value] = property.children ?? [];
      if (key === undefined || value === undefined) return [property];
      const name = String(key.value);
      const to = renamed.find((each) => each.from === name && fits(each.in, path))?.to;
      if (to !== undefined) {
        const now = spellPath([...path, to]);
        if (names.includes(to)) {
          faults.push({ offset: key.offset, path: [...path, name], text: `is called ${now} now. Remove it.` });
          return [];
        }
        notices.push(`${spellPath([...path, name])} is called ${now} now. It still works; please rename it.`);
      }
      return [{ ...property, children: [{ ...key, value: to ?? name }, rename(value, [...path, to ?? name])] }];
    });
    return { ...node, children };
  }
  const tree = source.tree && renamed.length > 0 ? rename(source.tree, []) : source.tree;
  return { source: { ...source, tree, faults }, notices };
}

function fits(place: readonly string[], path: KeyPath): boolean {
  return place.length === path.length && place.every((segment, index) => segment === '*' || segment === path[index]);
}

/**
 * Explains JSON syntax errors. The parser guesses after an error; only after a missing comma is its next error
 * reliable. Quotes nothing of the text but keys, because values may be secret.
 */
function syntaxFaults(text: string, errors: readonly ParseError[]): readonly PlacedFault[] {
  // If something else is wrong at the same place, a comma would not have helped.
  const telling = errors.filter((error, index) => !isComma(error) || errors[index + 1]?.offset !== error.offset);
  const uncertain = telling.findIndex((error) => !isComma(error));
  const certain = uncertain === -1 ? telling : telling.slice(0, uncertain + 1);
  return certain.map((error) => ({ offset: error.offset, path: [], text: `${explain(text, error)}.` }));
}

function isComma({ error }: ParseError): boolean {
  return printParseErrorCode(error) === 'CommaExpected';
}

const noNumber = 'this is not a valid JSON number';

function explain(text: string, { error, offset, length }: ParseError): string {
  switch (printParseErrorCode(error)) {
    case 'InvalidSymbol':
      return explainSymbol(text, offset, length);
    case 'PropertyNameExpected':
      return explainMissingKey(text, offset);
    case 'ValueExpected':
      return explainMissingValue(text, offset);
    case 'ColonExpected':
      return 'a colon is missing after the key';
    case 'CommaExpected':
      return `a comma is missing before ${keyAt(text, offset) ?? 'this value'}`;
    case 'CloseBraceExpected':
    case 'CloseBracketExpected':
      return explainUnclosed(text, offset);
    case 'EndOfFileExpected':
      return 'the config has already ended before this: it is one object in one pair of braces';
    case 'UnexpectedEndOfComment':
      return 'this comment is not closed: "*/" is missing';
    case 'UnexpectedEndOfString':
      return 'this string is not closed: a double quote is missing on its line';
    case 'InvalidUnicode':
      return 'in this string, "\\u" is not followed by four hexadecimal digits';
    case 'InvalidEscapeCharacter':
      return 'in this string, a backslash is followed by a letter that has no meaning. Write a backslash as "\\\\"';
    case 'InvalidCharacter':
      return 'this string contains a tab or another control character. Write a tab as "\\t", a new line as "\\n"';
    default:
      return noNumber;
  }
}

function explainSymbol(text: string, offset: number, length: number): string {
  const symbol = text.slice(offset, offset + length);
  if (symbol.startsWith("'")) return 'strings need double quotes';
  const literal = literals.get(symbol.toLowerCase());
  if (literal !== undefined) return `write ${literal} here`;
  if (/^\s*:/.test(text.slice(offset + length)) && /^[\w$-]{1,60}$/.test(symbol)) {
    return `the key needs double quotes: "${symbol}"`;
  }
  return /^[-+.\d]/.test(symbol) ? noNumber : 'this is not JSON. Strings need double quotes';
}

const literals: ReadonlyMap<string, string> = new Map([
  ...['true', 'yes', 'on'].map((word) => [word, 'true'] as const),
  ...['false', 'no', 'off'].map((word) => [word, 'false'] as const),
  ...['null', 'none', 'undefined'].map((word) => [word, 'null'] as const),
]);

function explainMissingKey(text: string, offset: number): string {
  if (text[offset] === ',') return 'there is an extra comma';
  if (/^0\d/.test(text.slice(offset - 1, offset + 1))) return 'a number must not begin with 0';
  if (text[offset] === ']' || text[offset] === undefined) return explainUnclosed(text, offset);
  return 'a key in double quotes is missing here';
}

function explainMissingValue(text: string, offset: number): string {
  const found = text[offset];
  if (found === ',') return 'there is an extra comma, or a value is missing before it';
  const opened = text[openBefore(text, offset) ?? -1];
  if (found === undefined || (found === '}' && opened === '[') || (found === ']' && opened === '{')) {
    return explainUnclosed(text, offset);
  }
  return found === '}' || found === ']' ? `a value is missing before "${found}"` : 'a value is missing here';
}

function explainUnclosed(text: string, offset: number): string {
  const opened = openBefore(text, offset);
  const place = text[offset] === undefined ? 'the file ends here' : `"${text[offset]}" is here`;
  if (opened === undefined) return `${place}, but a value is missing`;
  return `${place}, but the "${text[opened]}" of line ${positionOf(text, opened).line} is not closed`;
}

/** The quoted key at the offset, if there is one. */
function keyAt(text: string, offset: number): string | undefined {
  return /^("[^"\\\r\n]{1,60}")\s*:/.exec(text.slice(offset, offset + 200))?.[1];
}

/** The offset of the innermost bracket open at `end`. */
function openBefore(text: string, end: number): number | undefined {
  return [...bracketsIn(text, end)].at(-1)?.open.at(-1);
}

/** The token kinds of jsonc-parser used here: its `const enum` does not exist at run time. */
const kinds = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, endOfFile: 17 } as const;

/** Each bracket before `end`, with the offsets of the brackets open after it. */
function* bracketsIn(
  text: string,
  end = text.length,
): Generator<{ readonly open: readonly number[]; readonly offset: number }> {
  const scanner = createScanner(text, true);
  const open: number[] = [];
  for (let token = Number(scanner.scan()); token !== kinds.endOfFile; token = Number(scanner.scan())) {
    const offset = scanner.getTokenOffset();
    if (offset >= end) return;
    if (token === kinds.openBrace || token === kinds.openBracket) open.push(offset);
    else if (token === kinds.closeBrace || token === kinds.closeBracket) open.pop();
    else continue;
    yield { open, offset };
  }
}
