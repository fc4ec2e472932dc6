import { inlineCode, messageOf, oneLine } from '../../../lib/plain-text.ts';
import { checkedSpec } from '../../../tools/guarded-tool.ts';
import { registrationOf, type ToolRegistration } from '../../../tools/registry.ts';
import { isToolCategory, type Tool, type ToolScope } from '../../../tools/tool.ts';
import type { ToolFactory } from '../../../tools/tool-library.ts';
import { type Attempt, ExtensionError } from '../extension.ts';
import { type PinnedParts, pinnedModule } from '../pinned-modules.ts';

/** The tools of one of the operator's own TypeScript or JavaScript files. A faulty tool costs only itself. */
export async function toolModule(path: string, parts: PinnedParts) {
  const { registry, log } = parts.core;
  const [source, label] = [{ type: 'custom', file: path } as const, oneLine(path, 200)];
  let brought: readonly string[] = [];

  async function bring(exported: object, attempt: Attempt): Promise<void> {
    const registrations = await exportedTools(exported);
    if (!module.isWanted()) return;
    for (const registration of registrations) {
      await attempt(async () => {
        register(registration);
        brought = [...brought, registration.name];
      });
    }
    log.info({ file: path, tools: brought }, 'a file of tools was loaded');
  }

  function register(registration: ToolRegistration): void {
    const { name } = registration;
    // A builtin tool that is on may be replaced. The name of one that is off stays reserved, in any spelling.
    if (registry.isTaken(name) && registry.sourceOf(name) === undefined)
      throw new ExtensionError(
        `has a tool "${name}", but that is the name of a builtin tool that is off, or is spelled like one`,
      );
    if (registry.sourceOf(name)?.type === 'custom')
      throw new ExtensionError(`has a tool "${name}", but another one of the config is called so`);
    registry.register(registration, source);
  }

  const module = pinnedModule(
    {
      ...{ kind: 'tool_module', name: path, noun: 'a file of tools', fields: { file: path } },
      title: `The file of tools ${label}`,
      intro:
        'A file of tools that `tool_modules` of the config names. It runs within Keyturn, and can do whatever Keyturn can.',
      entry: async () => path,
      use: bring,
      async off() {
        brought = [];
        registry.unregister(source);
      },
      words: (fault) => (brought.length > 0 ? undefined : `Nothing was loaded from ${inlineCode(label)}: ${fault}`),
    },
    parts,
  );
  await module.read();
  return module;
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
  if (values.size === 0) throw new ExtensionError(`exports no tool: ${advice}`);
  return Promise.all([...values].map(registrationFrom));
}

const advice = 'export what defineTool of "@keyturn/sdk/tool" makes';

async function registrationFrom(value: unknown): Promise<ToolRegistration> {
  if (isTool(value)) return registrationOf(await sayingWhatItIs(value));
  if (!isFactory(value)) throw new ExtensionError(`exports something in place of a tool: ${advice}`);
  const { name, category } = await madeBy(value, nobody);
  return { name, category, create: (scope) => madeBy(value, scope) };
}

/** Checks description and schema: a tool that fails there would silently be missing from every chat. */
async function sayingWhatItIs(tool: Tool): Promise<Tool> {
  try {
    await checkedSpec(tool);
    return tool;
  } catch (cause) {
    const why = `has the tool "${tool.name}", which cannot say what it is: ${messageOf(cause)}`;
    throw new ExtensionError(why, { cause });
  }
}

async function madeBy(factory: ToolFactory, scope: ToolScope): Promise<Tool> {
  const made: unknown = await factory(scope);
  if (!isTool(made)) throw new ExtensionError(`exports a function that makes no tool: ${advice}`);
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
