import { z } from 'zod';
import type { FeatureCore } from '../../feature-points.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { ComposedTool, ComposedToolStore } from '../../store/composed-tools.ts';
import { error, split, storing, type ToolOutput } from '../../tools/output.ts';
import { toolParameters, undeclaredIn } from '../../tools/sources/parameters.ts';
import { defineTool, type Tool, type ToolScope } from '../../tools/tool.ts';
import { composedTool } from './composed-tool.ts';

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

/** Lets the model make a tool from instructions, available to everyone. A person approves each. */
export function createTool(core: FeatureCore): Tool {
  return defineTool({
    name: 'create_tool',
    displayName: 'Create a tool',
    category: 'destructive',
    description:
      'Makes a new tool from instructions, for what people ask for again and again. It is done by an agent that reads the action and the values, with at most the tools that can be used here. Only when a person wants one.',
    input,
    facets: () => ({ repeatable: true }),
    describeCall: ({ name, action }) => `make the tool ${inlineCode(name)}, which does: ${oneLine(action, 300)}`,
    execute: (args, scope) => create(args, scope, core),
  });
}

async function create(
  { name, description, action, parameters: written }: z.output<typeof input>,
  scope: ToolScope,
  { config, store, registry, clock }: FeatureCore,
): Promise<ToolOutput> {
  if (registry.has(name)) return error(`There is a tool ${name} already. Give it another name.`);
  const author = scope.sender.principal;
  const tools = registry.list(scope).map((tool) => tool.name);
  const tool: ComposedTool = { name, description, action, parameters: toolParameters.parse(written), tools };
  const [undeclared] = undeclaredIn(tool.action, tool.parameters);
  if (undeclared !== undefined) return error(`The action speaks of {{${undeclared}}}, which is no parameter.`);
  const { max_tools: most } = config.tools.create_tool;
  let added: ReturnType<ComposedToolStore['add']> | undefined;
  return storing({
    apply() {
      added = store.composedTools.add({ ...tool, author, createdAt: clock.now() }, most, scope.conversationId);
      if (added === 'taken') return error(`There is a tool ${name} already. Give it another name.`);
      if (added === 'full') return error(`There are ${most} such tools, which is the limit. A person can remove one.`);
      return split(
        `The tool ${name} is there from the next turn on.`,
        `🧩 There is a new tool: ${inlineCode(name)}. ${inlineCode(`/composed remove ${name}`)} takes it away.`,
      );
    },
    stored() {
      if (added === 'added')
        registry.register(composedTool(tool, config.tools.delegate.max_depth), { type: 'composed', author });
    },
  });
}
