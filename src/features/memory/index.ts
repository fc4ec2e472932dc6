import type { Feature, FeatureCore } from '../../feature-points.ts';
import { lazyTool } from '../../tools/registry.ts';
import { pinCommands } from './pin-commands.ts';

/** Memories of a person in all their chats, and pinned facts of a conversation. */
export function memory(core: FeatureCore): Feature {
  const tools = () => import('./memory-tools.ts');
  return {
    commands: [pinCommands(core)],
    tools: () => [
      lazyTool('memory_store', 'memory', async () => (await tools()).memoryStore(core)),
      lazyTool('memory_search', 'memory', async () => (await tools()).memorySearch(core)),
      lazyTool('memory_forget', 'memory', async () => (await tools()).memoryForget(core)),
    ],
  };
}
