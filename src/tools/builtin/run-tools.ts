import { z } from 'zod';
import { namesWords } from '../../lib/nearest.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { wordsInput } from '../arguments.ts';
import { error, llmOnly, split, type ToolOutput } from '../output.ts';
import { describeSource, type RegisteredTool, type ToolRegistry } from '../registry.ts';
import type { ToolStatistics } from '../runner.ts';
import { firstSentence } from '../short-definition.ts';
import { defineBuiltin, type Tool, type ToolCategory, type ToolScope, toolCategories } from '../tool.ts';
import type { BuiltinSettings } from './settings.ts';
import { builtinWords } from './words.ts';

/** Asks the person that the run serves, and waits. Their answer, by a button or in their own words, is the result. */
export function ask(settings: Pick<BuiltinSettings, 'ask'>): Tool {
  return defineBuiltin({
    name: 'ask',
    displayName: (language) => builtinWords[language].names.ask,
    category: 'memory',
    description:
      'Asks the person a question and waits for the answer. Use it when you cannot go on without a choice or a fact that only the person knows; give options where there are a few sensible answers.',
    input: z.strictObject({
      question: wordsInput(2000, 'The question, in Markdown.'),
      options: z
        .array(z.string().trim().min(1).max(200))
        .max(10)
        .default([])
        .refine((options) => new Set(options).size === options.length, 'must differ from each other')
        .describe('Answers to choose from. The person can always write something else.'),
    }),
    describeCall:
      ({ question }) =>
      (language) =>
        builtinWords[language].ask(oneLine(question, 300)),
    question: ({ question, options }) => ({ text: question, options, timeout: settings.ask.timeout_secs * 1000 }),
    execute: async () => error('A question is answered by a person.'),
  });
}

/**
 * Ends the run with a result, after the other calls of its turn. In a chat, people read the result; a sub-run returns
 * it to the run that started it.
 */
export function attemptCompletion(): Tool {
  return defineBuiltin({
    name: 'attempt_completion',
    displayName: (language) => builtinWords[language].names.attempt_completion,
    category: 'memory',
    description:
      'Ends the work with its result, when all of it is done. Nothing is asked of you after it, so call it last, and put all that is to be known into the result.',
    input: z.strictObject({
      result: wordsInput(50_000, 'What the work came to, in Markdown.'),
    }),
    describeCall:
      ({ result }) =>
      (language) =>
        builtinWords[language].complete(oneLine(result, 300)),
    facets: () => ({ leavesNothing: true }),
    execute: async ({ result }, { within }) => ({
      ...(within === undefined ? split(result, result) : llmOnly(result)),
      completes: true,
    }),
  });
}

export function echo(): Tool {
  return defineBuiltin({
    name: 'echo',
    displayName: (language) => builtinWords[language].names.echo,
    category: 'memory',
    description: 'Gives the message back unchanged. Use it only to test that tools work.',
    input: z.strictObject({ message: z.string().describe('What to give back.') }),
    facets: () => ({ leavesNothing: true }),
    describeCall:
      ({ message }) =>
      (language) =>
        builtinWords[language].echo(inlineCode(oneLine(message, 200))),
    execute: async ({ message }) => llmOnly(message),
  });
}

/** The verdict on a tool's calls, judged by the tool alone. */
export type ToolPermission = 'allow' | 'ask' | 'deny';

export interface ToolCatalogue {
  /** A function, because this tool is itself in the registry. */
  readonly registry: () => Pick<ToolRegistry, 'list' | 'definitions'>;
  readonly permissionOf: (tool: RegisteredTool) => ToolPermission;
  /** Undefined if it was not called yet. */
  readonly statisticsOf: (name: string) => ToolStatistics | undefined;
}

export function listTools(catalogue: ToolCatalogue): Tool {
  return defineBuiltin({
    name: 'list_tools',
    displayName: (language) => builtinWords[language].names.list_tools,
    category: 'memory',
    description:
      'Lists the tools that can be used here: where each comes from, its category, and whether a person is asked first. Use it when somebody wants to know what you can do, or before you plan something that takes several tools.',
    input: z.strictObject({
      category: z.enum(toolCategories).optional().describe('Only tools of this category.'),
      name: wordsInput(100, 'One tool, with all that it takes.').optional(),
    }),
    facets: () => ({ leavesNothing: true }),
    describeCall:
      ({ name, category }) =>
      (language) =>
        name === undefined
          ? builtinWords[language].listTools(category)
          : builtinWords[language].lookUpTool(inlineCode(oneLine(name, 100))),
    execute: ({ name, category }, scope) =>
      name === undefined ? listOf(catalogue, scope, category) : explain(catalogue, scope, name),
  });
}

async function listOf(
  catalogue: ToolCatalogue,
  scope: ToolScope,
  category: ToolCategory | undefined,
): Promise<ToolOutput> {
  const registry = catalogue.registry();
  const definitions = await registry.definitions(scope);
  const lines = registry.list(scope).flatMap((tool) => {
    const definition = definitions.find((each) => each.name === tool.name);
    if (definition === undefined || (category ?? tool.category) !== tool.category) return [];
    return `${headOf(tool, catalogue)}: ${oneLine(firstSentence(definition.description), 300)}`;
  });
  return llmOnly(lines.length === 0 ? 'There is no such tool here.' : lines.join('\n'));
}

async function explain(catalogue: ToolCatalogue, scope: ToolScope, wanted: string): Promise<ToolOutput> {
  const registry = catalogue.registry();
  const tools = registry.list(scope);
  const tool = tools.find(({ name }) => name === wanted);
  const definition = (await registry.definitions(scope)).find(({ name }) => name === wanted);
  if (tool === undefined || definition === undefined) {
    const names = tools.map(({ name }) => name);
    return error(`There is no tool ${JSON.stringify(oneLine(wanted, 64))} here. ${namesWords(wanted, names)}`);
  }
  const parameters = JSON.stringify(definition.parameters, null, 2);
  return llmOnly(`${headOf(tool, catalogue)}\n${definition.description}\nParameters:\n${parameters}`);
}

const permissionWords = {
  allow: 'does not ask',
  ask: 'asks a person first',
  deny: 'refused in this mode',
} as const satisfies Record<ToolPermission, string>;

function headOf(tool: RegisteredTool, { permissionOf, statisticsOf }: ToolCatalogue): string {
  const { name, source, category } = tool;
  const words = [describeSource(source), category, permissionWords[permissionOf(tool)]];
  const statistics = statisticsOf(name);
  return `${name} (${[...words, ...(statistics === undefined ? [] : [usedWords(statistics)])].join(', ')})`;
}

function usedWords({ count, failure, failuresInRow, isFailing }: ToolStatistics): string {
  const used = count === 1 ? 'called once' : `called ${count} times`;
  if (!isFailing) return failure === 0 ? used : `${used}, ${failure} failed`;
  const lately = failuresInRow > 1 ? `, the last ${failuresInRow} times in a row` : '';
  return `${used}, keeps failing${lately}`;
}
