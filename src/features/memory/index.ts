import type { Feature, FeatureCore } from '../../feature-points.ts';
import { lazyTool } from '../../tools/registry.ts';
import { pinCommands } from './pin-commands.ts';

/** Memories of a person in all their chats, and pinned facts of a conversation. */
export function memory({ config, store, accounts, clock }: FeatureCore): Feature {
  const parts = {
    ...{ memories: store.memories, accountsOf: accounts.accountsOf, clock },
    get maxEntries() {
      return config.tools.memory_store.max_entries;
    },
    get maxChars() {
      return config.tools.memory_store.max_chars;
    },
  };
  const tools = () => import('./memory-tools.ts');
  return {
    commands: [pinCommands(store.inbox)],
    tools: () => [
      lazyTool('memory_store', 'memory', async () => (await tools()).memoryStore(parts)),
      lazyTool('memory_search', 'memory', async () => (await tools()).memorySearch(parts)),
      lazyTool('memory_forget', 'memory', async () => (await tools()).memoryForget(parts)),
    ],
  };
}
