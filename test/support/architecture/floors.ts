import type { Import, SourceFile, Violation } from './source-file.ts';

/** The tower, from the ground up. What stands on one floor does not see each other. */
const floors: readonly (readonly string[])[] = [
  ['lib'],
  ['messages', 'command-menu'],
  ['contract', 'transcript'],
  ['tools', 'model'],
  ['approval'],
  ['agent', 'config'],
  ['conversation'],
  ['store', 'gateway'],
  ['daemon'],
  ['cli'],
  ['main'],
];

/** What others build into pages and programs of theirs. It stands beside the tower: nobody in it sees it. */
const clientFolder = 'src/client/';

/** Files import from their own folder and from lower floors only; channels see nothing but the contract. */
export function floorViolations(file: SourceFile): readonly Violation[] {
  return file.imports.flatMap((imported) => {
    const reason = refusal(file.path, imported);
    return reason === undefined ? [] : [{ path: file.path, message: `imports ${imported.target}: ${reason}` }];
  });
}

/** No file leads back to itself, whether by values, types or dynamic imports. */
export function cycleViolations(files: readonly SourceFile[]): readonly Violation[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const finished = new Set<string>();
  const violations: Violation[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      violations.push({ path, message: `imports itself: ${[...trail.slice(start), path].join(' → ')}` });
      return;
    }
    if (finished.has(path)) return;
    for (const { target } of byPath.get(path)?.imports ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const { path } of files) visit(path, []);
  return violations;
}

function refusal(path: string, imported: Import): string | undefined {
  const [area, name] = path.split('/');
  if (path.startsWith(clientFolder)) return refusalInClient(imported);
  if (area === 'src') return imported.isFile ? refusalInSource(path, imported) : undefined;
  if (path === 'channels/index.ts') return imported.isFile ? refusalInCatalogue(imported) : undefined;
  if (area === 'channels') return refusalInChannel(path, `channels/${name}/`, imported);
  const isOurs = /^(?:src|channels|scripts|bench)\//.test(imported.target);
  return imported.isFile && !isOurs ? 'scripts and benchmarks see src/ and channels/ only' : undefined;
}

function refusalInClient({ target }: Import): string | undefined {
  return target.startsWith(clientFolder) ? undefined : 'the client library sees its own files only, and no package';
}

function refusalInSource(path: string, { target }: Import): string | undefined {
  if (target === 'channels/index.ts') return path === 'src/main.ts' ? undefined : 'only src/main.ts knows the channels';
  if (!target.startsWith('src/')) return 'src/ sees src/ only';
  const own = unitOf(path);
  const other = unitOf(target);
  if (own === other) return undefined;
  const [ownFloor, otherFloor] = [floorOf(own), floorOf(other)];
  if (ownFloor === -1) return `${own} stands on no floor: name it in the architecture test`;
  if (otherFloor === -1) return `${other} stands on no floor of the tower`;
  return otherFloor < ownFloor ? undefined : `${other} does not stand below ${own}`;
}

function refusalInCatalogue({ target, isDynamic }: Import): string | undefined {
  if (target === 'src/contract.ts') return undefined;
  if (isDynamic) return /^channels\/[^/]+\/index\.ts$/.test(target) ? undefined : 'the catalogue loads adapters only';
  return /^channels\/[^/]+\/settings\.ts$/.test(target)
    ? undefined
    : 'the catalogue sees settings; adapters it loads with import()';
}

function refusalInChannel(path: string, folder: string, { target, isFile }: Import): string | undefined {
  if (path === `${folder}settings.ts`)
    return target === 'zod' || target === 'src/contract.ts'
      ? undefined
      : 'settings load nothing but zod and the contract';
  if (!isFile || target === 'src/contract.ts' || target.startsWith('src/lib/') || target.startsWith(folder))
    return undefined;
  return 'a channel sees src/contract.ts, src/lib/ and its own folder only';
}

/** `src/tools/builtin/shell.ts` belongs to `tools`, `src/main.ts` to `main`. */
function unitOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '');
}

function floorOf(unit: string): number {
  return floors.findIndex((units) => units.includes(unit));
}
