import { otherReaders as readersOfFiles } from './other-readers.ts';
import { isNode, type Node, nameOf, nodesIn, type SourceFile, textOf, type Violation } from './source-file.ts';

/** What a person reads stands in the `words.ts` of its folder, in each language. */
export function sentenceViolations(file: SourceFile): readonly Violation[] {
  return sentencesIn(file).map((text) => ({
    path: file.path,
    message: `is for people, and belongs into words.ts: ${text}`,
  }));
}

/** The texts of a file that look like sentences for people. */
export function sentencesIn(file: SourceFile): readonly string[] {
  if (
    !/^(?:src|channels|packages\/page\/src)\//.test(file.path) ||
    isCatalogue(file.path) ||
    file.path in readersOfFiles
  )
    return [];
  const texts: string[] = [];
  collect(file.program, texts);
  return texts;
}

/** `model-words.ts` and its like are read by models, who are spoken to in English. */
function isCatalogue(path: string): boolean {
  return /(?:^|[/-])words\.ts$/.test(path);
}

/** At least three words in a row, or two with the end of a sentence. */
const sentence = /[A-Za-z][a-z'’]*(?:,? (?:[a-z'’]+|[A-Z][a-z'’]*)){2}|[A-Z][a-z'’]+ [a-z'’]+[.?!]/;
/** SQL: a statement, the comment that one begins with, a part of one, or a list of columns. */
const statement =
  /^\s*(?:(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|PRAGMA|BEGIN|FROM|WHERE|AND|ORDER)\b|-- )|\b(?:SELECT|JOIN|WHERE|AND|IS NULL|EXISTS)\b|^(?:[a-z]+[._][a-z_.]+|[a-z]+)(?: AS [a-z_]+)?(?:, (?:[a-z]+[._][a-z_.]+|[a-z]+)(?: AS [a-z_]+)?)*, [a-z]+[._]/;

function collect(node: Node, texts: string[]): void {
  if (isForOthers(node)) return;
  const text = node.type === 'JSXText' ? String(node.value) : textOf(node);
  if (text !== undefined && sentence.test(text) && !statement.test(text)) texts.push(text.trim().slice(0, 80));
  // The holes of a template may hold more.
  for (const value of Object.values(node)) for (const below of nodesIn(value)) collect(below, texts);
}

/** Calls whose arguments a model, a log, a program or a developer reads. */
const otherReaders =
  /^(?:describe|log|trace|debug|info|warn|error|fatal|ignored?|llmOnly|forLlm|run|list|find|texts|has|includes|startsWith|changed|exec|prepare|insertInto|regex|refine|switchedTool)$/;
/** Properties that a model, a log or a developer reads. */
const otherFields = /^(?:descriptions?|forLlm|instructions|reason|failure|prompt)$/;
/** Constants with words for a model, or that rules compare, by their names. */
const otherNames = /(?:Result|ForModel|Prompt|Instructions|Schema|Sql|Query|Pattern|Source)$/;

/** Whether all below the node is read by somebody else than a person. */
function isForOthers(node: Node): boolean {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'TSLiteralType':
    case 'TSTypeLiteral':
    case 'TSInterfaceDeclaration':
      return true;
    case 'NewExpression':
      return (
        /(?:Error|Exception)$/.test(calledName(node.callee) ?? '') &&
        nameOf(node.callee) !== 'ModelError' &&
        nameOf(node.callee) !== 'ChannelError'
      );
    case 'CallExpression':
      return otherReaders.test(calledName(node.callee) ?? '');
    case 'Property':
      return otherFields.test(nameOf(node.key) ?? '');
    case 'VariableDeclarator':
      return otherNames.test(nameOf(node.id) ?? '');
    default:
      return false;
  }
}

/**
 * The last name of what is called: `warn` of `log.warn`, and `log` of `log[level]` and of `host.log[level]`. `z.string().describe` counts whole, as what
 * it describes has no words.
 */
function calledName(callee: unknown): string | undefined {
  if (!isNode(callee)) return undefined;
  if (callee.type === 'MemberExpression' && callee.computed === true) return calledName(callee.object);
  return callee.type === 'MemberExpression' ? nameOf(callee.property) : nameOf(callee);
}
