import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { isBuiltin, SourceMap } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { type OutputChunk, type OutputOptions, type Plugin, rolldown } from 'rolldown';
import { type Chunk, lineBits, linesEnding, sourcesName } from '../src/bundle.js';
import { syncFolder } from '../src/lib/sync-folder.ts';

export interface BundlePlan {
  /** The folder that is made. It appears whole or not at all. */
  readonly into: string;
  /** Where the single modules are, which those that ask for their own place are told: the project, or its `dist`. */
  readonly modules: string;
  /** How their files are called. */
  readonly ending: '.ts' | '.js';
}

export const project = join(import.meta.dirname, '..');

/** They find files of theirs beside their code, or read large tables only when these are needed. */
const external = [/^better-sqlite3/, /^@napi-rs\//, /^iconv-lite\/encodings$/];

/** With what these import, whatever a start of the daemon loads before its first reply: one chunk. */
const atStart = [
  /^src\/cli\/(?:commands\/start|start-link)\.ts$/,
  /^channels\/index\.ts$/,
  /^src\/features\/(?:index|[\w-]+\/index|planning\/planning-tools|memory\/memory-tools|composed\/composed-tool)\.ts$/,
  /^src\/models\/(?:create-model|chat-completions\/compatible-source|text-tools\/(?:text-answer|written-calls))\.ts$/,
  /^src\/tools\/(?:foreign-tool|builtin\/(?:[\w-]+|(?:files|messages)\/[\w-]+|web\/web-(?:fetch|search)))\.ts$/,
  /^src\/tools\/guard\/network\/web-client\.ts$/,
  /^src\/lib\/(?:cron-slots|typed-buttons|table-links|network\/kept-requests)\.ts$/,
  /^channels\/kit\/[\w-]+\.ts$/,
  // All of it: what only some of its users need would come from their chunks.
  /(?:^|\/)node_modules\/zod\/v4\//,
];

/** What each command loads, and help. Nothing may import `main.ts`, which waits for what it loads. */
const ofEachCommand = /^src\/(?:cli\/run-command|lib\/background)\.ts$/;

const builtinMark = '\0builtin:';

export interface Bundled {
  /** The files of this project that are in it. */
  readonly paths: readonly string[];
  readonly chunks: readonly Chunk[];
}

/** In it, what works in processes of its own. That shares no chunk with the daemon, of which it would load the largest. */
const workersFolder = 'workers';
/** What is told to load a module: `workerFunction<Work>(import.meta.url, './module', …`. */
const workerMark = /\b(workerFunction(?:<[\w\s.]+>)?\(|beside\()import\.meta\.url, '(\.[^']+)'/g;

/** Packs the program into few files: see `src/bundle.js`. All of it is on the disk when this resolves. */
export async function bundle(plan: BundlePlan): Promise<Bundled> {
  const draft = `${plan.into}.new-${process.pid}`;
  const workers = new Map<string, string>();
  try {
    const daemon = await pack({ main: join(project, 'src/main.ts') }, plan, {
      workers,
      sourcemap: 'hidden',
      codeSplitting: {
        groups: [
          { name: 'command', priority: 2, test: (id) => ofEachCommand.test(pathOf(id)) || id.startsWith(builtinMark) },
          { name: 'start', priority: 1, test: (id) => atStart.some((pattern) => pattern.test(pathOf(id))) },
        ],
      },
    });
    const into = join(plan.into, workersFolder);
    const others = await pack(Object.fromEntries(workers), { ...plan, into }, { workers: new Map() });
    mkdirSync(join(draft, workersFolder), { recursive: true });
    const written = [
      ...writeChunks(daemon, draft),
      ...writeChunks(others, join(draft, workersFolder)).map((name) => `${workersFolder}/${name}`),
    ];
    await syncAll(draft, written);
    rmSync(plan.into, { recursive: true, force: true });
    renameSync(draft, plan.into);
    await syncFolder(dirname(plan.into));
    const paths = [...daemon, ...others].flatMap(({ moduleIds }) => moduleIds.map(pathOf));
    return {
      paths: [...new Set(paths)].filter((path) => /^(?:src|channels|packages)\//.test(path)).toSorted(),
      chunks: written.toSorted().map((name) => [name, statSync(join(plan.into, name)).size]),
    };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

interface PackOptions extends Pick<OutputOptions, 'sourcemap' | 'codeSplitting'> {
  /** Takes the modules that work in processes of their own, by the names of their chunks. */
  readonly workers: Map<string, string>;
}

async function pack(
  input: Readonly<Record<string, string>>,
  plan: BundlePlan,
  { workers, ...options }: PackOptions,
): Promise<readonly OutputChunk[]> {
  await using packing = await rolldown({
    input: { ...input },
    platform: 'node',
    // As `tsconfig.json` says: a package may meet a Node that knows no `using`.
    transform: { target: 'es2024' },
    preserveEntrySignatures: 'allow-extension',
    external,
    logLevel: 'silent',
    plugins: [withoutUnused(), builtins(), places(plan, workers)],
  });
  const { output } = await packing.generate({
    // Sources are named as seen from here.
    dir: plan.into,
    format: 'esm',
    comments: false,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    ...options,
  });
  return output.filter((file) => file.type === 'chunk');
}

/** Within the project, with `/`. */
function pathOf(id: string): string {
  return relative(project, id).replaceAll(sep, '/');
}

/**
 * What nobody needs stays behind: zod's words in 60 languages, and node-fetch's `URL` for a Node without one, with 400 KB of
 * tables. Those of characters are read when they are used. The first form of `jsonc-parser` cannot be packed.
 */
function withoutUnused(): Plugin {
  const empty = '\0empty';
  return {
    name: 'without-unused',
    load: (id) => (id === empty ? 'export default {};' : undefined),
    resolveId(target, from) {
      if (target === 'jsonc-parser') return join(project, 'node_modules/jsonc-parser/lib/esm/main.js');
      if (target === 'whatwg-url' && /[\\/]node-fetch[\\/]/.test(from ?? '')) return empty;
      if (target === '../encodings' && /[\\/]iconv-lite[\\/]lib[\\/]/.test(from ?? ''))
        return { id: 'iconv-lite/encodings', external: true };
      const isOfZod = target === '../locales/index.js' && /[\\/]zod[\\/]v4[\\/]\w+[\\/][\w-]+\.js$/.test(from ?? '');
      return isOfZod && from !== undefined ? resolve(dirname(from), '../locales/en.js') : undefined;
    },
    // As src/main.ts does it: here, most schemas are made before that could.
    transform: (code, id) =>
      /[\\/]zod[\\/]v4[\\/]core[\\/]core\.js$/.test(id) ? `${code}\nconfig({ jitless: true });\n` : undefined,
  };
}

/** An import of one reads all that it exports, `WebSocket` of `node:http` among them, for which Node loads its undici: 40 ms. */
function builtins(): Plugin {
  return {
    name: 'builtins',
    resolveId: (target) =>
      isBuiltin(target) && !/^(?:node:)?module$/.test(target) ? builtinMark + target.replace(/^node:/, '') : undefined,
    load(id) {
      if (!id.startsWith(builtinMark)) return undefined;
      const name = JSON.stringify(`node:${id.slice(builtinMark.length)}`);
      return {
        code: `module.exports = process.getBuiltinModule(${name});`,
        moduleType: 'js',
        moduleSideEffects: false,
      };
    },
  };
}

/**
 * A module knows its own place, from which it finds others: here it is told the one that it was packed from. What is started in
 * a process of its own is a chunk, beside the one that starts it.
 */
function places({ into, modules, ending }: BundlePlan, workers: Map<string, string>): Plugin {
  return {
    name: 'places',
    transform(code, id) {
      const path = pathOf(id);
      if (!/^(?:src|channels|packages)\//.test(path) || !code.includes('import.meta.url')) return undefined;
      const from = relative(into, join(modules, path)).replaceAll(sep, '/').replace(/\.ts$/, ending);
      const place = `new URL(${JSON.stringify(encodeURI(from))}, import.meta.url).href`;
      return code
        .replace(workerMark, (_, call: string, module: string) => {
          const name = basename(module);
          const file = `${join(dirname(id), module)}.ts`;
          if ((workers.get(name) ?? file) !== file) throw new Error(`Two modules of processes are called ${name}.`);
          workers.set(name, file);
          return `${call}import.meta['url'], './${workersFolder}/${name}'`;
        })
        .replaceAll('new Worker(new URL(import.meta.url)', "new Worker(new URL(import.meta['url'])")
        .replaceAll('import.meta.url', place);
    },
  };
}

/** The chunks, where each of their lines came from, and what the files are called there. Returns the names of the chunks. */
function writeChunks(chunks: readonly OutputChunk[], folder: string): readonly string[] {
  const sources = new Map<string, number>();
  const facades = facadesOf(chunks);
  const written: string[] = [];
  for (const { fileName, code, map } of chunks) {
    if (facades.has(fileName)) continue;
    writeFileSync(join(folder, fileName), inAscii(withoutFacades(code, facades)));
    written.push(fileName);
    if (map !== null) writeFileSync(join(folder, fileName + linesEnding), linesOf(code, map, sources));
  }
  if (sources.size > 0) writeFileSync(join(folder, sourcesName), JSON.stringify([...sources.keys()]));
  return written;
}

/** Else a power failure may leave empty files behind names that are there. At once, for which the disk needs far less time. */
async function syncAll(folder: string, names: readonly string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      await using file = await open(join(folder, name), 'r+');
      await file.sync();
    }),
  );
  for (const name of new Set(names.map(dirname))) await syncFolder(join(folder, name));
}

/** Chunks that only pass on what is in another one, by their name: what loads that one instead. */
function facadesOf(chunks: readonly OutputChunk[]): ReadonlyMap<string, string> {
  return new Map(
    chunks.flatMap(({ fileName, code, isEntry }) => {
      const [, passed, from] = /^export \{ ([^}]*) \} from "([^"]+)";\s*$/.exec(code) ?? [];
      const isImported = chunks.some(({ imports }) => imports.includes(fileName));
      if (passed === undefined || from === undefined || isImported || isEntry) return [];
      const fields = passed.split(', ').map((each) => each.split(' as '));
      const named = fields.map(([name = '', as = name]) => `${as}: chunk.${name}`).join(', ');
      return [[fileName, `import(${JSON.stringify(from)}).then((chunk) => ({ ${named} }))`]];
    }),
  );
}

