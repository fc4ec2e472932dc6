import { z } from 'zod';
import type { FeatureCore } from '../../feature-points.ts';
import { dayIn } from '../../lib/clock.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { readableText, wordsInput } from '../../tools/arguments.ts';
import { error, llmOnly, readFrom, storing, type ToolOutput } from '../../tools/output.ts';
import { cleanText } from '../../tools/text.ts';
import { conversationOf, defineBuiltin, type Tool, type ToolContext, type ToolScope } from '../../tools/tool.ts';
import { memorySettings } from './settings.ts';
import { type Memory, type MemoryScope, type MemoryStore, memoryScopes, type Rememberer } from './tables.ts';
import { memoryWords } from './words.ts';

const mostTags = 8;

const scope = z.enum(memoryScopes).optional();
const tag = z.string().trim().min(1).max(40);

interface MemoryTools {
  readonly memory_store: Tool;
  readonly memory_search: Tool;
  readonly memory_forget: Tool;
}

interface MemoryContext {
  readonly core: FeatureCore;
  readonly memories: MemoryStore;
}

/** The tools for the memories of the person that a run serves. */
export function memoryTools(core: FeatureCore, memories: MemoryStore): MemoryTools {
  const context = { core, memories };
  return { memory_store: storeTool(context), memory_search: searchTool(context), memory_forget: forgetTool(context) };
}

function storeTool(memory: MemoryContext): Tool {
  const { max_chars: maxChars } = memory.core.settings(memorySettings).tools.memory_store;
  const input = z.strictObject({
    text: readableText(maxChars).describe('What to remember.'),
    scope: scope.describe(
      'everywhere: in all conversations with this person, as by default in a direct chat. here: in this conversation alone, as by default in a group.',
    ),
    tags: z.array(tag).max(mostTags).default([]).describe('Words under which it is found too.'),
  });
  return defineBuiltin({
    name: 'memory_store',
    displayName: (language) => memoryWords[language].names.memory_store,
    category: 'memory',
    description:
      'Remembers a text for the person you talk with, beyond this conversation. Use it when they ask you to remember something, and for lasting facts that they tell about themselves, their wishes and their plans; one fact a call, in a sentence that can be understood alone. Not for what is of use only now, and not for passwords. The same text again renews what is there.',
    input,
    describeCall:
      ({ text }) =>
      (language) =>
        memoryWords[language].remember({ text: inlineCode(oneLine(text, 200)) }),
    facets: ({ text, tags }) => ({ writesMemory: true, leavesNothing: true, sends: [text, ...tags] }),
    execute: async (wanted, context) => remember(wanted, context, memory),
  });
}

interface WantedMemory {
  readonly text: string;
  readonly scope?: MemoryScope | undefined;
  readonly tags: readonly string[];
}

function remember(
  { text, scope: wanted, tags }: WantedMemory,
  context: ToolContext,
  { core, memories }: MemoryContext,
): ToolOutput {
  const scope = wanted ?? scopeIn(context);
  const draft = {
    of: remembererOf(context, core),
    text: cleanText(text).trim(),
    scope,
    tags: [...new Set(tags.map((each) => oneLine(cleanText(each), 40)))],
    maxEntries: core.settings(memorySettings).tools.memory_store.max_entries,
    at: core.clock.now(),
  };
  return storing({
    async apply(within) {
      const result = await memories.remember(draft, within);
      if (result.status === 'full') return error(tooMany(result.count));
      const where = scope === 'here' ? 'in this conversation' : 'in all conversations with this person';
      return llmOnly(`${result.status === 'stored' ? 'Remembered' : 'Renewed'} ${where}, as ${result.id}.`);
    },
  });
}

