/** What happens to files while a call runs: which untrusted ones it reads and writes, and copies of what it changes. */
import { messagesOf } from '../approval/verdict.ts';
import type { ToolOutput } from '../tools/output.ts';
import type { RunScope, Runtime } from './feature.ts';
import type { BegunCall } from './judge.ts';

/** The files of a call that runs. */
export interface CallFiles {
  /** An untrusted file is in the workspace: a read there must leave an access time. */
  readonly tracesReads: boolean;
  /** To be called once, at the end of the call. Resolves with the untrusted files that were read. */
  read(output: ToolOutput): Promise<readonly string[]>;
  /** To be called once after that, unless the process ends: what the call changed is noted. */
  changed(output: ToolOutput): Promise<void>;
}

/** Call it before the call runs. */
export async function watchFiles(call: BegunCall, where: RunScope, runtime: Runtime): Promise<CallFiles> {
  const { id: callId, prepared } = call;
  const { toolName, category, facets, describe: what } = prepared;
  const { workspace, conversationId, sender } = where.scope;
  const copied = { callId, conversationId, principal: sender.principal, workspace, toolName, category, facets, what };
  // Before the watch, which looks at the times of files.
  const copies = await Promise.all(runtime.fileCopies.map((each) => each.begin(copied)));
  const watch = await runtime.fileWatch.begin({
    callId,
    conversationId: where.runsIn ?? conversationId,
    category,
    brings: facets.trusted === true ? undefined : facets.brings,
    untraced: facets.untraced,
    workspace,
    sources: writersIn(where, runtime),
  });
  return {
    tracesReads: watch.tracesReads,
    read: (output) => watch.end(output),
    changed: async (output) => void (await Promise.all(copies.map((each) => each.end(output)))),
  };
}

/** The sources of what the call writes: what was read, and the person it works for unless they are an owner. */
function writersIn({ labels, scope: { sender } }: RunScope, { settings }: Runtime): readonly string[] {
  return settings.isOwner(sender.principal) ? labels.sources : [...labels.sources, messagesOf(sender.principal)];
}
