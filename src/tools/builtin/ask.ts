import { z } from 'zod';
import { oneLine } from '../../lib/plain-text.ts';
import { error } from '../output.ts';
import { defineTool, type Tool } from '../tool.ts';

export interface AskSettings {
  /** How long a question stands, in milliseconds. */
  readonly timeout: number;
}

/** Asks the person whom the run serves. His answer, by a button or in his own words, is the result; the run waits for it. */
export function ask({ timeout }: AskSettings): Tool {
  return defineTool({
    name: 'ask',
    displayName: 'Ask',
    category: 'memory',
    description:
      'Asks the person a question and waits for the answer. Use it when you cannot go on without a choice or a fact that only the person knows; give options where there are a few sensible answers.',
    input: z.strictObject({
      question: z.string().trim().min(1).max(2000).describe('The question, in Markdown.'),
      options: z
        .array(z.string().trim().min(1).max(200))
        .max(10)
        .default([])
        .refine((options) => new Set(options).size === options.length, 'must differ from each other')
        .describe('Answers to choose from. The person can always write something else.'),
    }),
    describeCall: ({ question }) => `ask: ${oneLine(question, 300)}`,
    question: ({ question, options }) => ({ text: question, options, timeout }),
    execute: async () => error('A question is answered by a person.'),
  });
}
