import { z } from 'zod';
import type { Clock } from '../../../lib/clock.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { error, llmOnly } from '../../output.ts';
import { readableText } from '../../readable-text.ts';
import { cleanText } from '../../text.ts';
import { defineTool, type Tool, type ToolScope } from '../../tool.ts';
import { listMemories } from './memory-list.ts';
import { type MemoryStore, memoryScopes, type Rememberer } from './memory-store.ts';

export interface MemorySettings {
  /** How many memories one person may have. */
  readonly maxEntries: number;
  /** The longest text, in characters. */
  readonly maxChars: number;
}

export interface MemoryDependencies {
  readonly memories: MemoryStore;
  /** All accounts of the person to whom this one belongs. */
  readonly accountsOf: (principal: string) => readonly string[];
  readonly clock: Clock;
  readonly settings: MemorySettings;
}

const mostTags = 8;

const scope = z.enum(memoryScopes).optional();
const tag = z.string().trim().min(1).max(40);

/** Remembers a text for the person whom the run serves. */
export function memoryStore(dependencies: MemoryDependencies): Tool {
  const { memories, clock, settings } = dependencies;
  const { maxEntries, maxChars } = settings;
  return defineTool({
    name: 'memory_store',
    displayName: 'Remember',
    category: 'memory',
    description:
      'Remembers a text for the person you talk with, beyond this conversation. Use it when they ask you to remember something, and for lasting facts that they tell about themselves, their wishes and their plans; one fact a call, in a sentence that can be understood alone. Not for what is of use only now, and not for passwords. The same text again renews what is there.',
    input: z.strictObject({
      text: readableText(maxChars).describe('What to remember.'),
      scope: scope.describe(
        'everywhere: in all conversations with this person, as by default in a direct chat. here: in this conversation alone, as by default in a group.',
      ),
      tags: z.array(tag).max(mostTags).default([]).describe('Words under which it is found too.'),
    }),
    describeCall: ({ text }) => `remember ${inlineCode(oneLine(text, 200))}`,
    facets: () => ({ writesMemory: true }),
    async execute({ text, scope: wanted, tags }, context) {
      const place = wanted ?? (context.kind === 'direct' ? 'everywhere' : 'here');
      const result = await memories.remember({
        of: remembererOf(context, dependencies),
        text: cleanText(text).trim(),
        scope: place,
        tags: [...new Set(tags.map((each) => oneLine(cleanText(each), 40)))],
        maxEntries,
        at: clock.now(),
      });
      if (result.status === 'full') return error(tooMany(result.count));
      const where = place === 'here' ? 'in this conversation' : 'in all conversations with this person';
      return llmOnly(`${result.status === 'stored' ? 'Remembered' : 'Renewed'} ${where}, as ${result.id}.`);
    },
  });
}

function tooMany(count: number): string {
  return `Not remembered: there are ${count} memories of this person already, and no more are kept. Forget some that are of no use any more with memory_forget first; memory_search with an empty query lists the newest.`;
}

/** Finds what was remembered for the person whom the run serves. */
export function memorySearch(dependencies: Omit<MemoryDependencies, 'settings'>): Tool {
  const { memories, clock } = dependencies;
  return defineTool({
    name: 'memory_search',
    displayName: 'Search memory',
    category: 'memory',
    description:
      'Finds what was remembered for the person you talk with. Use it before you ask them for something that they may have told you before, and whenever they speak of earlier conversations.',
    input: z.strictObject({
      query: z.string().max(1000).describe('Words that may stand in it, the best first. Empty: the newest are listed.'),
      limit: z.number().int().min(1).max(20).default(8).describe('How many at most.'),
      scope: scope.describe(
        'here: only what was stored in this conversation, as by default in a group. everywhere: also what was stored for all conversations, as by default in a direct chat. In a group, others read what you say of it.',
      ),
    }),
    describeCall: ({ query }) =>
      query.trim() === '' ? 'list the newest memories' : `search the memory for ${inlineCode(oneLine(query, 200))}`,
    async execute({ query, limit, scope: wanted }, context) {
      const reach = wanted ?? (context.kind === 'direct' ? 'everywhere' : 'here');
      const of = remembererOf(context, dependencies);
      const found = await memories.search({ of, scope: reach, query, limit, at: clock.now() });
      return llmOnly(listMemories(found, reach));
    },
  });
}

/** Forgets one memory of the person whom the run serves. */
export function memoryForget(dependencies: Pick<MemoryDependencies, 'memories' | 'accountsOf'>): Tool {
  return defineTool({
    name: 'memory_forget',
    displayName: 'Forget',
    category: 'memory',
    description:
      'Forgets one memory of the person you talk with, for good. Use it when they ask for it, and for what is no longer true.',
    input: z.strictObject({ id: z.string().trim().min(1).max(100).describe('As memory_search shows it.') }),
    describeCall: ({ id }) => `forget the memory ${inlineCode(oneLine(id, 40))}`,
    facets: () => ({ writesMemory: true }),
    async execute({ id }, context) {
      if (await dependencies.memories.forget(id, remembererOf(context, dependencies)))
        return llmOnly(`Forgotten: ${id}.`);
      return error(
        `There is no such memory: ${oneLine(id, 40)}. memory_search shows the ids of those that can be forgotten here.`,
      );
    },
  });
}

function remembererOf(
  { sender: { principal }, conversationId }: ToolScope,
  { accountsOf }: Pick<MemoryDependencies, 'accountsOf'>,
): Rememberer {
  return { principal, accounts: accountsOf(principal), conversationId };
}
