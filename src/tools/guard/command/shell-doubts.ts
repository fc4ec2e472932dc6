import type { SyntaxNode } from 'unbash';
import { braceWords } from './braces.ts';
import { isHarmlessVariable, printedWord } from './command-reading.ts';
import { isAmong } from './shell-words.ts';

/**
 * Why what runs may differ from what is read: the shell computes something, or shells read the text differently (sh on
 * Debian is dash). Undefined if neither.
 */
export function doubtOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Script':
      return node.errors?.[0] && `a mistake in its syntax: ${node.errors[0].message}`;
    case 'Word':
      return braceWords(node.text) === undefined ? 'braces that cannot be told' : undefined;
    case 'Function':
      return 'a function';
    case 'Coproc':
      return 'a coprocess';
    case 'ArithmeticCommand':
      return 'arithmetic';
    case 'ArithmeticExpansion':
      return node.text.startsWith('$[') ? 'arithmetic that shells read differently' : undefined;
    case 'ArithmeticWord':
      return doubtOfArithmetic(node.value);
    case 'ParameterExpansion': {
      const { prefix, index, operation, parameter } = node;
      if (prefix === '!') return 'a variable that names another';
      const doubt = doubtOfIndex(index?.text);
      if (doubt !== undefined) return doubt;
      if (operation?.type === 'Transform' || operation?.type === 'Unknown') return 'a variable that is read as code';
      const isSet = operation?.type === 'Default' && operation.operator.endsWith('=');
      if (isSet && !isHarmlessVariable(parameter)) return 'a variable that changes what runs';
      if (operation?.type !== 'Slice') return undefined;
      return [operation.offset, operation.length]
        .map((word) => doubtOfArithmetic((word?.text ?? '0').replace(/^\s*-/, '')))
        .find((doubt) => doubt !== undefined);
    }
    case 'Assignment':
      return doubtOfIndex(node.index?.text);
    case 'ArrayValue':
      return node.elements.some(({ text }) => /^\[(?!\d+\]\+?=)/.test(text)) ? computedIndex : undefined;
    case 'CommandExpansion': {
      if (/^`.*\\/s.test(node.text)) return 'a backslash in backticks';
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
    case 'HereDocBody':
      // Quotes are only text there: they do not keep what is in them from running.
      return node.parts?.some(({ type, text }) => type === 'ParameterExpansion' && text.includes("'"))
        ? 'quotes that shells read differently'
        : undefined;
    case 'FileDescriptorVariable':
      return isHarmlessVariable(node.name) ? undefined : 'a variable that changes what runs';
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

/** A variable in arithmetic may hold an index that runs a command: only plain numbers are certain. */
function doubtOfArithmetic(text: string): string | undefined {
  if (/^(?:\d+#)?\d[\da-fx]*$/i.test(text)) return undefined;
  // Quotes are only text there: they do not keep what is in them from running.
  return /['\\]/.test(text) ? 'quotes that shells read differently' : 'arithmetic with variables';
}

const computedIndex = 'a list with a computed index';

/** An index is arithmetic. */
function doubtOfIndex(index = '0'): string | undefined {
  if (/^[@*]$/.test(index)) return undefined;
  return /^[\w$+*/ -]+$/.test(index) ? doubtOfArithmetic(index) : computedIndex;
}
