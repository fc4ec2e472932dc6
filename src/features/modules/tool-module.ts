import { type Attempt, ExtensionError } from '../../extension-kit/extension.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { inlineCode, messageOf, oneLine } from '../../lib/plain-text.ts';
import type { InLanguage } from '../../lib/words.ts';
import { checkedSpec } from '../../tools/guarded-tool.ts';
import { registrationOf, type ToolRegistration, type ToolSource } from '../../tools/registry.ts';
import { isToolCategory, type Tool, type ToolScope } from '../../tools/tool.ts';
import type { ToolFactory } from '../../tools/tool-library.ts';
import { type PinnedModule, type PinnedParts, pinnedModule } from './pinned-modules.ts';
import { moduleWords } from './words.ts';

interface ModuleState {
  readonly path: string;
  readonly core: FeatureCore;
  readonly module: PinnedModule;
  /** The names of its registered tools. */
  brought: readonly string[];
}

/** The tools of one of the operator's own TypeScript or JavaScript files. A faulty tool costs only itself. */
export async function toolModule(path: string, parts: PinnedParts): Promise<PinnedModule> {
  const { core } = parts;
  const label = oneLine(path, 200);
  const state: ModuleState = {
    path,
    core,
    module: pinnedModule(
      {
        kind: 'tool_module',
        name: path,
        noun: 'a file of tools',
        fields: { file: path },
        title: (language) => moduleWords[language].title({ file: label }),
        intro: (language) => moduleWords[language].intro,
        entry: async () => path,
        use: (exported, attempt) => bring(exported, attempt, state),
        async off() {
          state.brought = [];
          core.registry.unregister(sourceOf(path));
        },
        notice: (fault) => (state.brought.length > 0 ? undefined : nothingLoaded(label, fault)),
      },
      parts,
    ),
    brought: [],
  };
  await state.module.read();
  return state.module;
}

function sourceOf(path: string): ToolSource {
  return { type: 'custom', file: path };
}

function nothingLoaded(label: string, fault: InLanguage): InLanguage {
  return (language) => moduleWords[language].nothingLoaded({ file: inlineCode(label), fault: fault(language) });
}

async function bring(exported: object, attempt: Attempt, state: ModuleState): Promise<void> {
  const registrations = await exportedTools(exported);
  if (!state.module.isWanted()) return;
  for (const registration of registrations) {
    await attempt(async () => {
      register(registration, state);
      state.brought = [...state.brought, registration.name];
    });
  }
  state.core.log.info({ file: state.path, tools: state.brought }, 'a file of tools was loaded');
}

function register(registration: ToolRegistration, { path, core: { registry } }: ModuleState): void {
  const tool = registration.name;
  // A builtin tool that is on may be replaced. The name of one that is off stays reserved, in any spelling.
  if (registry.isTaken(tool) && registry.sourceOf(tool) === undefined)
    throw new ExtensionError((language) => moduleWords[language].nameReserved({ tool }));
  if (registry.sourceOf(tool)?.type === 'custom')
    throw new ExtensionError((language) => moduleWords[language].nameTaken({ tool }));
  registry.register(registration, sourceOf(path));
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
 * list of tools; others are ignored. Rejects with `ExtensionError` for no tool or another default export.
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
  if (values.size === 0) throw new ExtensionError((language) => moduleWords[language].noTool);
  return Promise.all([...values].map(registrationFrom));
}

async function registrationFrom(value: unknown): Promise<ToolRegistration> {
  if (isTool(value)) return registrationOf(await sayingWhatItIs(value));
  if (!isFactory(value)) throw new ExtensionError((language) => moduleWords[language].otherExport);
  const { name, category } = await madeBy(value, nobody);
  return { name, category, create: (scope) => madeBy(value, scope) };
}

/** Checks description and schema: a tool that fails there would silently be missing from every chat. */
async function sayingWhatItIs(tool: Tool): Promise<Tool> {
  try {
    await checkedSpec(tool);
    return tool;
  } catch (cause) {
    const [name, why] = [tool.name, messageOf(cause)];
    throw new ExtensionError((language) => moduleWords[language].badDefinition({ tool: name, why }), { cause });
  }
}

async function madeBy(factory: ToolFactory, scope: ToolScope): Promise<Tool> {
  const made: unknown = await factory(scope);
  if (!isTool(made)) throw new ExtensionError((language) => moduleWords[language].noFactory);
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
