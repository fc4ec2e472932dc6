import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { CommandRuleSettings } from '../../guard/command/command-rules.ts';
import { BoundsError } from '../../guard/process/bounds.ts';
import type { LongLivedGuard } from '../../guard/process/long-lived-process.ts';
import type { ProcessGuard } from '../../guard/process/process.ts';
import type { WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { WorkspaceError } from '../../guard/workspace/workspace-error.ts';
import type { CallOutcome } from './call-outcome.ts';
import type { PluginCall } from './plugin-process.ts';

/** What all plugins are run with. */
export interface PluginMeans {
  readonly runProcess: ProcessGuard;
  readonly startProcess: LongLivedGuard;
  /** The program that runs scripts, an absolute path. */
  readonly nodePath: string;
  readonly workspaceAt: WorkspaceFactory;
  /** Commands that never run, as `tools.shell.deny` has them. */
  readonly deny: CommandRuleSettings['deny'];
  /** How much of the output of a command is kept, in bytes. */
  readonly maxOutputBytes: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Has the calls of one plugin done. */
export interface PluginExecution {
  /** What a call will do, as a line of markdown, where that can be said better than by its arguments. */
  describe?(call: Pick<PluginCall, 'tool' | 'args'>): string | undefined;
  /** Why a call is not to happen, whoever would approve it, in words for the model. */
  forbid?(call: Pick<PluginCall, 'tool' | 'args'>): string | undefined;
  /** Never rejects with anything but a fault of ours. */
  execute(call: PluginCall): Promise<CallOutcome>;
  /** Leaves nothing running. */
  stop(): Promise<void>;
}

/** A plugin is not started, and nothing was done. The message says why, in sentences for the model and for people. */
export class PluginRefusal extends Error {
  override readonly name = 'PluginRefusal';
}

/** Whether a plugin was kept from being started, rather than that it failed. */
export function isRefusal(cause: unknown): cause is Error {
  return cause instanceof PluginRefusal || cause instanceof BoundsError || cause instanceof WorkspaceError;
}
