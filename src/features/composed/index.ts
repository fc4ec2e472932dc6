import type { Feature, FeatureCore } from '../../feature-points.ts';
import { lazyTool } from '../../tools/registry.ts';
import { composedCommand } from './composed-command.ts';

/** Tools made from instructions, in the config or in a chat. A sub-run carries them out. */
export function composed(core: FeatureCore): Feature {
  const { config, store } = core;
  return {
    commands: [composedCommand(core)],
    tools: () => [
      lazyTool('create_tool', 'destructive', async () => (await import('./create-tool.ts')).createTool(core)),
    ],
    async broughtTools() {
      const all = [
        ...config.composed_tools.map((tool) => ({ tool })),
        ...(await store.composedTools.all()).map((tool) => ({ tool, author: tool.author })),
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
