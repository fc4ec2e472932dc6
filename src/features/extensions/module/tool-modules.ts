import { reservedNames } from '../../../config/tool-rules.ts';
import type { TrustSubject } from '../../../conversation/trust-store.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { checkedSpec } from '../../../tools/guarded-tool.ts';
import { registrationOf, type ToolRegistration, type ToolSource } from '../../../tools/registry.ts';
import { AuthoringError, isToolCategory, type Tool, type ToolScope } from '../../../tools/tool.ts';
import type { ToolFactory } from '../../../tools/tool-library.ts';
import {
  contentLines,
  faultOf,
  type IsForbidden,
  ModuleError,
  type ModuleFiles,
  pinnedLoader,
  readModule,
} from '../pinned-modules.ts';
import { type Trust, type Trusted, trustedThing } from '../trust.ts';

/** The import names of `tool-library.ts`. The second one is from before the package existed. */
const libraryNames = ['@keyturn/sdk/tool', 'keyturn/tool'] as const;
const longestName = 200;

/**
 * Registers the tools of the operator's own TypeScript or JavaScript files. A file is loaded when an owner trusts its
 * current state. A file that fails to load is logged and affects nothing else.
 */
export function toolModules(core: FeatureCore, trust: Trust, isForbidden: IsForbidden) {
  const { config, registry, log, tellOwners } = core;
  const loader = pinnedLoader(libraryNames, 'tools/tool-library');
  let modules: readonly ReadModule[] = [];
  let starting = Promise.resolve();
  const faults = new Map<string, string>();

  /** Takes in new files, and ends those no longer wanted. */
  async function follow(paths: ReadonlySet<string>): Promise<void> {
    await Promise.all(modules.filter(({ path }) => !paths.has(path)).map(({ trusted }) => trusted.end()));
    modules = modules.filter(({ path }) => paths.has(path));
    for (const path of faults.keys()) if (!paths.has(path)) faults.delete(path);
    const fresh = [...paths].filter((path) => !modules.some((module) => module.path === path));
    const all = await Promise.all(fresh.map((path) => attempt(path, () => read(path))));
    const found = all.filter((module) => module !== undefined);
    modules = [...modules, ...found];
    // In parallel, so that owners get one message.
    await Promise.all(found.map((module) => attempt(module.path, () => review(module))));
    // One after the other, so that name conflicts always resolve the same way.
    for (const { trusted } of found) await trusted.follow();
  }

  async function read(path: string): Promise<ReadModule> {
    const files = await readModule(path, isForbidden);
    const use = {
      on: async () => void (await attempt(path, () => bring(module))),
      async off() {
        module.brought.length = 0;
        registry.unregisterBySource({ type: 'custom', file: path });
      },
      decided: () => void module.trusted.follow().then(() => tellFault(module)),
    };
    const module: ReadModule = { path, files, trusted: trustedThing(trust, use, log), brought: [] };
    return module;
  }

  async function review({ path, files, trusted }: ReadModule): Promise<void> {
    if (await trusted.review(subjectOf(path, files))) return;
    log.warn({ file: path }, 'a file of tools is not loaded before an owner trusts it as it is: /trust shows it');
  }

  /** After an owner has trusted a file: tells them if it brought no tools. */
  function tellFault({ path, trusted, brought }: ReadModule): void {
    const fault = faults.get(path);
    if (fault === undefined || brought.length > 0 || !trusted.isWanted()) return;
    const [name, words] = [inlineCode(oneLine(path, 200)), escapeMarkdown(oneLine(fault, 500))];
    tellOwners(`⚠️ Nothing was loaded from ${name}: ${words}`);
  }

  async function bring({ path, files, trusted, brought }: ReadModule): Promise<void> {
    const registrations = await exportedTools(await loader.load(files));
    if (!trusted.isWanted()) return;
    faults.delete(path);
    for (const registration of registrations) {
      await attempt(path, async () => {
        register(registration, { type: 'custom', file: path });
        brought.push(registration.name);
      });
    }
    log.info({ file: path, tools: brought }, 'a file of tools was loaded');
  }

  function register(registration: ToolRegistration, source: ToolSource): void {
    const { name } = registration;
    // A builtin tool that is on may be replaced. The name of one that is off stays reserved, in any spelling.
    if (reservedNames(config).has(name.toLowerCase()) && registry.sourceOf(name) === undefined)
      throw new ModuleError(
        `has a tool "${name}", but that is the name of a builtin tool that is off, or is spelled like one`,
      );
    if (registry.sourceOf(name)?.type === 'custom')
      throw new ModuleError(`has a tool "${name}", but another one of the config is called so`);
    registry.register(registration, source);
  }

  /** Contains whatever external code throws. */
  async function attempt<Result>(path: string, work: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await work();
    } catch (cause) {
      const known = cause instanceof AuthoringError ? cause.message : undefined;
      faults.set(
        path,
        faultOf(cause, { log, fields: { file: path }, what: 'a file of tools could not be taken in', known }),
      );
      return undefined;
    }
  }

  return {
    start() {
      starting = starting.then(() => follow(new Set(config.tool_modules)));
      return starting;
    },
    async stop() {
      starting = starting.then(() => follow(new Set()));
      await starting;
      loader.close();
    },
    troubles: () =>
      [...faults].map(([path, fault]) => `The file of tools ${oneLine(path, 200)}: ${oneLine(fault, 300)}`),
  };
}

