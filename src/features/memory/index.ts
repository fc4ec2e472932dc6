import type { Feature, FeatureCore } from '../../feature-points.ts';
import { lazyTool } from '../../tools/registry.ts';
import { pinCommands } from './pin-commands.ts';

/** What is remembered for a person, wherever they talk, and the facts that people pin in a conversation. */
export function memory({ config, store, accounts, clock, book }: FeatureCore): Feature {
  const { max_entries: maxEntries, max_chars: maxChars } = config.tools.memory_store;
  const parts = { memories: store.memories, accountsOf: accounts.accountsOf, clock, maxEntries, maxChars };
  const tools = () => import('./memory-tools.ts');
  return {
    commands: [pinCommands(store.inbox, book)],
    tools: [
      lazyTool('memory_store', 'memory', async () => (await tools()).memoryStore(parts)),
      lazyTool('memory_search', 'memory', async () => (await tools()).memorySearch(parts)),
      lazyTool('memory_forget', 'memory', async () => (await tools()).memoryForget(parts)),
    ],
  };
}
