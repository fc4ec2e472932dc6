import { isNode, type Node, nameOf, nodesIn, type SourceFile, type Violation } from './source-file.ts';

/** A function has no more lines than this, with all that stands in it. */
const longestFunction = 80;

/** Functions that were longer when this rule came. Files may only leave this list. */
export type LengthAllowances = ReadonlySet<string>;

/** What is short can be read in one go. */
export function longFunctionViolations(file: SourceFile, allowed?: LengthAllowances): readonly Violation[] {
  if (allowed?.has(file.path)) return [];
  return functionsIn(file)
    .map((one) => ({ name: one.name, lines: linesOf(one.node, file) }))
    .filter(({ lines }) => lines > longestFunction)
    .map(({ name, lines }) => ({
      path: file.path,
      message: `\`${name}\` has ${lines} lines (${longestFunction}): give its parts names at the top level of the module`,
    }));
}

/** A method of an object with no more lines than this hands on, or is a callback. */
const longestHandingOn = 10;

/**
 * The names of functions that an outline of the module does not show: functions declared within others; functions with
 * statements that are given to a variable there; and methods of objects there, if they do more than hand on. What is one
 * expression is as short as the variable that it could be.
 */
export function nestedFunctions(file: SourceFile): readonly string[] {
  return functionsIn(file)
    .filter((one) => one.isNested && isHidden(one, file))
    .map(({ name }) => name);
}

function isHidden({ node, parent }: FoundFunction, file: SourceFile): boolean {
  switch (parent.type) {
    case 'VariableDeclarator':
      return hasStatements(node);
    case 'Property':
      return hasStatements(node) && linesOf(node, file) > longestHandingOn;
    default:
      return node.type === 'FunctionDeclaration';
  }
}

function hasStatements({ body }: Node): boolean {
  return isNode(body) && body.type === 'BlockStatement';
}

/** How often a type is what some function happens to return, where an interface would say what is promised. */
export function inferredContracts({ nodes }: SourceFile): number {
  return nodes.filter(isInferred).length;
}

function isInferred({ type, typeName, typeArguments }: Node): boolean {
  if (type !== 'TSTypeReference' || nameOf(typeName) !== 'ReturnType' || !isNode(typeArguments)) return false;
  return nodesIn(typeArguments.params).some((argument) => argument.type === 'TSTypeQuery');
}

/** Where literals are still spread, and how often. */
export type SpreadAllowances = Readonly<Record<string, number>>;

/** Fields are written one by one: `...{ a, b }` saves lines, and costs readers. */
export function literalSpreadViolations(
  { path, nodes }: SourceFile,
  allowances: SpreadAllowances = {},
): readonly Violation[] {
  const spreads = nodes
    .filter(({ type }) => type === 'ObjectExpression')
    .flatMap(({ properties }) => nodesIn(properties))
    .filter(
      ({ type, argument }) => type === 'SpreadElement' && isNode(argument) && argument.type === 'ObjectExpression',
    );
  const allowed = allowances[path] ?? 0;
  return spreads.length > allowed
    ? [{ path, message: `spreads ${spreads.length} literals, ${allowed} allowed: write their fields one by one` }]
    : [];
}

interface FoundFunction {
  readonly node: Node;
  readonly parent: Node;
  readonly name: string;
  /** Whether it stands in another function. */
  readonly isNested: boolean;
}

const functions: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

function functionsIn({ program }: SourceFile): readonly FoundFunction[] {
  const found: FoundFunction[] = [];
  collect(program, { parent: program, isNested: false }, found);
  return found;
}

function collect(node: Node, { parent, isNested }: Omit<FoundFunction, 'node' | 'name'>, found: FoundFunction[]): void {
  const isFunction = functions.has(node.type);
  const name = nameOf(node.id) ?? nameOf(parent.id) ?? nameOf(parent.key) ?? 'a function';
  if (isFunction) found.push({ node, parent, name, isNested });
  for (const child of Object.values(node).flatMap(nodesIn)) {
    collect(child, { parent: node, isNested: isNested || isFunction }, found);
  }
}

function linesOf({ start, end }: Node, { source }: SourceFile): number {
  const isPlaced = typeof start === 'number' && typeof end === 'number';
  return isPlaced ? source.slice(start, end).split('\n').length : 0;
}
