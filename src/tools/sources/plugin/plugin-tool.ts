import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { ToolCategory } from '../../category.ts';
import type { CallFacets } from '../../facets.ts';
import { foreignTool } from '../../foreign-tool.ts';
import type { Tool } from '../../tool.ts';
import type { FoundPlugin } from './found-plugin.ts';
import type { PluginToolManifest } from './plugin-manifest.ts';
import type { PluginExecution } from './plugin-means.ts';
import { outputOf } from './plugin-words.ts';

export interface PluginToolDependencies {
  readonly execution: PluginExecution;
  /** A sandbox keeps its processes in their bounds. */
  readonly isConfined: () => boolean;
}

/** The time that a call has where the manifest says nothing, in seconds. */
const usualSeconds = 30;

/** One tool of a plugin, as everything else sees it. */
export function pluginTool(
  { manifest, fingerprint }: FoundPlugin,
  { name, description, category, parameters, timeout_secs }: PluginToolManifest,
  { execution, isConfined }: PluginToolDependencies,
): Tool {
  const timeout = (timeout_secs ?? manifest.binary?.timeout_secs ?? usualSeconds) * 1000;
  return foreignTool({
    name,
    description,
    category,
    parameters,
    // What was approved of one version is not done by another.
    fingerprint,
    describeCall: (args) =>
      execution.describe?.({ tool: name, args }) ??
      `use ${inlineCode(name)} of the plugin ${inlineCode(manifest.name)} with ${inlineCode(oneLine(JSON.stringify(args), 300))}`,
    forbid: (args) => execution.forbid?.({ tool: name, args }),
    facets: () => facetsOf(category, isConfined()),
    async execute(args, context) {
      const outcome = await execution.execute({ tool: name, args, context, timeout });
      return outputOf(outcome, { plugin: manifest.name, tool: name, category, timeout });
    },
  });
}

/** What it really does nobody here knows: of what its category allows, the worst is taken for it. */
function facetsOf(category: ToolCategory, isConfined: boolean): CallFacets {
  return {
    ...(category === 'memory' ? { writesMemory: true } : {}),
    ...(category === 'messaging' ? { leavesConversation: true } : {}),
    ...(category === 'shell' && !isConfined ? { unconfined: true } : {}),
  };
}
