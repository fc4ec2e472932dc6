import { z } from 'zod';
import { oneLine } from '../../lib/plain-text.ts';
import { llmOnly, split } from '../output.ts';
import { defineTool, type Tool } from '../tool.ts';

/**
 * Ends the run with a result, once the other calls of its turn are settled. In a chat, people read the result; of a run
 * that another run has begun, that one gets it.
 */
export function attemptCompletion(): Tool {
  return defineTool({
    name: 'attempt_completion',
    displayName: 'Complete',
    category: 'memory',
    description:
      'Ends the work with its result, when all of it is done. Nothing is asked of you after it, so call it last, and put all that is to be known into the result.',
    input: z.strictObject({
      result: z.string().trim().min(1).max(50_000).describe('What the work came to, in Markdown.'),
    }),
    describeCall: ({ result }) => `end the work with the result: ${oneLine(result, 300)}`,
    facets: () => ({ repeatable: true }),
    execute: async ({ result }, { within }) => ({
      ...(within === undefined ? split(result, result) : llmOnly(result)),
      completes: true,
    }),
  });
}
