import { z } from 'zod';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { handedOver, type ToolOutput } from '../../output.ts';
import type { ToolRegistration } from '../../registry.ts';
import type { SubRunRequest } from '../../sub-run-request.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { agentLines, type KnownAgent, noSuchAgent } from './agent-list.ts';

export interface DelegateDependencies {
  /** Whom the config has now. */
  readonly agents: () => readonly KnownAgent[];
  /** So many sub-runs may stand within each other: at the last of them, nothing more is handed over. */
  readonly maxDepth: number;
}

const longestTask = 20_000;

/** Hands a task over to an agent. What he comes to is the result; what he calls is judged as if it were called here. */
export function delegate(dependencies: DelegateDependencies): ToolRegistration {
  return registrationOf('delegate', dependencies, () => delegateTool(dependencies.agents()));
}

/** The same for prompts written for new_task: `agentName`, `taskName`, `input`, and a result as JSON. */
export function newTask(dependencies: DelegateDependencies): ToolRegistration {
  return registrationOf('new_task', dependencies, () => newTaskTool(dependencies.agents()));
}

function registrationOf(name: string, { maxDepth }: DelegateDependencies, create: () => Tool): ToolRegistration {
  return {
    name,
    category: 'memory',
    dynamic: true,
    isOffered: ({ within }) => (within?.depth ?? 0) < maxDepth,
    create,
  };
}

function delegateTool(agents: readonly KnownAgent[]): Tool {
  return defineTool({
    name: 'delegate',
    displayName: 'Delegate',
    category: 'memory',
    description: `Hands a task over to another agent, who works on it by himself with his own tools and answers once. Say all that he has to know: he reads nothing of this conversation. The agents are:\n${agentLines(agents)}`,
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

function newTaskTool(agents: readonly KnownAgent[]): Tool {
  return defineTool({
    name: 'new_task',
    displayName: 'New task',
    category: 'memory',
    description: `Gives a task of its own to another agent and waits for what he comes to. The agents are:\n${agentLines(agents)}`,
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
