import { z } from 'zod';
import { nearest } from '../../lib/nearest.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { error, handedOver, type SubRunRequest, type ToolOutput } from '../../tools/output.ts';
import { defineTool, type Tool } from '../../tools/tool.ts';

const longestTask = 20_000;

/** Delegates a task to an agent, whose answer is the result. The agent's calls are judged as if made here. */
export function delegateTool(agents: readonly KnownAgent[]): Tool {
  return defineTool({
    name: 'delegate',
    displayName: 'Delegate',
    category: 'memory',
    description: `Hands a task over to another agent, who works on it alone with tools of their own and answers once. Say all that they have to know: they read nothing of this conversation. The agents are:\n${agentLines(agents)}`,
    input: z.strictObject({
      agent: z
        .string()
        .min(1)
        .describe(`Who does it: ${namesOf(agents)}.`),
      task: z.string().trim().min(1).max(longestTask).describe('What is to be done, with all that it takes.'),
      is_async: z.boolean().default(false).describe('true: go on at once; what it comes to follows as an event.'),
    }),
    describeCall: ({ agent, task }) => `ask the agent ${inlineCode(oneLine(agent, 64))}: ${oneLine(task, 300)}`,
    facets: () => ({ repeatable: true }),
    execute: async ({ agent, task, is_async: inBackground }) =>
      handOver({ agent, task, title: task, inBackground, form: 'text' }, agents),
  });
}

/** The same for prompts written for new_task: `agentName`, `taskName`, `input`, and a result as JSON. */
export function newTaskTool(agents: readonly KnownAgent[]): Tool {
  return defineTool({
    name: 'new_task',
    displayName: 'New task',
    category: 'memory',
    description: `Gives a task of its own to another agent and waits for the answer. The agents are:\n${agentLines(agents)}`,
    input: z.strictObject({
      agentName: z
        .string()
        .min(1)
        .describe(`Who does it: ${namesOf(agents)}.`),
      taskName: z.string().trim().min(1).max(200).describe('What the task is called.'),
      input: z.string().trim().min(1).max(longestTask).describe('What is to be done, with all that it takes.'),
    }),
    describeCall: ({ agentName, taskName, input }) =>
      `give the agent ${inlineCode(oneLine(agentName, 64))} the task "${oneLine(taskName, 200)}": ${oneLine(input, 300)}`,
    facets: () => ({ repeatable: true }),
    execute: async ({ agentName: agent, taskName: title, input }) =>
      handOver({ agent, title, task: `${title}\n\n${input}`, inBackground: false, form: 'json' }, agents),
  });
}

function handOver(
  { agent, ...request }: Omit<SubRunRequest, 'worker'> & { readonly agent: string },
  agents: readonly KnownAgent[],
): ToolOutput {
  if (!agents.some(({ name }) => name === agent)) return noSuchAgent(agent, agents);
  return handedOver({ ...request, title: oneLine(request.title, 100), worker: { type: 'agent', name: agent } });
}

function namesOf(agents: readonly KnownAgent[]): string {
  return agents.map(({ name }) => name).join(', ');
}

/** An agent that can take tasks, as described to the model. */
export interface KnownAgent {
  readonly name: string;
  readonly description: string;
}

function agentLines(agents: readonly KnownAgent[]): string {
  return agents.map(({ name, description }) => `${name}: ${description === '' ? 'an agent' : description}`).join('\n');
}

function noSuchAgent(name: string, agents: readonly KnownAgent[]): ToolOutput {
  const names = agents.map((agent) => agent.name);
  const meant = nearest(name, names);
  const hint = meant === undefined ? `There are: ${names.join(', ')}.` : `Do you mean ${meant}?`;
  return error(`There is no agent ${JSON.stringify(name.slice(0, 64))}. ${hint}`);
}
