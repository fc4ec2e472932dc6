import type { CommandGroup, GivenCommand } from '../../conversation/commands/given-command.ts';
import type { PinnedFact } from '../../engine/journal.ts';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { lazyTool } from '../../tools/registry.ts';
import { memorySettings } from './settings.ts';
import { createMemoryStore, createPinStore, memoryTables, mostPinned, type Pinning, type PinStore } from './tables.ts';

/** Memories of a person in all their chats, and pinned facts of a conversation. */
export const memory: FeatureDefinition = {
  name: 'memory',
  settings: memorySettings,
  tables: memoryTables,
  make: makeMemory,
};

function makeMemory(core: FeatureCore): Feature {
  const memories = createMemoryStore(core.database);
  const tools = async () => (await import('./memory-tools.ts')).memoryTools(core, memories);
  return {
    commands: [pinCommands(core)],
    tools: () => [
      lazyTool('memory_store', 'memory', async () => (await tools()).memory_store),
      lazyTool('memory_search', 'memory', async () => (await tools()).memory_search),
      lazyTool('memory_forget', 'memory', async () => (await tools()).memory_forget),
    ],
  };
}

/** Per fact, in characters. */
const longestPinned = 500;

/** Pinned facts belong to the conversation: everybody who may use commands there may change them. */
function pinCommands({ store: { inbox }, database }: FeatureCore): CommandGroup {
  const pins = createPinStore(database);
  return {
    takes: ({ name }) => name === 'pin' || name === 'pins' || name === 'unpin',
    help: { section: 'here', text: '`/pin TEXT`, `/pins`, `/unpin N`: facts that I always keep in mind here' },
    async obey(given) {
      if (given.name === 'pin') return pin(given, pins);
      if (given.name === 'unpin') return unpin(given, pins);
      return given.answer(given.withHint(listWords(await inbox.pinnedIn(given.origin.conversationId))));
    },
  };
}

async function pin({ argument: text, answer, obey, withHint }: GivenCommand, pins: PinStore): Promise<void> {
  if (text === '') return answer(withHint(whatToPin));
  const length = Array.from(text).length;
  if (length > longestPinned) return answer(withHint(tooLongWords(length)));
  await obey(pins.pin(text), (pinning) => withHint(pinWords(pinning)));
}

async function unpin({ argument, answer, obey, withHint }: GivenCommand, pins: PinStore): Promise<void> {
  const wanted = argument.toLowerCase();
  const number = /^#?(\d{1,9})$/.exec(wanted)?.[1];
  if (number === undefined && wanted !== 'all') return answer(withHint(whichToUnpin));
  const effect = pins.unpin(number === undefined ? undefined : Number(number));
  await obey(effect, (unpinned) => withHint(unpinWords(unpinned, number)));
}

function listWords(facts: readonly PinnedFact[]): string {
  if (facts.length === 0) return 'Nothing is pinned here. `/pin TEXT` has me keep a fact in mind.';
  const lines = facts.map(
    ({ number, name, text }) => `- ${inlineCode(String(number))}, by ${shown(name, 64)}: ${shown(text, longestShown)}`,
  );
  return ['Pinned here:', ...lines, '', 'Take one away with `/unpin N`, or all with `/unpin all`.'].join('\n');
}

function pinWords(pinning: Pinning): string {
  switch (pinning.type) {
    case 'pinned':
      return `📌 Pinned as ${pinning.number}. I keep it in mind here until you say \`/unpin ${pinning.number}\`.`;
    case 'known':
      return `That is pinned already, as ${pinning.number}.`;
    case 'full':
      return `Not pinned: ${mostPinned} facts are pinned here, which is as many as there may be. \`/pins\` shows them, \`/unpin N\` takes one away.`;
  }
}

function unpinWords(unpinned: readonly PinnedFact[], number: string | undefined): string {
  const [first] = unpinned;
  if (number === undefined) {
    if (first === undefined) return 'Nothing was pinned here.';
    return unpinned.length === 1 ? 'Unpinned the one fact.' : `Unpinned all ${unpinned.length} facts.`;
  }
  if (first === undefined) return `No fact is pinned here as ${Number(number)}. \`/pins\` shows those that are.`;
  return `Unpinned: ${shown(first.text, 200)}`;
}

function tooLongWords(length: number): string {
  return `Not pinned: a fact has at most ${longestPinned} characters, and this has ${length}. Say it in fewer words, or pin it in parts.`;
}

function shown(text: string, most: number): string {
  return escapeMarkdown(oneLine(text, most));
}

/** Line ends and invisible characters take more characters when shown. */
const longestShown = 2 * longestPinned;

const whatToPin = 'Say what: `/pin TEXT`. I keep it in mind here, whatever else is summarised or left out.';
const whichToUnpin = 'Say which: `/unpin N` or `/unpin all`. `/pins` shows the numbers.';
