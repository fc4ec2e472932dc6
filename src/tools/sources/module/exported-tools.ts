import { toolCategories } from '../../category.ts';
import { ModuleError } from '../../pinned-code/module-files.ts';
import { registrationOf, type ToolRegistration } from '../../registry.ts';
import type { Tool, ToolScope } from '../../tool.ts';
import type { ToolFactory } from '../../tool-library.ts';

/** A scope of nobody's: for a factory, to say what its tool is called. */
const nobody: ToolScope = {
  channel: 'none',
  chatId: 'none',
  conversationId: 'none',
  kind: 'direct',
  workspace: '/nonexistent',
  sender: { principal: 'keyturn', name: 'Keyturn' },
};

/**
 * The tools that a module exports: by default, a tool, a factory of one, or a list of these; by any other name, a tool or a
 * list of tools. Other things are passed over. Rejects with `ModuleError` if there is none, or the default is nothing of that.
 */
export async function exportedTools(exported: object): Promise<readonly ToolRegistration[]> {
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

const advice = 'export what defineTool of "keyturn/tool" makes';

async function registrationFrom(value: unknown): Promise<ToolRegistration> {
  if (isTool(value)) return registrationOf(value);
  if (!isFactory(value)) throw new ModuleError(`exports something in place of a tool: ${advice}`);
  const { name, category } = await madeBy(value, nobody);
  return { name, category, create: (scope) => madeBy(value, scope) };
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
    toolCategories.some((known) => known === category) &&
    typeof spec === 'function' &&
    typeof prepare === 'function'
  );
}
