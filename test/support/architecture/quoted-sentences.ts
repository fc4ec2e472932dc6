import { isNode, type Node, nameOf, nodesIn, type SourceFile, textOf } from './source-file.ts';

/** So many words in a row are a part of a sentence, and no chance. */
const row = 4;

/** The rows of words that catalogues say in English. */
export type SaidRows = ReadonlySet<string>;

export function rowsSaid(files: readonly SourceFile[]): SaidRows {
  const catalogues = files.filter(({ path }) => /(?:^|\/)words\.ts$/.test(path));
  return new Set(catalogues.flatMap(({ nodes }) => nodes.flatMap((node) => rowsOf(textOf(node) ?? ''))));
}

/**
 * The texts of a test that repeat a sentence of a catalogue: the wording can then not be bettered without it. Ask the
 * catalogue instead, `memoryWords.en.forgotten({ count: 2 })`. Titles of tests may say what they like.
 */
export function quotedSentences(file: SourceFile, said: SaidRows): readonly string[] {
  const quoted: string[] = [];
  collect(file.program, { said, quoted });
  return quoted;
}

function collect(node: Node, into: { readonly said: SaidRows; readonly quoted: string[] }): void {
  if (node.type === 'ImportDeclaration') return;
  const text = node.type === 'Literal' && isPattern(node.regex) ? node.regex.pattern : textOf(node);
  if (text !== undefined && rowsOf(text).some((one) => into.said.has(one))) into.quoted.push(text.trim().slice(0, 80));
  const title = isTest(node) ? nodesIn(node.arguments)[0] : undefined;
  for (const value of Object.values(node))
    for (const below of nodesIn(value)) if (below !== title) collect(below, into);
}

/** A hole of a template, which is `?` in its text, ends a row. */
function rowsOf(text: string): readonly string[] {
  return text.split('?').flatMap((part) => {
    const words = part.toLowerCase().match(/[a-z][a-z'’]*/g) ?? [];
    return words.slice(row - 1).map((_, at) => words.slice(at, at + row).join(' '));
  });
}

function isPattern(regex: unknown): regex is { readonly pattern: string } {
  return typeof regex === 'object' && regex !== null && 'pattern' in regex && typeof regex.pattern === 'string';
}

/** `test('…')`, `describe.each(…)('…')`. */
function isTest({ type, callee }: Node): boolean {
  return type === 'CallExpression' && ['test', 'describe'].includes(firstName(callee) ?? '');
}

function firstName(callee: unknown): string | undefined {
  if (!isNode(callee)) return undefined;
  return nameOf(callee) ?? firstName(callee.object ?? callee.callee ?? callee.tag);
}
