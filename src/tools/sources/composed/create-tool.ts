import { z } from 'zod';
import type { Clock } from '../../../lib/clock.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { error, split, type ToolOutput } from '../../output.ts';
import type { ToolRegistration, ToolRegistry } from '../../registry.ts';
import { defineTool, type Tool, type ToolScope } from '../../tool.ts';
import { toolParameters } from '../parameters.ts';
import type { ComposedToolStore } from './composed-store.ts';
import { type ComposedTool, composedTool } from './composed-tool.ts';
import { undeclaredIn } from './placeholders.ts';

export interface CreateToolDependencies {
  readonly store: Pick<ComposedToolStore, 'add'>;
  /** Asked for when the tool is used: it is one of the registry's own. */
  readonly registry: () => Pick<ToolRegistry, 'list' | 'has' | 'register'>;
  readonly clock: Pick<Clock, 'now'>;
  /** So many tools may be made in chats. */
  readonly most: number;
  readonly maxDepth: number;
}

const input = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must be small letters, digits, "_" and "-", and begin with a letter')
    .describe('What it is called, as "summarize_url".'),
  description: z.string().trim().min(1).max(1000).describe('When it is to be used.'),
  action: z
    .string()
    .trim()
    .min(1)
    .max(10_000)
    .describe('What it does, in natural language. {{name}} stands for the value of a parameter.'),
  parameters: z
    .record(
      z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, 'must be letters, digits and "_"'),
      z.strictObject({
        param_type: z.enum(['string', 'integer', 'number', 'boolean', 'array', 'object']).default('string'),
        description: z.string().max(500).default(''),
        required: z.boolean().default(true),
      }),
    )
    .default({})
    .describe('What it takes, by name.'),
});

/** Lets the model make a tool of words, which from then on is there for everybody. A person approves each. */
export function createTool(dependencies: CreateToolDependencies): ToolRegistration {
  return { name: 'create_tool', category: 'destructive', create: (scope) => createToolFor(scope, dependencies) };
}

function createToolFor(scope: ToolScope, dependencies: CreateToolDependencies): Tool {
  return defineTool({
    name: 'create_tool',
    displayName: 'Create a tool',
    category: 'destructive',
    description:
      'Makes a new tool out of words, for what people ask for again and again. It is done by an agent that reads the action and the values, with at most the tools that can be used here. Only when a person wants one.',
    input,
    describeCall: ({ name, action }) => `make the tool ${inlineCode(name)}, which does: ${oneLine(action, 300)}`,
    execute: (args, { sender }) => create(args, { scope, author: sender.principal }, dependencies),
  });
}

async function create(
  { name, description, action, parameters: written }: z.output<typeof input>,
  { scope, author }: { readonly scope: ToolScope; readonly author: string },
  { store, registry, clock, most, maxDepth }: CreateToolDependencies,
): Promise<ToolOutput> {
  if (registry().has(name)) return error(`There is a tool ${name} already. Give it another name.`);
  const tools = registry()
    .list(scope)
    .map((tool) => tool.name);
  const tool: ComposedTool = { name, description, action, parameters: toolParameters.parse(written), tools };
  const [undeclared] = undeclaredIn(tool);
  if (undeclared !== undefined) return error(`The action speaks of {{${undeclared}}}, which is no parameter.`);
  const added = await store.add({ ...tool, author, createdAt: clock.now() }, most);
  if (added === 'taken') return error(`There is a tool ${name} already. Give it another name.`);
  if (added === 'full') return error(`There are ${most} such tools, and no more may be made. A person can remove one.`);
  registry().register(composedTool(tool, maxDepth), { type: 'composed', author });
  return split(
    `The tool ${name} is there from the next turn on.`,
    `🧩 There is a new tool: ${inlineCode(name)}. ${inlineCode(`/composed remove ${name}`)} takes it away.`,
  );
}
