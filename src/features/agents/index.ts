import type { Config } from '../../config/schema.ts';
import type { FindWorker, Worker } from '../../engine/feature.ts';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { workspaceFinder } from '../../tools/guard/workspace/workspace.ts';
import { registrationOf, type ScopedTool } from '../../tools/registry.ts';
import { agentSettings } from './settings.ts';

/** The config's agents, to which the model may delegate tasks. They run in sub-runs. */
export const agents: FeatureDefinition = { name: 'agents', settings: agentSettings, make: makeAgents };

function makeAgents({ config }: FeatureCore): Feature {
  return {
    broughtTools: () => delegationIn(config),
    workerOf: findAgent(config),
  };
}

/** The tools that hand work over, if there are agents. */
async function delegationIn(config: Config): Promise<readonly ScopedTool[]> {
  const known = Object.entries(config.agents).map(([name, { description }]) => ({ name, description }));
  if (known.length === 0) return [];
  const { delegationTools } = await import('./delegate.ts');
  const { max_depth: maxDepth } = config.tools.delegate;
  return Object.values(delegationTools(known)).map((tool) => ({
    // At the deepest allowed nesting, nothing more is delegated.
    registration: { ...registrationOf(tool), depths: { below: maxDepth } },
    source: { type: 'delegate' },
  }));
}

type FindWorkspace = NonNullable<Worker['workspaceOf']>;

/** Finds agents in the current config. */
function findAgent(config: Config): FindWorker {
  const finders = new Map<string, FindWorkspace>();
  return ({ type, name }) => {
    const { agents } = config;
    const agent = type === 'agent' && Object.hasOwn(agents, name) ? agents[name] : undefined;
    if (agent === undefined) return undefined;
    const { prompt, tools: only, model, mode, workspace } = agent;
    const workspaceOf = workspace === undefined ? undefined : finderOf(workspace, finders);
    return { prompt, only, model, mode, workspaceOf };
  };
}

/** One finder a template: it knows the folders that it has found. */
function finderOf(template: string, finders: Map<string, FindWorkspace>): FindWorkspace {
  const finder = finders.get(template) ?? workspaceFinder(template);
  finders.set(template, finder);
  return finder;
}
