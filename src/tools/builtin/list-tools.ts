import { z } from 'zod';
import { nearest } from '../../lib/nearest.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { toolCategories } from '../category.ts';
import { error, llmOnly, type ToolOutput } from '../output.ts';
import type { RegisteredTool, ToolRegistration, ToolRegistry } from '../registry.ts';
import type { ToolStatistics } from '../statistics.ts';
import { defineTool, type Tool, type ToolScope } from '../tool.ts';
import { describeSource } from '../tool-source.ts';

/** What becomes of a call of a tool, where nothing but the tool itself is looked at. */
export type ToolPermission = 'allow' | 'ask' | 'deny';

export interface ListToolsDependencies {
  /** Asked for when the tool is used: it is one of the registry's own. */
  readonly registry: () => Pick<ToolRegistry, 'list' | 'definitions'>;
  readonly permissionOf: (tool: RegisteredTool) => ToolPermission;
  /** Undefined where it was not called yet. */
  readonly statisticsOf: (name: string) => ToolStatistics | undefined;
}

const input = z.strictObject({
  category: z.enum(toolCategories).optional().describe('Only tools of this category.'),
  name: z.string().trim().min(1).max(100).optional().describe('One tool, with all that it takes.'),
});

/** Tells the model which tools there are in its conversation. */
export function listTools(dependencies: ListToolsDependencies): ToolRegistration {
  const make = (scope: ToolScope): Tool =>
    defineTool({
      name: 'list_tools',
      displayName: 'List tools',
      category: 'memory',
      description:
        'Lists the tools that can be used here: where each comes from, its category, and whether a person is asked first. Use it when somebody wants to know what you can do, or before you plan something that takes several tools.',
      input,
      describeCall: ({ name, category }) => {
        if (name !== undefined) return `look up the tool ${inlineCode(oneLine(name, 100))}`;
        return category === undefined ? 'list the tools' : `list the tools of the category ${category}`;
      },
      execute: ({ name, category }) =>
        name === undefined ? list(dependencies, scope, category) : explain(dependencies, scope, name),
    });
  return { name: 'list_tools', category: 'memory', create: make };
}

async function list(
  dependencies: ListToolsDependencies,
  scope: ToolScope,
  category: z.output<typeof input>['category'],
): Promise<ToolOutput> {
  const { registry } = dependencies;
  const tools = registry()
    .list(scope)
    .filter((tool) => category === undefined || tool.category === category);
  if (tools.length === 0) return llmOnly('There is no such tool here.');
  const definitions = await registry().definitions(scope, { compact: true, only: tools.map(({ name }) => name) });
  const lines = tools.flatMap((tool) => {
    const definition = definitions.find(({ name }) => name === tool.name);
    return definition === undefined ? [] : `${headOf(tool, dependencies)}: ${oneLine(definition.description, 300)}`;
  });
  return llmOnly(lines.join('\n'));
}

async function explain(dependencies: ListToolsDependencies, scope: ToolScope, wanted: string): Promise<ToolOutput> {
  const { registry } = dependencies;
  const tools = registry().list(scope);
  const tool = tools.find(({ name }) => name === wanted);
  const [definition] = tool === undefined ? [] : await registry().definitions(scope, { only: [wanted] });
  if (tool === undefined || definition === undefined) {
    const names = tools.map(({ name }) => name);
    const meant = nearest(wanted, names);
    const hint = meant === undefined ? `There are: ${names.join(', ')}.` : `Do you mean ${meant}?`;
    return error(`There is no tool ${JSON.stringify(oneLine(wanted, 64))} here. ${hint}`);
  }
  const parameters = JSON.stringify(definition.parameters, null, 2);
  return llmOnly(`${headOf(tool, dependencies)}\n${definition.description}\nParameters:\n${parameters}`);
}

function headOf(tool: RegisteredTool, { permissionOf, statisticsOf }: ListToolsDependencies): string {
  const { name, source, category } = tool;
  const words = [describeSource(source), category, permissionWords(permissionOf(tool))];
  const statistics = statisticsOf(name);
  return `${name} (${[...words, ...(statistics === undefined ? [] : [usedWords(statistics)])].join(', ')})`;
}

function usedWords({ count, failure, failuresInRow, isFailing }: ToolStatistics): string {
  const used = count === 1 ? 'called once' : `called ${count} times`;
  if (isFailing) {
    const lately = failuresInRow > 1 ? `, the last ${failuresInRow} times in a row` : '';
    return `${used}, keeps failing${lately}`;
  }
  return failure === 0 ? used : `${used}, ${failure} failed`;
}

function permissionWords(permission: ToolPermission): string {
  switch (permission) {
    case 'allow':
      return 'does not ask';
    case 'ask':
      return 'asks a person first';
    case 'deny':
      return 'refused in this mode';
  }
}
