import { registerHooks } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { newId } from '../../../lib/ids.ts';
import { type ModuleFile, type ModuleFiles, moduleFormats, pathOf } from './module-files.ts';

/** The mark of an import, in the URLs of all files that belong to it. */
const mark = 'keyturn';

/**
 * Imports modules from what was read of them before, and from nothing else: what has changed on the disk since is not
 * seen, and a file that was not read then is refused. Packages are found as Node finds them, from the file's place. What
 * `provided` names, by specifiers, is had from the URLs that it gives.
 */
export class PinnedLoader {
  readonly #provided: ReadonlyMap<string, string>;
  readonly #pinned = new Map<string, ModuleFiles>();
  readonly #hooks: ReturnType<typeof registerHooks>;

  constructor(provided: ReadonlyMap<string, string>) {
    this.#provided = provided;
    this.#hooks = registerHooks({
      resolve: (specifier, context, next) => this.#resolve(specifier, context.parentURL) ?? next(specifier, context),
      load: (url, context, next) => this.#load(url) ?? next(url, context),
    });
  }

  /** What the module exports. Rejects with whatever it throws. */
  async load(files: ModuleFiles): Promise<object> {
    const id = newId(12);
    this.#pinned.set(id, files);
    const loaded: unknown = await import(markedUrl(files.entry, id));
    return typeof loaded === 'object' && loaded !== null ? loaded : {};
  }

  /** What is imported later, by what was loaded, is imported as Node does. */
  close(): void {
    this.#hooks.deregister();
  }

  #resolve(specifier: string, importer: string | undefined) {
    const importing = this.#fileOf(importer);
    if (importing === undefined) return undefined;
    const provided = this.#provided.get(specifier);
    if (provided !== undefined) return { url: provided, shortCircuit: true };
    const { id, path, files } = importing;
    const way = pathOf(specifier, path);
    if (way === undefined && !specifier.startsWith('#')) return undefined;
    const file = way === undefined ? undefined : files.files.get(way);
    if (file === undefined) throw new Error(refusal(specifier));
    return { url: markedUrl(file, id), format: formatOf(file), shortCircuit: true };
  }

  #load(url: string) {
    const found = this.#fileOf(url);
    if (found === undefined) return undefined;
    const file = [...found.files.files.values()].find(({ path }) => path === found.path);
    if (file === undefined) throw new Error(refusal(found.path));
    return { source: file.source, format: formatOf(file), shortCircuit: true };
  }

  /** What a marked URL stands for. */
  #fileOf(
    url: string | undefined,
  ): { readonly id: string; readonly path: string; readonly files: ModuleFiles } | undefined {
    if (url?.includes(`?${mark}=`) !== true) return undefined;
    const parsed = new URL(url);
    const id = parsed.searchParams.get(mark) ?? '';
    const files = this.#pinned.get(id);
    return files === undefined ? undefined : { id, path: fileURLToPath(parsed), files };
  }
}

function markedUrl({ path }: ModuleFile, id: string): string {
  return `${pathToFileURL(path).href}?${mark}=${id}`;
}

function formatOf({ path }: ModuleFile): string {
  return moduleFormats[extname(path)] ?? 'module';
}

function refusal(specifier: string): string {
  return `It imports ${JSON.stringify(specifier)}, which was not looked at when it was trusted: name the file by its relative path, with its ending (${Object.keys(moduleFormats).join(', ')}), as it stands there.`;
}
