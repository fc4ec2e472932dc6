import { z } from 'zod';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { llmOnly } from '../output.ts';
import { defineTool, type Tool } from '../tool.ts';

/** Gives back what it is given: for trying out the way to the tools and back. */
export function echo(): Tool {
  return defineTool({
    name: 'echo',
    displayName: 'Echo',
    category: 'memory',
    description: 'Gives the message back unchanged. Use it only to test that tools work.',
    input: z.strictObject({ message: z.string().describe('What to give back.') }),
    describeCall: ({ message }) => `echo ${inlineCode(oneLine(message, 200))}`,
    execute: async ({ message }) => llmOnly(message),
  });
}
