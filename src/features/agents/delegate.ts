import { z } from 'zod';
import { namesWords } from '../../lib/nearest.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { wordsInput } from '../../tools/arguments.ts';
import { error, handedOver, type SubRunRequest, type ToolOutput } from '../../tools/output.ts';
import { defineBuiltin, type Tool } from '../../tools/tool.ts';
import { agentWords } from './words.ts';

/** An agent that can take tasks, as described to the model. */
export interface KnownAgent {
  readonly name: string;
  readonly description: string;
}

const taskInput = wordsInput(20_000, 'What is to be done, with all that it takes.');

/** The two tools that give a task to an agent, whose answer is the result. Its calls are judged as if made here. */
export function delegationTools(agents: readonly KnownAgent[]): { readonly delegate: Tool; readonly new_task: Tool } {
  const names = agents.map(({ name }) => name);
  const agentInput = z
    .string()
    .min(1)
    .describe(`Who does it: ${names.join(', ')}.`);
  const lines = agents.map(({ name, description }) => `${name}: ${description === '' ? 'an agent' : description}`);
  const list = `The agents are:\n${lines.join('\n')}`;

  return {
    delegate: defineBuiltin({
      name: 'delegate',
      displayName: (language) => agentWords[language].names.delegate,
      category: 'memory',
      description: `Hands a task over to another agent, who works on it alone with tools of their own and answers once. Say all that they have to know: they read nothing of this conversation. ${list}`,
      input: z.strictObject({
        agent: agentInput,
        task: taskInput,
        is_async: z.boolean().default(false).describe('true: go on at once; what it comes to follows as an event.'),
      }),
      describeCall:
        ({ agent, task }) =>
        (language) =>
          agentWords[language].ask({ agent: inlineCode(oneLine(agent, 64)), task: oneLine(task, 300) }),
      facets: () => ({ leavesNothing: true }),
      execute: async ({ agent, task, is_async: inBackground }) =>
        handOver(agent, { task, title: task, inBackground, form: 'text' }, names),
    }),
    /** For prompts written for new_task: `agentName`, `taskName`, `input`, and a result as JSON. */
    new_task: defineBuiltin({
      name: 'new_task',
      displayName: (language) => agentWords[language].names.new_task,
      category: 'memory',
      description: `Gives a task of its own to another agent and waits for the answer. ${list}`,
      input: z.strictObject({
        agentName: agentInput,
        taskName: wordsInput(200, 'What the task is called.'),
        input: taskInput,
      }),
      describeCall:
        ({ agentName, taskName, input }) =>
        (language) =>
          agentWords[language].give({
            agent: inlineCode(oneLine(agentName, 64)),
            title: oneLine(taskName, 200),
            task: oneLine(input, 300),
          }),
      facets: () => ({ leavesNothing: true }),
      execute: async ({ agentName, taskName: title, input }) =>
        handOver(agentName, { title, task: `${title}\n\n${input}`, inBackground: false, form: 'json' }, names),
    }),
  };
}

function handOver(agent: string, request: Omit<SubRunRequest, 'worker'>, names: readonly string[]): ToolOutput {
  if (!names.includes(agent))
    return error(`There is no agent ${JSON.stringify(agent.slice(0, 64))}. ${namesWords(agent, names)}`);
  return handedOver({ ...request, title: oneLine(request.title, 100), worker: { type: 'agent', name: agent } });
}