interface ReadModule {
  readonly path: string;
  readonly files: ModuleFiles;
  readonly trusted: Trusted;
  readonly brought: string[];
}

function subjectOf(path: string, files: ModuleFiles): TrustSubject {
  const lines = [
    'A file of tools that `tool_modules` of the config names. It runs within Keyturn, and can do whatever Keyturn can.',
    ...contentLines(files, libraryNames),
  ];
  const { fingerprint } = files;
  return { kind: 'tool_module', name: path.slice(-longestName), fingerprint, what: lines.join('\n') };
}

/** A placeholder scope, to ask a factory for its tool's name. */
const nobody: ToolScope = {
  channel: 'none',
  chatId: 'none',
  conversationId: 'none',
  kind: 'direct',
  workspace: '/nonexistent',
  sender: { principal: 'keyturn', name: 'Keyturn' },
};

/**
 * The tools that a module exports. Default export: a tool, a factory or a list of these. Named exports: a tool or a
 * list of tools; others are ignored. Rejects with `ModuleError` for no tool or another default export.
 */
async function exportedTools(exported: object): Promise<readonly ToolRegistration[]> {
  const named = Object.entries(exported).flatMap(([name, value]): readonly unknown[] => {
    if (name === 'default') return [];
    if (isTool(value)) return [value];
    return Array.isArray(value) && value.some(isTool) ? value : [];
  });
  const fallback: unknown = Reflect.get(exported, 'default');
  const byDefault: readonly unknown[] = fallback === undefined ? [] : Array.isArray(fallback) ? fallback : [fallback];
  const values = new Set([...byDefault, ...named]);
  if (values.size === 0) throw new ModuleError(`exports no tool: ${advice}`);
  return Promise.all([...values].map(registrationFrom));
}

const advice = 'export what defineTool of "@keyturn/sdk/tool" makes';

async function registrationFrom(value: unknown): Promise<ToolRegistration> {
  if (isTool(value)) return registrationOf(await sayingWhatItIs(value));
  if (!isFactory(value)) throw new ModuleError(`exports something in place of a tool: ${advice}`);
  const { name, category } = await madeBy(value, nobody);
  return { name, category, create: (scope) => madeBy(value, scope) };
}

/** Checks description and schema: a tool that fails there would silently be missing from every chat. */
async function sayingWhatItIs(tool: Tool): Promise<Tool> {
  try {
    await checkedSpec(tool);
    return tool;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ModuleError(`has the tool "${tool.name}", which cannot say what it is: ${why}`, { cause });
  }
}

async function madeBy(factory: ToolFactory, scope: ToolScope): Promise<Tool> {
  const made: unknown = await factory(scope);
  if (!isTool(made)) throw new ModuleError(`exports a function that makes no tool: ${advice}`);
  return made;
}

function isFactory(value: unknown): value is ToolFactory {
  return typeof value === 'function';
}

function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, displayName, category, spec, prepare }: Partial<Record<keyof Tool, unknown>> = value;
  return (
    typeof name === 'string' &&
    typeof displayName === 'string' &&
    isToolCategory(category) &&
    typeof spec === 'function' &&
    typeof prepare === 'function'
  );
}
