import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { lazyTool } from '../../tools/registry.ts';
import { memoryCommands, obeyedMemoryCommands } from './commands.ts';
import { memorySettings } from './settings.ts';
import { createMemoryStore, memoryTables } from './tables.ts';

/** Memories of a person in all their chats, and pinned facts of a conversation. */
export const memory: FeatureDefinition = {
  name: 'memory',
  commands: memoryCommands.all,
  settings: memorySettings,
  tables: memoryTables,
  intake: async () => ({ memory: (await import('./intake.ts')).memoryIntake }),
  make: makeMemory,
};

function makeMemory(core: FeatureCore): Feature {
  const memories = createMemoryStore(core.database);
  const listing = () => import('./listing.ts');
  core.listings.set('memories', {
    list: async (asked) => (await listing()).listMemories(asked, { ...core, memories }),
  });
  core.listings.set('pins', { list: async (asked) => (await listing()).listPins(asked, core) });
  const tools = async () => (await import('./memory-tools.ts')).memoryTools(core, memories);
  return {
    commands: obeyedMemoryCommands(core, memories),
    tools: () => [
      lazyTool('memory_store', 'memory', async () => (await tools()).memory_store),
      lazyTool('memory_search', 'memory', async () => (await tools()).memory_search),
      lazyTool('memory_forget', 'memory', async () => (await tools()).memory_forget),
    ],
  };
}
