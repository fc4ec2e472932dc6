import type { Presenter } from '../agent/presenter.ts';
import type { FindWorker } from '../agent/sub-run.ts';
import { SubRuns } from '../agent/sub-runs.ts';
import type { Config } from '../config/schema.ts';
import { workspaceFinder } from '../conversation/workspaces.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { Ground } from './parts.ts';
import { isOff } from './settings.ts';

/** What begins runs for the calls of other runs. */
export function makeSubRuns(ground: Ground, presenter: Presenter): SubRuns {
  const { store, config, clock, crashPoint, wake } = ground;
  const { max_depth: maxDepth, max_running: maxRunning, timeout_secs } = config.tools.delegate;
  const limits = { maxDepth, maxRunning, stall: timeout_secs * 1000 };
  return new SubRuns({ store: store.runs, presenter, findWorker: findWorker(config), limits, clock, crashPoint, wake });
}

/** Finds who works on what is handed over, as the config has him. */
function findWorker({ agents }: Config): FindWorker {
  const workspaces = new Map(
    Object.entries(agents).flatMap(([name, { workspace }]) =>
      workspace === undefined ? [] : [[name, workspaceFinder(workspace)] as const],
    ),
  );
  return (worker) => {
    // What ends the run is nobody's to take away.
    if (worker.type === 'composed') return { prompt: '', only: [...worker.only, completion] };
    const agent = Object.hasOwn(agents, worker.name) ? agents[worker.name] : undefined;
    if (agent === undefined) return undefined;
    const { prompt, tools, model, mode } = agent;
    const workspaceOf = workspaces.get(worker.name);
    return {
      prompt,
      only: [...tools, completion],
      ...(model === undefined ? {} : { model }),
      ...(mode === undefined ? {} : { mode }),
      ...(workspaceOf === undefined ? {} : { workspaceOf }),
    };
  };
}

const completion = 'attempt_completion';

/** The tools by which runs begin and end others: of the agents that there are, and of the tools that are made of words. */
export async function registerSubRunTools({ config, store, log }: Ground, registry: ToolRegistry): Promise<void> {
  const { max_depth: maxDepth } = config.tools.delegate;
  const agents = Object.entries(config.agents).map(([name, { description }]) => ({ name, description }));
  if (agents.length > 0) {
    const { delegate, newTask } = await import('../tools/sources/delegate/delegate.ts');
    const dependencies = { agents: () => agents, maxDepth };
    for (const tool of [delegate(dependencies), newTask(dependencies)]) {
      // A tool of the operator's own stands in for it.
      if (!isOff(config, tool.name) && !registry.has(tool.name)) registry.register(tool, { type: 'delegate' });
    }
  }
  const made = await store.composedTools.all();
  if (config.composed_tools.length === 0 && made.length === 0) return;
  const { composedTool } = await import('../tools/sources/composed/composed-tool.ts');
  for (const tool of config.composed_tools) {
    if (registry.has(tool.name)) log.warn({ tool: tool.name }, 'a composed tool is left out: its name is taken');
    else registry.register(composedTool(tool, maxDepth), { type: 'composed' });
  }
  for (const tool of made) {
    if (registry.has(tool.name)) log.warn({ tool: tool.name }, 'a composed tool is left out: its name is taken');
    else registry.register(composedTool(tool, maxDepth), { type: 'composed', author: tool.author });
  }
}
