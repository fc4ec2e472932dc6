import type { ArithmeticExpression, ParameterExpansionPart, ParsedScript, SyntaxNode, TestCommand, Word } from 'unbash';

/**
 * Why what is read may not be what runs: the shell computes something that only it knows, or shells differ in what the
 * text means (sh on Debian is dash). Undefined where neither is so.
 */
export function doubtOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Script':
      return scriptDoubt(node);
    case 'Function':
      return 'a function';
    case 'Coproc':
      return 'a coprocess';
    case 'ArithmeticCommand':
      return 'arithmetic';
    case 'ArithmeticWord':
    case 'ArithmeticUnary':
    case 'ArithmeticBinary':
      return arithmeticDoubt(node);
    case 'ParameterExpansion':
      return parameterDoubt(node);
    case 'Assignment':
      return isComputedIndex(node.index) ? 'a list with a computed index' : undefined;
    case 'HereDocDelimiter':
      // Where shells disagree on it, what one reads as text the other runs.
      return /^(?:\\?[\w.-]+|'[\w.-]+'|"[\w.-]+")$/.test(node.text) ? undefined : 'quotes that shells read differently';
    case 'TestCommand':
      return testDoubt(node);
    case 'AnsiCQuoted':
      // Where the other shell ends the string, a command of its own could begin.
      return node.text.includes("\\'") ? 'quotes that shells read differently' : undefined;
    default:
      return undefined;
  }
}

function scriptDoubt({ errors }: ParsedScript): string | undefined {
  return errors === undefined || errors.length === 0 ? undefined : 'a mistake in its syntax';
}

/** A variable in arithmetic may hold an index that runs a command: only plain numbers are certain. */
function arithmeticDoubt(node: ArithmeticExpression): string | undefined {
  if (node.type !== 'ArithmeticWord') return undefined;
  return /^(?:\d+#)?[\da-fx]+$/i.test(node.value) && /^\d/.test(node.value) ? undefined : 'arithmetic with variables';
}

function parameterDoubt({ prefix, index, operation, parameter }: ParameterExpansionPart): string | undefined {
  if (prefix === '!') return 'a variable that names another';
  if (isComputedIndex(index)) return 'a list with a computed index';
  if (operation?.type === 'Transform' || operation?.type === 'Unknown') return 'a variable that is read as code';
  if (operation?.type === 'Default' && operation.operator.endsWith('=') && !isHarmlessVariable(parameter)) {
    return 'a variable that changes what runs';
  }
  if (operation?.type !== 'Slice') return undefined;
  const isPlain = [operation.offset, operation.length].every(
    (word) => word === undefined || /^\s*-?\d+$/.test(word.value),
  );
  return isPlain ? undefined : 'arithmetic with variables';
}

function isComputedIndex(index: Word | undefined): boolean {
  return index !== undefined && !/^(?:\d+|@|\*)$/.test(index.value);
}

/** Inside `[[ ]]`, dash sees redirections and further commands; bash computes what is compared as numbers. */
function testDoubt({ expression }: TestCommand): string | undefined {
  const isPlain =
    (expression.type === 'TestUnary' && /^-[a-hknpr-uwxzGLNOS]$/.test(expression.operator)) ||
    (expression.type === 'TestBinary' && ['=', '==', '!='].includes(expression.operator));
  return isPlain ? undefined : 'a test that shells read differently';
}

/** Variables that programs do not ask for, by custom in small letters, and some that change only how things look. */
export function isHarmlessVariable(name: string): boolean {
  if (/_proxy$/.test(name) || /^npm_/.test(name)) return false;
  return /^(?:[a-z_][a-z0-9_]*|LANG|LC_[A-Z]+|TZ|COLUMNS|LINES|NO_COLOR|[A-Z])$/.test(name);
}

/** Variables by which another program or library is run, or found elsewhere. */
export function isPowerfulVariable(name: string): boolean {
  return /^(?:LD_\w+|DYLD_\w+|BASH_\w+|ENV|PATH|IFS|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|CDPATH|NODE_\w+|PYTHON\w*|PERL\w*|RUBY\w*|GEM_\w+|GIT_\w+|SSH_\w+|\w*PAGER|EDITOR|VISUAL|BROWSER|SHELL|LESS\w*|MAN\w+|TAR_OPTIONS|RSYNC_\w+|JAVA_\w+|_JAVA_OPTIONS|JDK_\w+|MAVEN_OPTS|CLASSPATH|GCONV_PATH|NPM_\w+|npm_\w+|PIP_\w+|CARGO_\w+|RUSTC\w*|GO\w+|CC|CXX|MAKE\w*|\w+_proxy|\w+_PROXY|GREP_OPTIONS|SUDO_\w+|HOME|XDG_\w+)$/.test(
    name,
  );
}
