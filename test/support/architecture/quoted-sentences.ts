import { isNode, type Node, nameOf, nodesIn, type SourceFile, textOf } from './source-file.ts';

/** So many words in a row are a part of a sentence, and no chance. */
const row = 4;

/** Words that every sentence has. A row of nothing else is chance. */
const common = new Set(
  'a an and are as at be been by can could did do does for from had has have i if in is it its no not of on one or so that the there this to was what which will with would you your'.split(
    ' ',
  ),
);

/** The rows of words that catalogues say in English. */
export type SaidRows = ReadonlySet<string>;

export function rowsSaid(files: readonly SourceFile[]): SaidRows {
  const catalogues = files.filter(({ path }) => /(?:^|\/)words\.ts$/.test(path));
  return new Set(catalogues.flatMap(({ program }) => textsIn(program).flatMap(rowsOf)));
}

/**
 * The texts of a test that repeat a sentence of a catalogue: the wording can then not be bettered without it. Ask the
 * catalogue instead, `memoryWords.en.forgotten({ count: 2 })`. Titles of tests may say what they like, and so may the
 * errors that a test makes for others to throw.
 */
export function quotedSentences({ program }: SourceFile, said: SaidRows): readonly string[] {
  const quoted = textsIn(program).filter((text) => rowsOf(text).some((one) => said.has(one)));
  return quoted.map((text) => text.trim().slice(0, 80));
}

/** The texts and patterns in a node, but for those that nobody is told. */
function textsIn(node: Node): readonly string[] {
  if (node.type === 'ImportDeclaration' || isError(node)) return [];
  const text = isPattern(node.regex) ? node.regex.pattern : textOf(node);
  const title = isTest(node) ? nodesIn(node.arguments)[0] : undefined;
  const below = Object.values(node).flatMap(nodesIn);
  return [...(text === undefined ? [] : [text]), ...below.flatMap((one) => (one === title ? [] : textsIn(one)))];
}

/** A hole of a template, which is `?` in its text, ends a row, and so do what a pattern leaves open, keys, paths and addresses. */
function rowsOf(text: string): readonly string[] {
  const spoken = text.replace(/\\[nrt]/g, ' ').replace(/\\[a-z]|\S*\w\\?[./:_]\w\S*/gi, '?');
  return spoken.split('?').flatMap((part) => {
    const words = part.toLowerCase().match(/[a-z][a-z'’]*/g) ?? [];
    return words.slice(row - 1).flatMap((_, at) => {
      const some = words.slice(at, at + row);
      return some.every((word) => common.has(word)) ? [] : some.join(' ');
    });
  });
}

function isPattern(regex: unknown): regex is { readonly pattern: string } {
  return typeof regex === 'object' && regex !== null && 'pattern' in regex && typeof regex.pattern === 'string';
}

/** `new Error('…')`, `new ChannelError('…', {})`. */
function isError({ type, callee }: Node): boolean {
  return type === 'NewExpression' && /Error$/.test(nameOf(callee) ?? '');
}

/** `test('…')`, `describe.each(…)('…')`, and `test.each([…])`, since the values of a table are what its titles say. */
function isTest({ type, callee }: Node): boolean {
  return type === 'CallExpression' && ['test', 'describe'].includes(firstName(callee) ?? '');
}

function firstName(callee: unknown): string | undefined {
  if (!isNode(callee)) return undefined;
  return nameOf(callee) ?? firstName(callee.object ?? callee.callee ?? callee.tag);
}
