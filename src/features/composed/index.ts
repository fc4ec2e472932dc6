import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { lazyTool } from '../../tools/registry.ts';
import { composedCommand, composedCommands } from './commands.ts';
import { composedSettings } from './settings.ts';
import { composedTables, createComposedToolStore } from './tables.ts';

/** Tools made from instructions, in the config or in a chat. A sub-run carries them out. */
export const composed: FeatureDefinition = {
  name: 'composed',
  commands: composedCommands.all,
  settings: composedSettings,
  tables: composedTables,
  make: makeComposed,
};

function makeComposed(core: FeatureCore): Feature {
  const { config } = core;
  const settings = core.settings(composedSettings);
  const stored = createComposedToolStore(core.database);
  /** Tools that were removed, though that is not stored yet. */
  const removing = new Set<string>();
  return {
    commands: composedCommand({ ...core, stored, removing }),
    tools: () => [
      lazyTool('create_tool', 'destructive', async () => (await import('./composed-tool.ts')).createTool(core, stored)),
    ],
    async broughtTools() {
      const all = [
        ...settings.composed_tools.map((tool) => ({ tool })),
        ...(await stored.all())
          .filter(({ name }) => !removing.has(name))
          .map((tool) => ({ tool, author: tool.author })),
      ];
      if (all.length === 0) return [];
      const { composedTool } = await import('./composed-tool.ts');
      const { max_depth: maxDepth } = config.tools.delegate;
      return all.map(({ tool, ...author }) => ({
        registration: composedTool(tool, maxDepth),
        source: { type: 'composed', ...author },
      }));
    },
    workerOf: (worker) => (worker.type === 'composed' ? { prompt: '', only: worker.only } : undefined),
  };
}