/** Each of some forty would be one more file to read. */
function withoutFacades(code: string, facades: ReadonlyMap<string, string>): string {
  return code.replace(/\bimport\("\.\/([\w.-]+)"\)/g, (whole, name: string) => facades.get(name) ?? whole);
}

/** V8 keeps a text in half the memory if it has no character beyond these. A backslash before one says nothing. */
function inAscii(code: string): string {
  return code.replace(/(\\*)([^\0-\x7f])/g, (_, slashes: string, character: string) => {
    const escaped = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return slashes.slice(slashes.length % 2) + escaped;
  });
}

/** For each line of the code a number of 32 bits: which source, and which line of it. */
function linesOf(code: string, map: NonNullable<OutputChunk['map']>, sources: Map<string, number>): Buffer {
  const count = code.split('\n').length;
  const found = new SourceMap({ ...map, file: map.file ?? '', sourceRoot: '', sourcesContent: [] });
  const lines = Buffer.alloc(count * 4);
  for (let line = 0; line < count; line += 1) {
    const entry = found.findEntry(line, 2 ** 30);
    if (!('originalLine' in entry) || entry.generatedLine !== line) continue;
    const source = sources.get(entry.originalSource) ?? sources.size;
    sources.set(entry.originalSource, source);
    const at = Math.min(entry.originalLine + 1, 2 ** lineBits - 1);
    lines.writeUInt32LE(source * 2 ** lineBits + at, line * 4);
  }
  return lines;
}
