import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseAst } from 'vitest/node';

/** A file of the project, parsed. Rules are pure functions of it. */
export interface SourceFile {
  /** From the project's root: `src/lib/clock.ts`. */
  readonly path: string;
  readonly source: string;
  readonly program: Node;
  /** The program and all below it. */
  readonly nodes: readonly Node[];
  readonly imports: readonly Import[];
}

/** What a file imports or re-exports, types included. */
export interface Import {
  /** A path from the project's root, or the name of a package. */
  readonly target: string;
  readonly isFile: boolean;
  readonly isDynamic: boolean;
}

/** What breaks a rule, in words that say what to do. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** A node of the syntax tree: its fields are looked at one by one. */
export interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Parses a source text. Throws if it is not TypeScript. */
export function parseFile(path: string, source: string): SourceFile {
  const program: unknown = parseAst(source, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }, path);
  if (!isNode(program)) throw new Error(`The parser made nothing of ${path}.`);
  const nodes: Node[] = [];
  collect(program, nodes);
  return { path, source, program, nodes, imports: importsOf(path, nodes) };
}

/** All files that match the patterns, under the root. */
export function readFiles(root: string, patterns: readonly string[]): readonly SourceFile[] {
  const paths = globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**'] }).toSorted();
  return paths.map((path) => parseFile(path, readFileSync(posix.join(root, path), 'utf8')));
}

/** Whether the value is a node of the tree. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The nodes among what a field holds. */
export function nodesIn(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return isNode(value) ? [value] : [];
}

/** The statements of the file, without the `export` in front of them. */
export function statementsOf({ program }: SourceFile): readonly Node[] {
  return nodesIn(program.body).map((statement) => nodesIn(statement.declaration)[0] ?? statement);
}

/** The name of an identifier. */
export function nameOf(value: unknown): string | undefined {
  return isNode(value) && typeof value.name === 'string' ? value.name : undefined;
}

/** The text of a string, or of a template with `?` in its holes. */
export function textOf(node: Node): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;
  return nodesIn(node.quasis).map(rawText).join('?');
}

function rawText({ value }: Node): string {
  return typeof value === 'object' && value !== null && 'raw' in value ? String(value.raw) : '';
}

/** Adds what there is in a field, and all below it. */
function collect(value: unknown, nodes: Node[]): void {
  if (Array.isArray(value)) for (const item of value) collect(item, nodes);
  if (!isNode(value)) return;
  nodes.push(value);
  for (const field of Object.values(value)) if (typeof field === 'object') collect(field, nodes);
}

const importing: ReadonlySet<string> = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

function importsOf(path: string, nodes: readonly Node[]): readonly Import[] {
  return nodes.flatMap((node) => {
    const source = importing.has(node.type) ? node.source : undefined;
    const target = isNode(source) ? textOf(source) : undefined;
    if (target === undefined) return [];
    const isFile = target.startsWith('.');
    const isDynamic = node.type === 'ImportExpression';
    return [{ target: isFile ? posix.join(posix.dirname(path), target) : target, isFile, isDynamic }];
  });
}
