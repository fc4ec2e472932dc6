import { Background } from '../../../lib/background.ts';
import { newId } from '../../../lib/ids.ts';
import type { FoundPlugin } from './found-plugin.ts';
import { type PluginExecution, type PluginMeans, PluginRefusal } from './plugin-means.ts';
import { PluginProcess } from './plugin-process.ts';
import { PluginSupervisor } from './plugin-supervisor.ts';
import { programRequest } from './program-request.ts';

export interface LongLivedProgramDependencies {
  readonly means: PluginMeans;
  /** Looks whether the folder is still what was trusted. Rejects with `PluginRefusal` if not. */
  readonly verify: () => Promise<void>;
  /** It has crashed too often: it is not started any more. Called once. */
  readonly gaveUp: (why: string) => void;
}

/** Has the calls of a plugin done by a program that goes on running. */
export function longLivedProgram(
  plugin: FoundPlugin,
  { means, verify, gaveUp }: LongLivedProgramDependencies,
): PluginExecution {
  const { clock } = means;
  const log = means.log.child({ plugin: plugin.manifest.name });
  const start = async (workspace: string, signal: AbortSignal): Promise<PluginProcess> => {
    await means.workspaceAt(workspace).prepare();
    await verify();
    if (signal.aborted) throw new PluginRefusal('It is off by now.');
    const request = programRequest(plugin, workspace, means.nodePath);
    const started = await means.startProcess({ ...request, callId: `plugin-${newId(12)}` });
    const process = new PluginProcess({ process: started, clock, log });
    return greeted(process, { workspace, signal, timeout: startTimeout, background: new Background(log) });
  };
  return new PluginSupervisor({ start, gaveUp, clock, log });
}

/** How long a program may take until it answers the greeting, in milliseconds. */
const startTimeout = 30_000;

interface Greeting {
  readonly workspace: string;
  readonly timeout: number;
  /** Ends the program. */
  readonly signal: AbortSignal;
  readonly background: Background;
}

async function greeted(process: PluginProcess, greeting: Greeting): Promise<PluginProcess> {
  const { workspace, timeout, signal, background } = greeting;
  const stop = (): void => background.run('a plugin that began could not be ended', () => process.stop());
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const failure = await process.initialize(workspace, timeout);
  signal.removeEventListener('abort', stop);
  if (signal.aborted) throw new PluginRefusal('It is off by now.');
  if (failure !== undefined) throw new Error(failure);
  return process;
}
