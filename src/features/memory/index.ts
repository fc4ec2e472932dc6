import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { lazyTool } from '../../tools/registry.ts';
import { memoryCommands, pinCommands } from './commands.ts';

/** Memories of a person in all their chats, and pinned facts of a conversation. */
export const memory: FeatureDefinition = { name: 'memory', commands: memoryCommands.all, make: makeMemory };

function makeMemory(core: FeatureCore): Feature {
  const tools = async () => (await import('./memory-tools.ts')).memoryTools(core);
  return {
    commands: pinCommands(core),
    tools: () => [
      lazyTool('memory_store', 'memory', async () => (await tools()).memory_store),
      lazyTool('memory_search', 'memory', async () => (await tools()).memory_search),
      lazyTool('memory_forget', 'memory', async () => (await tools()).memory_forget),
    ],
  };
}
