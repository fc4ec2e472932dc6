import type { Import, SourceFile, Violation } from './source-file.ts';

/** The tower, from the ground up. What stands on one floor does not see each other. */
const floors: readonly (readonly string[])[] = [
  ['lib', 'find-node.js', 'bundle.js'],
  ['messages'],
  ['contract', 'transcript'],
  ['tools', 'models', 'telemetry'],
  ['approval', 'words'],
  ['engine'],
  ['runs', 'delivery', 'config'],
  ['conversation'],
  ['store'],
  ['feature-points'],
  ['extension-kit'],
  ['features'],
  ['daemon'],
  ['cli'],
  ['main'],
];

/** A feature is a folder and a line here: nothing else names it, so that it can be left out. */
const featureList = 'src/features/index.ts';
const onlyTheList = `only ${featureList} knows the features, and no feature another one`;

/** What others build into pages and programs of theirs. It stands beside the tower: nobody in it sees it. */
const clientFolder = 'packages/client/src/';

/** What runs in a browser. It sees the client, and of its feature the types of what it is answered. */
const pageFolder = 'packages/page/src/';
const pageWire = 'src/features/page/wire/';

/** The platforms that tests talk to. Beside tests, only the demo sees one, and loads it when it is played. */
const fakesFolder = 'packages/fakes/src/';
const demoPhone = 'src/cli/commands/demo/fake-telegram.ts';
const playedTelegram = `${fakesFolder}telegram-server.ts`;

/** What channels have in common. It sees what a channel sees, and no channel. */
const kitFolder = 'channels/kit/';
/** Settings are read before any adapter is loaded, so this part of the kit loads nothing more than they do. */
const kitSettings = `${kitFolder}access-settings.ts`;
/** What says in each language what is wrong with a setting. */
const settingTexts: ReadonlySet<string> = new Set(['src/lib/words.ts', 'src/lib/schema-text.ts']);

/** `npm run size` measures what a message runs between the fakes of the tests. */
const measuredRun = 'test/e2e/measured-run.ts';

/** The pictures are of a run between the servers of the tests. */
const pictures = 'scripts/pictures/';
/** What plays people, and a model, in a daemon of the tests. */
const playedBench = 'bench/attacks/';

/** Files import from their own folder and from lower floors only; channels see nothing but the contract. */
export function floorViolations(file: SourceFile): readonly Violation[] {
  return file.imports.flatMap((imported) => {
    const reason = refusal(file.path, imported);
    return reason === undefined ? [] : [{ path: file.path, message: `imports ${imported.target}: ${reason}` }];
  });
}

/** The tests of a feature stand in a folder of its name, and go with it: no other test knows it, but those with servers of others. */
export function featureTestViolations({ path, imports }: SourceFile): readonly Violation[] {
  if (path.startsWith('test/peers/')) return [];
  const [, , own] = path.startsWith('test/features/') ? path.split('/') : [];
  const others = imports.filter(
    ({ target }) => (isFeature(target) || target.startsWith('test/features/')) && target.split('/')[2] !== own,
  );
  return others.map(({ target }) => ({
    path,
    message: `imports ${target}: only test/features/${target.split('/')[2]}/ may`,
  }));
}

function refusal(path: string, imported: Import): string | undefined {
  const [area, name] = path.split('/');
  if (path.startsWith(clientFolder)) return refusalInClient(imported);
  if (path.startsWith(fakesFolder)) return refusalInFakes(imported);
  if (path.startsWith(pageFolder)) return refusalInPage(imported);
  if (area === 'src') return imported.isFile ? refusalInSource(path, imported) : undefined;
  if (path === 'channels/index.ts') return imported.isFile ? refusalInCatalogue(imported) : undefined;
  if (area === 'channels') return refusalInChannel(path, `channels/${name}/`, imported);
  const isPlayed = path.startsWith(playedBench) && imported.target.startsWith('test/support/');
  const isFilmed = path.startsWith(pictures) && /^(?:test\/(?:support|e2e)|packages\/fakes)\//.test(imported.target);
  const isOurs =
    /^(?:src|channels|scripts|bench)\//.test(imported.target) ||
    imported.target === measuredRun ||
    isPlayed ||
    isFilmed;
  if (isFeature(imported.target)) return onlyTheList;
  return imported.isFile && !isOurs ? 'scripts and benchmarks see src/ and channels/ only' : undefined;
}

function refusalInClient({ target }: Import): string | undefined {
  return target.startsWith(clientFolder) ? undefined : 'the client library sees its own files only, and no package';
}

function refusalInFakes({ target, isFile }: Import): string | undefined {
  return !isFile || target.startsWith(fakesFolder) ? undefined : 'the fakes see their own files and packages only';
}

function refusalInPage({ target, isFile }: Import): string | undefined {
  const isOurs = target.startsWith(pageFolder) || target.startsWith(pageWire);
  return !isFile || isOurs ? undefined : `the page sees its own files, packages, and the types of ${pageWire}`;
}

function refusalInSource(path: string, { target, isDynamic }: Import): string | undefined {
  if (path === demoPhone && target === playedTelegram && isDynamic) return undefined;
  if (target === 'channels/index.ts') return path === 'src/main.ts' ? undefined : 'only src/main.ts knows the channels';
  if (!target.startsWith('src/')) return 'src/ sees src/ only';
  const own = unitOf(path);
  const other = unitOf(target);
  // The words of all matters of runs.
  if (own === other || (own.startsWith('runs/') && other === 'runs/words.ts')) return undefined;
  if (isFeature(path) && target.startsWith('src/store/') && !path.endsWith('/tables.ts'))
    return 'a feature sees the store in its tables.ts only';
  if (isFeature(target)) return path === featureList ? undefined : onlyTheList;
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
  const ownWords = `${folder}settings/words.ts`;
  if (path === ownWords) return settingTexts.has(target) ? undefined : 'the words of settings load nothing else';
  if (path === kitSettings || path === `${folder}settings.ts`) {
    const isLight = ['zod', 'src/contract.ts', kitSettings, ownWords].includes(target) || settingTexts.has(target);
    return isLight ? undefined : `settings load nothing but zod, the contract, their words and ${kitSettings}`;
  }
  const seen = ['src/lib/', kitFolder, folder];
  if (!isFile || target === 'src/contract.ts' || seen.some((beginning) => target.startsWith(beginning)))
    return undefined;
  return 'a channel sees src/contract.ts, src/lib/, channels/kit/ and its own folder only';
}

/** `src/tools/builtin/shell.ts` belongs to `tools`, `src/main.ts` to `main`; each feature, and each matter of runs, is a unit. */
function unitOf(path: string): string {
  const [, unit = '', matter] = path.split('/');
  return unit === 'features' || unit === 'runs' ? `${unit}/${matter}` : unit.replace(/\.ts$/, '');
}

function floorOf(unit: string): number {
  return floors.findIndex((units) => units.includes(unit.replace(/\/.*/, '')));
}

function isFeature(path: string): boolean {
  return path.startsWith('src/features/') && path !== featureList;
}
