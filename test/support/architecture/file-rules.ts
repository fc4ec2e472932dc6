import { nodesIn, type SourceFile, textOf, type Violation } from './source-file.ts';

const longestFile = 400;

/** A file can be read in one go. */
export function lengthViolations({ path, source }: SourceFile): readonly Violation[] {
  const lines = source.trimEnd().split('\n').length;
  return lines > longestFile
    ? [{ path, message: `has ${lines} lines: find the second idea in it (${longestFile})` }]
    : [];
}

/** A file is named after its idea. */
export function nameViolations({ path }: SourceFile): readonly Violation[] {
  const name = path.split('/').at(-1) ?? '';
  const isDrawer = /^(?:.+-)?(?:utils?|helpers?|types?|common|misc|shared)\.tsx?$/.test(name);
  return isDrawer ? [{ path, message: 'is named after no idea: say what it holds' }] : [];
}

const lists: ReadonlySet<string> = new Set(['channels/index.ts', 'src/tools/builtin/index.ts', 'src/store/index.ts']);

/** A file that only passes on what other files export hides where things are. */
export function barrelViolations(file: SourceFile): readonly Violation[] {
  const statements = nodesIn(file.program.body);
  const passesOn = statements.some((statement) => isReExport(statement.type) && statement.source !== null);
  const hasOwn = statements.some(
    (statement) =>
      statement.type !== 'ImportDeclaration' &&
      !(isReExport(statement.type) && nodesIn(statement.declaration).length === 0),
  );
  if (!passesOn || hasOwn || lists.has(file.path)) return [];
  return [{ path: file.path, message: 'only re-exports: import from where things are' }];
}

function isReExport(type: string): boolean {
  return type === 'ExportNamedDeclaration' || type === 'ExportAllDeclaration';
}

// Capitals, so that plain English ("select one from") is not meant.
const sql =
  /\b(?:SELECT\s[\s\S]*\sFROM\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|CREATE\s+(?:VIRTUAL\s+|UNIQUE\s+)?(?:TABLE|INDEX|TRIGGER|VIEW)\s|ALTER\s+TABLE\s)/;

const databases: ReadonlySet<string> = new Set(['better-sqlite3', 'node:sqlite', 'pg']);

/** SQL stays in the store and in the tables of features; the database's library in the store. */
export function sqlViolations(file: SourceFile): readonly Violation[] {
  const { path } = file;
  if (path.startsWith('src/store/')) return [];
  const libraries = file.imports.filter(({ target }) => databases.has(target));
  const isOfTables = /^src\/features\/.*\/tables\.ts$/.test(path);
  const texts = isOfTables ? [] : file.nodes.map(textOf).filter((text) => text !== undefined && sql.test(text));
  return [
    ...libraries.map(({ target }) => ({ path, message: `imports ${target}: only src/store/ does` })),
    ...texts.map((text) => ({
      path,
      message: `holds SQL, which belongs to src/store/ or a feature's tables.ts: ${text?.slice(0, 60)}`,
    })),
  ];
}
