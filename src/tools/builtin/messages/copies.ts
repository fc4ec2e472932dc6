import { newId } from '../../../lib/ids.ts';
import type { Log } from '../../../lib/log.ts';
import { beginningOf } from '../../guard/workspace/open-file.ts';
import type { Workspace } from '../../guard/workspace/workspace.ts';
import { type FileDraft, type FileKeeper, FileNotKeptError, type ToolOutput } from '../../output.ts';
import { headLength, mediaTypeOf } from './recognise-media.ts';

export interface FileShowing {
  readonly files: FileKeeper;
  /** The largest file that the channel accepts, in bytes; 0 if it accepts none. */
  readonly fileLimitOf: (channel: string) => number;
}

/** In bytes. No platform accepts more from a bot. */
const largest = 50 * 2 ** 20;

/**
 * Copies workspace files for a message. Each file stays open until all are copied, so that nothing can replace it.
 * Undefined if they cannot be copied. Throws `WorkspaceError` if a tool may not read one.
 */
export async function copiesOf(
  paths: readonly string[],
  workspace: Workspace,
  keeper: FileKeeper,
  log: Log,
): Promise<ToolOutput['files']> {
  const messageId = newId(20);
  const next = async (drafts: readonly FileDraft[]): ReturnType<FileKeeper['keep']> => {
    const path = paths[drafts.length];
    if (path === undefined) return keeper.keep(messageId, drafts);
    return workspace.withFile(path, largest, async ({ path: held, name }) => {
      const mediaType = mediaTypeOf(name, await beginningOf(held, headLength));
      return next([...drafts, { name, mediaType, path: held, from: path }]);
    });
  };
  try {
    return { messageId, files: await next([]) };
  } catch (cause) {
    if (!(cause instanceof FileNotKeptError)) throw cause;
    log.warn({ err: cause }, 'a file could not be copied to be sent');
    return undefined;
  }
}
