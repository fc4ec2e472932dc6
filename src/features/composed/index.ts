import type { Feature, FeatureCore } from '../../feature-points.ts';
import { lazyTool } from '../../tools/registry.ts';
import { composedCommand } from './composed-command.ts';

/** Tools that are made of words, in the config or in a chat. A sub-run does what they say. */
export async function composed(core: FeatureCore): Promise<Feature> {
  const { config, store, registry, clock } = core;
  const { max_depth: maxDepth } = config.tools.delegate;
  const { max_tools: most } = config.tools.create_tool;
  const made = await store.composedTools.all();
  const all = [
    ...config.composed_tools.map((tool) => ({ tool })),
    ...made.map((tool) => ({ tool, author: tool.author })),
  ];
  const making = all.length === 0 ? undefined : await import('./composed-tool.ts');
  return {
    commands: [composedCommand(core)],
    tools: [
      lazyTool('create_tool', 'destructive', async () =>
        (await import('./create-tool.ts')).createTool({ store: store.composedTools, registry, clock, most, maxDepth }),
      ),
    ],
    broughtTools: all.flatMap(({ tool, ...author }) =>
      making === undefined
        ? []
        : [{ registration: making.composedTool(tool, maxDepth), source: { type: 'composed', ...author } as const }],
    ),
    workerOf: (worker) => (worker.type === 'composed' ? { prompt: '', only: worker.only } : undefined),
  };
}
