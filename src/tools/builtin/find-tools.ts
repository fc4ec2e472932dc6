import { z } from 'zod';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { ToolDefinition } from '../../transcript.ts';
import { wordsInput } from '../arguments.ts';
import { finderName, foundLine } from '../found-tools.ts';
import { llmOnly } from '../output.ts';
import type { ToolRegistry } from '../registry.ts';
import { shortDefinition } from '../short-definition.ts';
import { defineBuiltin, type Tool } from '../tool.ts';
import { createToolSearch } from '../tool-search.ts';
import { builtinWords } from './words.ts';

/**
 * Describes tools that a request tells only in short or not at all. It finds only what its conversation may use, and what
 * it says of a tool is what models are told of it anyhow. `registry`: a function, because this tool is itself in it.
 */
export function findTools(registry: () => Pick<ToolRegistry, 'definitions'>): Tool {
  const search = createToolSearch();
  return defineBuiltin({
    name: finderName,
    displayName: (language) => builtinWords[language].names.find_tools,
    category: 'memory',
    description:
      'Finds more tools, by words for what is to be done or by names, and tells all that they take; call them then.',
    input: z.strictObject({ query: wordsInput(500, 'Words in any language, or names of tools.') }),
    facets: () => ({ leavesNothing: true }),
    describeCall:
      ({ query }) =>
      (language) =>
        builtinWords[language].findTools(inlineCode(oneLine(query, 200))),
    async execute({ query }, scope) {
      const all = (await registry().definitions(scope)).filter(({ name }) => name !== finderName);
      const found = search(query, all, mostFound);
      return llmOnly(found.length === 0 ? nothingFound(all) : pagesOf(found));
    },
  });
}

/** At a time: more would fill a small window. */
const mostFound = 5;
/** In characters: what comes after is told in short. The first is told in full, unless it alone is longer than the second. */
const [roomForAll, roomForFirst] = [3500, 8000];
const longestList = 1500;

function pagesOf(found: readonly ToolDefinition[]): string {
  let left = roomForAll;
  const pages = found.map((definition, index) => {
    const whole = page(definition);
    const isWhole = whole.length <= (index === 0 ? roomForFirst : left);
    const told = isWhole ? whole : page(shortDefinition(definition));
    left -= told.length;
    return told;
  });
  return [foundLine(found.map(({ name }) => name)), 'They can be called now.', ...pages].join('\n\n');
}

function page({ name, description, parameters }: ToolDefinition): string {
  return `## ${name}\n${description}\nParameters: ${JSON.stringify(parameters)}`;
}

function nothingFound(all: readonly ToolDefinition[]): string {
  if (all.length === 0) return 'There are no tools here.';
  const names = all.map(({ name }) => name).join(', ');
  const listed = names.length <= longestList ? names : `${names.slice(0, names.lastIndexOf(', ', longestList))} …`;
  return `No tool fits these words. Try others, in English too. There are: ${listed}`;
}
