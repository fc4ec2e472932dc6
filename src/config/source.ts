import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  visit,
} from 'jsonc-parser';
import type { JsonValue } from '../lib/json.ts';
import type { InLanguage, Language, Words } from '../lib/words.ts';
import { ConfigError, type Fault, type Finding, foundValue, spellPath } from './config-error.ts';
import { explainJson } from './json/json-faults.ts';
import { jsonWords } from './json/words.ts';
import { configWords } from './words.ts';

/** A config file that is one JSON object, or is empty. */
export interface Source {
  /** As given on the command line. */
  readonly file: string;
  readonly text: string;
  /** Undefined if the text is empty, or only comments. */
  readonly tree: Node | undefined;
  /** As written, with variables. */
  readonly value: JsonValue;
}

const longestText = 1_000_000;
const deepestNesting = 100;
const mostFaultsShown = 50;

/** JSON with comments and trailing commas. */
export const syntax = { allowTrailingComma: true, allowEmptyContent: true } as const;

/**
 * Parses the text of a config. Throws `ConfigError` if it is not one JSON object. Quotes nothing of it, because values
 * may be secret.
 */
export function parseSource(file: string, text: string): Source {
  const refused = (offset: number, words: Words): ConfigError =>
    new ConfigError([{ file, ...positionOf(text, offset), key: '', text: words }]);
  if (text.length > longestText) throw refused(0, (language) => jsonWords[language].tooLong({ most: longestText }));
  // The parser would overflow the stack.
  const open = openBrackets(text);
  if (open.length > deepestNesting)
    throw refused(open.at(-1) ?? 0, (language) => jsonWords[language].tooDeep({ most: deepestNesting }));
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, syntax);
  // The parser guesses after an error.
  const [error] = errors;
  if (error !== undefined && /^\s*\p{L}[^{:=]*$/u.test(text))
    throw refused(error.offset, (language) => jsonWords[language].noObject);
  if (error !== undefined) {
    const fault = explain(text, error);
    throw refused(error.offset, (language) => jsonWords[language].sentence({ fault: fault(language) }));
  }
  if (tree === undefined) return { file, text, tree, value: {} };
  const value: JsonValue = getNodeValue(tree);
  if (tree.type === 'object') return { file, text, tree, value };
  const isText = tree.type === 'string';
  throw refused(tree.offset, (language) => {
    const found = isText ? configWords[language].aString : foundValue(value, [], language);
    return jsonWords[language].notAnObject({ found });
  });
}

/** Whether the parser would overflow the stack. */
export function isTooDeep(text: string): boolean {
  return openBrackets(text).length > deepestNesting;
}

/** Where a text stops being JSON, and what is wrong there. */
export function jsonFault(text: string, language: Language = 'en'): string {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return jsonWords[language].oneObject;
  const { line, column } = positionOf(text, first.offset);
  return jsonWords[language].at({ line, column, fault: explain(text, first)(language) });
}

/** Keys that appear twice in their object. */
export function repeatedKeys({ text }: Source): readonly Finding[] {
  const seen = new Set<string>();
  const found: Finding[] = [];
  visit(
    text,
    {
      onObjectProperty(name, _offset, _length, _line, _column, pathOf) {
        const path = [...pathOf(), name];
        const place = JSON.stringify(path);
        if (seen.has(place)) found.push({ path, isKey: true, text: (language) => configWords[language].repeatedKey });
        seen.add(place);
      },
    },
    syntax,
  );
  return found;
}

/** The faults with line and column: sorted by place, at most fifty. */
export function placeFaults({ file, text, tree }: Source, findings: readonly Finding[]): readonly Fault[] {
  const sorted = findings
    .map((finding) => ({ ...finding, offset: offsetOf(tree, finding) }))
    .sort((a, b) => a.offset - b.offset);
  const shown = sorted.slice(0, mostFaultsShown).map(({ offset, path, text: words }) => ({
    file,
    ...positionOf(text, offset),
    key: spellPath(path),
    text: words,
  }));
  if (sorted.length <= mostFaultsShown) return shown;
  return [...shown, { file, key: '', text: (language) => configWords[language].more }];
}

/** The same faults, with the file and line of those whose place in the config is known, but not yet their line. */
export function placeLate(source: Source, faults: readonly Fault[]): readonly Fault[] {
  return faults.flatMap(({ path, ...fault }) =>
    path === undefined ? fault : placeFaults(source, [{ ...fault, path }]),
  );
}

/** Of the key or its value; if that is missing, of its nearest parent. */
function offsetOf(tree: Node | undefined, { path, isKey = false }: Finding): number {
  const node = tree && findNodeAtLocation(tree, [...path]);
  if (node !== undefined) return (isKey ? node.parent?.children?.[0] : node)?.offset ?? 0;
  return path.length === 0 ? 0 : offsetOf(tree, { path: path.slice(0, -1), text: '' });
}

/** The line and column of an offset, both from 1. */
function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

function explain(text: string, error: ParseError): InLanguage {
  const found = text[error.offset];
  const opened = openBrackets(text, error.offset).at(-1);
  const isClosing = found !== undefined && ']}'.includes(found);
  if (opened !== undefined && (found === undefined || (isClosing && text[opened] !== (found === ']' ? '[' : '{')))) {
    const open = text[opened] ?? '';
    const { line } = positionOf(text, opened);
    return (language) =>
      found === undefined
        ? jsonWords[language].endsOpen({ open, line })
        : jsonWords[language].closesOther({ found, open, line });
  }
  return explainJson(text, error);
}

/** The token kinds of jsonc-parser used here: its `const enum` does not exist at run time. */
const kinds = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, endOfFile: 17 } as const;

/** The offsets of the brackets that are open at `end`, or where too many are. */
function openBrackets(text: string, end = text.length): readonly number[] {
  const scanner = createScanner(text, true);
  const open: number[] = [];
  for (let token = Number(scanner.scan()); token !== kinds.endOfFile; token = Number(scanner.scan())) {
    const offset = scanner.getTokenOffset();
    if (offset >= end || open.length > deepestNesting) break;
    if (token === kinds.openBrace || token === kinds.openBracket) open.push(offset);
    if (token === kinds.closeBrace || token === kinds.closeBracket) open.pop();
  }
  return open;
}
