import { isNode, type Node, nameOf, nodesIn, type SourceFile, statementsOf, type Violation } from './source-file.ts';

/** Nothing in a module changes after its import. */
export function stateViolations(file: SourceFile): readonly Violation[] {
  const declared = statementsOf(file).filter(({ type }) => type === 'VariableDeclaration');
  const moved = declared
    .filter(({ kind }) => kind !== 'const')
    .map(({ kind }) => `a \`${kind}\` at the top of a module`);
  const grown = declared.flatMap(({ declarations }) => nodesIn(declarations)).filter(holdsState);
  const fields = file.nodes.filter(
    (node) => node.type === 'PropertyDefinition' && node.static === true && node.readonly !== true,
  );
  return [
    ...moved,
    ...grown.map(({ id }) => `\`${nameOf(id)}\` can change: annotate it as Readonly…, or give it to a class`),
    ...fields.map(({ key }) => `the static field \`${nameOf(key)}\` can change`),
  ].map((message) => ({ path: file.path, message }));
}

const mutable: ReadonlySet<string> = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);

/** A collection, or an empty list or object that waits to be filled, without a type that forbids it. */
function holdsState({ id, init }: Node): boolean {
  if (!isNode(init)) return false;
  const isCollection = init.type === 'NewExpression' && mutable.has(nameOf(init.callee) ?? '');
  const isEmpty =
    (init.type === 'ArrayExpression' && nodesIn(init.elements).length === 0) ||
    (init.type === 'ObjectExpression' && nodesIn(init.properties).length === 0);
  return (isCollection || isEmpty) && !isReadonly(id);
}

function isReadonly(id: unknown): boolean {
  const annotation = isNode(id) ? nodesIn(id.typeAnnotation)[0]?.typeAnnotation : undefined;
  if (!isNode(annotation)) return false;
  if (annotation.type === 'TSTypeOperator') return annotation.operator === 'readonly';
  return nameOf(annotation.typeName)?.startsWith('Readonly') ?? false;
}

const workless = /^(?:Import|Export|Variable|Function|Class|TSInterface|TSTypeAlias|TSDeclareFunction)/;

/** Where a process or a thread begins: what they load is what they do. */
const entries: ReadonlySet<string> = new Set([
  'src/main.ts',
  'src/tools/guard/worker/worker-process.ts',
  'packages/page/src/main.tsx',
  'packages/page/src/worker/sw.ts',
]);

/** A module exports, and does nothing else: it starts nothing and waits for nothing. */
export function importWorkViolations(file: SourceFile): readonly Violation[] {
  if (entries.has(file.path) || /^(?:scripts|bench)\//.test(file.path)) return [];
  const statements = nodesIn(file.program.body);
  const works = statements
    .filter(({ type }) => !workless.test(type))
    .map(({ type }) => `does work on import (${type})`);
  const waits = statements.some(awaits) ? ['awaits on import'] : [];
  return [...works, ...waits].map((message) => ({ path: file.path, message }));
}

/** Whether it awaits outside of any function. */
function awaits(node: Node): boolean {
  if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await === true)) return true;
  if (/Function/.test(node.type)) return false;
  return Object.values(node).some((value) => nodesIn(value).some(awaits));
}

/** How often files may say `as`, each for a library whose types are wrong. */
export type CastAllowances = Readonly<Record<string, { readonly casts: number; readonly reason: string }>>;

/** `as` and its kind are believed, not checked. An allowance that is not used up is a violation, too. */
export function castViolations(file: SourceFile, allowances: CastAllowances = {}): readonly Violation[] {
  const { path } = file;
  const allowed = allowances[path]?.casts ?? 0;
  const casts = file.nodes.filter(isCast).length;
  if (casts > allowed)
    return [{ path, message: `has ${casts} casts, ${allowed} allowed: let the type be known, or check it` }];
  return casts < allowed ? [{ path, message: `has ${casts} casts: lower its allowance of ${allowed}` }] : [];
}

function isCast(node: Node): boolean {
  if (node.type === 'TSTypeAssertion') return true;
  const target = node.typeAnnotation;
  return node.type === 'TSAsExpression' && !(isNode(target) && nameOf(target.typeName) === 'const');
}

/** What silences the compiler, beside what the linter sees. */
export function silencingViolations(file: SourceFile): readonly Violation[] {
  const promised = file.nodes.filter(({ definite }) => definite === true).map(() => 'says `!`: give it a value');
  const silenced = /@ts-(?:ignore|nocheck|expect-error)/.exec(file.source)?.[0];
  const all = silenced === undefined ? promised : [...promised, `says ${silenced}`];
  return all.map((message) => ({ path: file.path, message }));
}

/** Where the process meets the code: `streams.ts` asks the terminal what it can show. */
const edges = /^(?:src\/main\.ts|src\/cli\/|src\/config\/|scripts\/|channels\/terminal\/streams\.ts)/;

/** The environment is read at the edge and handed in. */
export function environmentViolations(file: SourceFile): readonly Violation[] {
  if (edges.test(file.path)) return [];
  const reads = file.nodes.filter(
    (node) =>
      (node.type === 'MemberExpression' && nameOf(node.object) === 'process' && nameOf(node.property) === 'env') ||
      (node.type === 'VariableDeclarator' && nameOf(node.init) === 'process' && takesEnvironment(node.id)) ||
      (node.type === 'ImportDeclaration' && importsEnvironment(node)),
  );
  return reads.map(() => ({ path: file.path, message: 'reads process.env: take it as a parameter' }));
}

function importsEnvironment(node: Node): boolean {
  const { source } = node;
  const isProcess = isNode(source) && source.value === 'node:process';
  return isProcess && nodesIn(node.specifiers).some(({ imported }) => nameOf(imported) === 'env');
}

function takesEnvironment(pattern: unknown): boolean {
  return isNode(pattern) && nodesIn(pattern.properties).some(({ key }) => nameOf(key) === 'env');
}

/** A timeout of `AbortSignal` keeps all that a request made until its time is over, and knows no fake clock. */
export function timeoutViolations(file: SourceFile): readonly Violation[] {
  const calls = file.nodes.filter(
    ({ type, object, property }) =>
      type === 'MemberExpression' && nameOf(object) === 'AbortSignal' && nameOf(property) === 'timeout',
  );
  return calls.map(() => ({
    path: file.path,
    message: 'says AbortSignal.timeout: use withTimeout of src/lib/clock.ts',
  }));
}

/** `defineTool` is for authors: a text of theirs is the same for everybody. */
export function toolViolations(file: SourceFile): readonly Violation[] {
  if (!/^src\/(?:features|tools\/builtin)\//.test(file.path)) return [];
  const calls = file.nodes.filter(({ type, callee }) => type === 'CallExpression' && nameOf(callee) === 'defineTool');
  const message = 'says defineTool: use defineBuiltin, which wants the words of its calls in each language';
  return calls.map(() => ({ path: file.path, message }));
}
