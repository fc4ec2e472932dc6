import { extname } from 'node:path';
import type { Log } from '../../../lib/log.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { ModuleError, type ModuleFiles, readModule } from '../../pinned-code/module-files.ts';
import { contentLines } from '../../pinned-code/module-words.ts';
import { PinnedLoader } from '../../pinned-code/pinned-loader.ts';
import type { ToolRegistration, ToolRegistry } from '../../registry.ts';
import type { Trust, TrustSubject } from '../../trust.ts';
import { exportedTools } from './exported-tools.ts';

export interface ToolModulesDependencies {
  /** Absolute paths of files. */
  readonly paths: readonly string[];
  /** Whether a path without links lies where nothing may be loaded from. */
  readonly isForbidden: (path: string) => Promise<boolean>;
  readonly registry: ToolRegistry;
  readonly trust: Trust;
  readonly log: Log;
  /** Says something once in the owners' own chats. */
  readonly tellOwners: (markdown: string) => void;
}

/** The most that the name of a subject may be long. */
const longestName = 200;

/**
 * Brings the tools of files that the operator has written in TypeScript or JavaScript. Each file is loaded when an owner
 * trusts it as it is; one that cannot be loaded is told of in the log, and costs nothing else.
 */
export class ToolModules {
  readonly #dependencies: ToolModulesDependencies;
  readonly #loader: PinnedLoader;
  /** The names of the tools of each file that is loaded. */
  readonly #brought = new Map<string, readonly string[]>();
  readonly #faults = new Map<string, string>();
  #last: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(dependencies: ToolModulesDependencies) {
    this.#dependencies = dependencies;
    const library = new URL(`../../tool-library${extname(import.meta.url)}`, import.meta.url);
    this.#loader = new PinnedLoader(new Map([['keyturn/tool', library.href]]));
  }

  async start(): Promise<void> {
    const paths = [...new Set(this.#dependencies.paths)];
    const found = await Promise.all(paths.map((path) => this.#attempt(path, () => this.#read(path))));
    const modules = found.flatMap((one) => ('value' in one ? [one.value] : []));
    // Together, so that the owners are told together.
    await Promise.all(modules.map((module) => this.#attempt(module.path, () => this.#review(module))));
    // One after the other: which of two tools of one name is there does not depend on chance.
    for (const module of modules) if (module.isTrusted) await this.#attempt(module.path, () => this.#bring(module));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const path of this.#brought.keys()) this.#takeAway(path);
    this.#loader.close();
  }

  /** Which files are not what they should be, a line each. */
  troubles(): readonly string[] {
    return [...this.#faults].map(([path, fault]) => `The file of tools ${oneLine(path, 200)}: ${oneLine(fault, 300)}`);
  }

  async #read(path: string): Promise<ReadModule> {
    return { path, files: await readModule(path, this.#dependencies.isForbidden), isTrusted: false };
  }

  async #review(module: ReadModule): Promise<void> {
    const { trust, log } = this.#dependencies;
    const { path } = module;
    const verdict = await trust.review(
      subjectOf(module),
      () => {
        module.isTrusted = true;
        this.#last = this.#last.then(() => this.#bringNow(module));
      },
      () => {
        module.isTrusted = false;
        this.#takeAway(path);
      },
    );
    module.isTrusted = verdict === 'trusted';
    if (!module.isTrusted)
      log.warn({ file: path }, 'a file of tools is not loaded before an owner trusts it as it is: /trust shows it');
  }

  /** An owner has just trusted it: he is told if that brought nothing. */
  async #bringNow(module: ReadModule): Promise<void> {
    const brought = await this.#attempt(module.path, () => this.#bring(module));
    if (!('fault' in brought)) return;
    const [name, fault] = [inlineCode(oneLine(module.path, 200)), escapeMarkdown(oneLine(brought.fault, 500))];
    this.#dependencies.tellOwners(`⚠️ Nothing was loaded from ${name}: ${fault}`);
  }

  async #bring(module: ReadModule): Promise<void> {
    const { path, files } = module;
    const registrations = await exportedTools(await this.#loader.load(files));
    if (this.#isOver || !module.isTrusted) return;
    this.#faults.delete(path);
    const names: string[] = [];
    this.#brought.set(path, names);
    for (const registration of registrations) {
      await this.#attempt(path, async () => {
        this.#register(registration);
        names.push(registration.name);
      });
    }
    this.#dependencies.log.info({ file: path, tools: names }, 'a file of tools was loaded');
  }

  #register(registration: ToolRegistration): void {
    const { registry } = this.#dependencies;
    const { name } = registration;
    if (registry.sourceOf(name)?.type === 'custom')
      throw new ModuleError(`has a tool "${name}", but another one of the config is called so`);
    registry.registerOrReplace(registration, { type: 'custom' });
  }

  #takeAway(path: string): void {
    for (const name of this.#brought.get(path) ?? []) this.#dependencies.registry.unregister(name, { type: 'custom' });
    this.#brought.delete(path);
  }

  /** Anything may come out of a file of somebody's: it costs this file only. */
  async #attempt<Result>(
    path: string,
    work: () => Promise<Result>,
  ): Promise<{ readonly value: Result } | { readonly fault: string }> {
    try {
      return { value: await work() };
    } catch (cause) {
      const fault = this.#faultOf(path, cause);
      this.#faults.set(path, fault);
      return { fault };
    }
  }

  #faultOf(path: string, cause: unknown): string {
    const { log } = this.#dependencies;
    if (cause instanceof ModuleError) {
      log.error({ file: path }, `a file of tools could not be taken in: it ${cause.message}`);
      return `it ${cause.message}.`;
    }
    log.error({ file: path, err: cause }, 'a file of tools could not be taken in: it threw this');
    return `it threw ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

/** A file of tools as it was read. */
interface ReadModule {
  readonly path: string;
  readonly files: ModuleFiles;
  isTrusted: boolean;
}

function subjectOf({ path, files }: ReadModule): TrustSubject {
  const lines = [
    'A file of tools that `tool_modules` of the config names. It runs within Keyturn, and can do whatever Keyturn can.',
    ...contentLines(files, 'keyturn/tool'),
  ];
  const { fingerprint } = files;
  return { kind: 'tool_module', name: path.slice(-longestName), fingerprint, what: lines.join('\n') };
}
