import type { Config } from '../../config/schema.ts';
import type { FindWorker, Worker } from '../../engine/feature.ts';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { workspaceFinder } from '../../tools/guard/workspace/workspace.ts';
import { registrationOf } from '../../tools/registry.ts';
import { agentSettings } from './settings.ts';

/** The config's agents, to which the model may delegate tasks. They run in sub-runs. */
export const agents: FeatureDefinition = { name: 'agents', settings: agentSettings, make: makeAgents };

function makeAgents({ config }: FeatureCore): Feature {
  return {
    async broughtTools() {
      const known = Object.entries(config.agents).map(([name, { description }]) => ({ name, description }));
      if (known.length === 0) return [];
      const { delegationTools } = await import('./delegate.ts');
      const { max_depth: maxDepth } = config.tools.delegate;
      return Object.values(delegationTools(known)).map((tool) => ({
        // At the deepest allowed nesting, nothing more is delegated.
        registration: { ...registrationOf(tool), depths: { below: maxDepth } },
        source: { type: 'delegate' },
      }));
    },
    workerOf: findAgent(config),
  };
}

type FindWorkspace = NonNullable<Worker['workspaceOf']>;

/** Finds agents in the current config. */
function findAgent(config: Config): FindWorker {
  const finders = new Map<string, FindWorkspace>();
  const finderOf = (template: string) => {
    const finder = finders.get(template) ?? workspaceFinder(template);
    finders.set(template, finder);
    return finder;
  };
  return ({ type, name }) => {
    const { agents } = config;
    const agent = type === 'agent' && Object.hasOwn(agents, name) ? agents[name] : undefined;
    if (agent === undefined) return undefined;
    const { prompt, tools: only, model, mode, workspace } = agent;
    return { prompt, only, model, mode, workspaceOf: workspace === undefined ? undefined : finderOf(workspace) };
  };
}