function searchTool({ core, memories }: MemoryContext): Tool {
  const input = z.strictObject({
    query: z.string().max(1000).describe('Words that may stand in it, the best first. Empty: the newest are listed.'),
    limit: z.number().int().min(1).max(20).default(8).describe('How many at most.'),
    scope: scope.describe(
      'here: only what was stored in this conversation, as by default in a group. everywhere: also what was stored for all conversations, as by default in a direct chat. In a group, others read what you say of it.',
    ),
  });
  return defineBuiltin({
    name: 'memory_search',
    displayName: (language) => memoryWords[language].names.memory_search,
    category: 'memory',
    description:
      'Finds what was remembered for the person you talk with. Use it before you ask them for something that they may have told you before, and whenever they speak of earlier conversations.',
    input,
    describeCall:
      ({ query }) =>
      (language) =>
        query.trim() === ''
          ? memoryWords[language].listMemories
          : memoryWords[language].searchMemory({ query: inlineCode(oneLine(query, 200)) }),
    facets: () => ({ private: true, leavesNothing: true }),
    async execute({ query, limit, scope }, context) {
      const reach = scope ?? scopeIn(context);
      const of = remembererOf(context, core);
      const found = await memories.search({ of, scope: reach, query, limit, at: core.clock.now() });
      return readFrom(found, 'memories', listMemories(found, reach, dayIn(zoneIn(context, core))));
    },
  });
}

function forgetTool({ core, memories }: MemoryContext): Tool {
  return defineBuiltin({
    name: 'memory_forget',
    displayName: (language) => memoryWords[language].names.memory_forget,
    category: 'memory',
    description:
      'Forgets one memory of the person you talk with, for good. Use it when they ask for it, and for what is no longer true.',
    input: z.strictObject({ id: wordsInput(100, 'As memory_search shows it.') }),
    describeCall:
      ({ id }) =>
      (language) =>
        memoryWords[language].forget({ id: inlineCode(oneLine(id, 40)) }),
    facets: () => ({ writesMemory: true, leavesNothing: true }),
    async execute({ id }, context) {
      const of = remembererOf(context, core);
      const unknown = `There is no such memory: ${oneLine(id, 40)}. memory_search shows the ids of those that can be forgotten here.`;
      return storing({
        apply: async (within) =>
          (await memories.forget(id, of, within)) ? llmOnly(`Forgotten: ${id}.`) : error(unknown),
      });
    },
  });
}

/** The person, and the conversation that some memories are kept in. */
function remembererOf({ sender: { principal }, conversationId }: ToolScope, { accounts }: FeatureCore): Rememberer {
  return { principal, accounts: accounts.accountsOf(principal), conversationId };
}

function zoneIn(context: ToolScope, { timeZones }: FeatureCore): string {
  return timeZones.of(context.sender.principal, conversationOf(context)).timeZone;
}

function scopeIn({ kind }: ToolScope): MemoryScope {
  return kind === 'direct' ? 'everywhere' : 'here';
}

function tooMany(count: number): string {
  return `Not remembered: there are ${count} memories of this person already, which is the limit. Forget some that are no longer useful with memory_forget first; memory_search with an empty query lists the newest.`;
}

/** The day of an instant, where the person is. */
type DayOf = (at: number) => string;

/** Below the runner's default limit of an output, so that the cut falls between two memories. */
const mostCharacters = 45_000;

/** The memories for the model, with id, date, scope and tags. Indented, so that no text can pass for another entry. */
function listMemories(found: readonly Memory[], reach: MemoryScope, dayOf: DayOf): string {
  if (found.length === 0)
    return reach === 'here'
      ? 'Nothing was found. Only what was stored in this conversation was looked at; the scope "everywhere" finds more.'
      : 'Nothing was found. Try other words, or an empty query, which lists the newest.';
  const entries = found.map((memory) => describe(memory, dayOf));
  let length = 0;
  // At least one: the runner cuts a single entry that is too long.
  const fitting = entries.filter((entry, index) => {
    length += entry.length + 1;
    return length <= mostCharacters || index === 0;
  });
  const left = entries.length - fitting.length;
  const more = left === 0 ? [] : [`[${left} more would be too long to show: search for other words, or for fewer]`];
  return [...fitting, ...more].join('\n');
}

function describe({ id, text, tags, scope, storedAt }: Memory, dayOf: DayOf): string {
  const date = dayOf(storedAt);
  const words = tags.length === 0 ? '' : `, tags: ${tags.map((tag) => oneLine(tag, 40)).join(', ')}`;
  return `[${id}] ${date}, ${scope}${words}\n${text.replaceAll(/^/gm, '    ')}`;
}
