import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { lazyTool, type ScopedTool } from '../../tools/registry.ts';
import { composedCommand, composedCommands } from './commands.ts';
import { composedSettings } from './settings.ts';
import { type ComposedToolStore, composedTables, createComposedToolStore } from './tables.ts';

/** Tools made from instructions, in the config or in a chat. A sub-run carries them out. */
export const composed: FeatureDefinition = {
  name: 'composed',
  commands: composedCommands.all,
  settings: composedSettings,
  tables: composedTables,
  make: makeComposed,
};

function makeComposed(core: FeatureCore): Feature {
  const stored = createComposedToolStore(core.database);
  /** Tools that were removed, though that is not stored yet. */
  const removing = new Set<string>();
  return {
    commands: composedCommand({ ...core, stored, removing }),
    tools: () => [
      lazyTool('create_tool', 'destructive', async () => (await import('./composed-tool.ts')).createTool(core, stored)),
    ],
    broughtTools: () => broughtTools({ core, stored, removing }),
    workerOf: (worker) => (worker.type === 'composed' ? { prompt: '', only: worker.only } : undefined),
  };
}

interface ComposedContext {
  readonly core: FeatureCore;
  readonly stored: ComposedToolStore;
  readonly removing: ReadonlySet<string>;
}

async function broughtTools({ core, stored, removing }: ComposedContext): Promise<readonly ScopedTool[]> {
  const fromChats = (await stored.all()).filter(({ name }) => !removing.has(name));
  const all = [
    ...core.settings(composedSettings).composed_tools.map((tool) => ({ tool })),
    ...fromChats.map((tool) => ({ tool, author: tool.author })),
  ];
  if (all.length === 0) return [];
  const { composedTool } = await import('./composed-tool.ts');
  const { max_depth: maxDepth } = core.config.tools.delegate;
  return all.map(({ tool, ...author }) => ({
    registration: composedTool(tool, maxDepth),
    source: { type: 'composed', ...author },
  }));
}
