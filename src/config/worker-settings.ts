import { z } from 'zod';
import { agentModes } from '../approval/policy.ts';
import { undeclaredIn } from '../tools/sources/composed/placeholders.ts';
import { toolParameters } from '../tools/sources/parameters.ts';
import { toolPattern } from './setting-kinds.ts';
import { workspaceTemplate } from './workspace-template.ts';

const agentName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'expected letters, digits, "_" and "-", beginning with a letter');

/** The agents that work can be handed over to. */
export const workerSettings = z.record(
  agentName,
  z.strictObject({
    description: z.string().max(500).default('').describe('What the model is told of it: what it is good for.'),
    prompt: z.string().default('').describe('What the agent is told about itself.'),
    model: z.string().min(1).optional().describe('One of the names in models. Otherwise that of the run that asks.'),
    tools: z.array(toolPattern).default(['*']).describe('The tools that it may use, of those that its asker may use.'),
    mode: z.enum(agentModes).optional().describe('As agent.mode, where it is to be stricter for this agent.'),
    workspace: workspaceTemplate.optional().describe('Its own folder. Otherwise that of the conversation.'),
  }),
);

/** Tools that are made of words. */
export const composedToolSettings = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, "_" or "-"')
      .describe('What the model calls it by: no other tool may be called so.'),
    description: z.string().min(1).describe('When the model is to use it.'),
    action: z.string().min(1).describe('What it does, in words; {{name}} stands for the value of a parameter.'),
    parameters: toolParameters.describe('What it takes: as "name": "string", or as a JSON Schema.'),
    tools: z.array(toolPattern).default(['*']).describe('The tools that it may use, of those that its caller may use.'),
  })
  .superRefine((tool, context) => {
    for (const name of undeclaredIn(tool)) {
      const message = `{{${name}}} is none of the parameters: declare it there`;
      context.addIssue({ code: 'custom', path: ['action'], message, input: tool.action });
    }
  });
