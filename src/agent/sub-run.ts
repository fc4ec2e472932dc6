import type { AgentMode } from '../approval/policy.ts';
import type { Conversation } from '../contract.ts';
import type { SubRunRequest, SubRunWorker } from '../tools/sub-run-request.ts';

/**
 * What a conversation is that nobody talks in: a run has begun it for one of its calls. All that people are to see of it
 * is shown in the root, the conversation in which a person talks.
 */
export interface SubRun {
  /** The call whose result it comes to. */
  readonly callId: string;
  readonly toolName: string;
  /** The conversation of that call: the root, or another sub-run. */
  readonly parentId: string;
  readonly rootId: string;
  readonly worker: SubRunWorker;
  /** Who works on the sub-runs that it stands in, the outermost first. */
  readonly above: readonly SubRunWorker[];
  readonly title: string;
  readonly form: SubRunRequest['form'];
}

/** Somebody who works on sub-runs, as the config has him now. */
export interface Worker {
  /** What he is told about himself. */
  readonly prompt: string;
  /** Patterns of the tools that he may use. */
  readonly only: readonly string[];
  /** One of the config's models; left out: that of the run which asks. */
  readonly model?: string;
  readonly mode?: AgentMode;
  /** The folder that he works in, where it is not that of the conversation. */
  readonly workspaceOf?: (conversation: Conversation) => string;
}

/** Undefined where there is nobody of that name any more. */
export type FindWorker = (worker: SubRunWorker) => Worker | undefined;

/** How far a run may hand over what it is to do. */
export interface SubRunLimits {
  /** So many sub-runs stand within each other at most. */
  readonly maxDepth: number;
  /** So many work for one conversation at once. */
  readonly maxRunning: number;
  /** A worker whose model says nothing for so long is given up, in milliseconds. */
  readonly stall: number;
}

/** Where people see what becomes of a conversation's run. */
export function shownIn(state: { readonly conversationId: string; readonly subRun?: SubRun }): string {
  return state.subRun?.rootId ?? state.conversationId;
}

/** The stricter of two modes. */
export function stricter(one: AgentMode, other: AgentMode | undefined): AgentMode {
  if (other === undefined) return one;
  return strictness.indexOf(one) <= strictness.indexOf(other) ? one : other;
}

const strictness: readonly AgentMode[] = ['observer', 'assistant', 'autonomous'];
