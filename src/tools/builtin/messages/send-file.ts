import { open } from 'node:fs/promises';
import { z } from 'zod';
import { newId } from '../../../lib/ids.ts';
import type { Log } from '../../../lib/log.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { HeldFile, WorkspaceFactory } from '../../guard/workspace/workspace.ts';
import { type FileKeeper, FileNotKeptError } from '../../kept-file.ts';
import { error, type ToolOutput } from '../../output.ts';
import { formatSize, nameForPeople } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { orRefusal } from '../or-refusal.ts';
import { headLength, mediaTypeOf } from './recognise-media.ts';

export interface SendFileDependencies {
  readonly workspaceAt: WorkspaceFactory;
  readonly files: FileKeeper;
  /** The largest file that the channel takes, in bytes; 0 where it takes none. */
  readonly fileLimitOf: (channel: string) => number;
}

/** In bytes. No platform takes more from a bot. */
const largest = 50 * 2 ** 20;

/** Shows a file of the workspace in the chat. It is as it was when the call ran, whatever becomes of the original. */
export function sendFile({ workspaceAt, files, fileLimitOf }: SendFileDependencies): Tool {
  return defineTool({
    name: 'send_file',
    displayName: 'Send file',
    category: 'filesystem_read',
    description:
      'Shows a file of the workspace to the people in this chat: a picture, a document, a recording. Use it when they ask for a file, or when what you made for them is one.',
    input: z.strictObject({
      path: z.string().min(1).describe('The file, relative to the workspace.'),
      caption: z.string().max(2000).optional().describe('Markdown that stands above it.'),
    }),
    describeCall: ({ path }) => `show ${nameForPeople(path)} in this chat`,
    execute: ({ path, caption = '' }, { workspace, channel, log }) =>
      orRefusal(async () => {
        const shown = await workspaceAt(workspace).withFile(path, largest, (held) => keep(held, path, files, log));
        if (shown === undefined)
          return error(`${oneLine(path, 200)} could not be copied to be sent. Look at it, and try again.`);
        const [file] = shown.files;
        const fate = fateOf(oneLine(path, 200), file?.size ?? 0, fileLimitOf(channel));
        return { forLlm: fate, forUser: caption.trim(), files: shown, isError: false, isAsync: false };
      }),
  });
}

async function keep(
  { path: heldPath, name, size }: HeldFile,
  path: string,
  files: FileKeeper,
  log: Log,
): Promise<ToolOutput['files']> {
  const messageId = newId(20);
  const mediaType = mediaTypeOf(name, await headOf(heldPath, size));
  try {
    return { messageId, files: await files.keep(messageId, [{ name, mediaType, path: heldPath, from: path }]) };
  } catch (cause) {
    if (!(cause instanceof FileNotKeptError)) throw cause;
    log.warn({ err: cause }, 'a file could not be copied to be sent');
    return undefined;
  }
}

async function headOf(path: string, size: number): Promise<Uint8Array> {
  await using file = await open(path, 'r');
  const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(size, headLength)), 0, null, 0);
  return buffer.subarray(0, bytesRead);
}

function fateOf(name: string, size: number, limit: number): string {
  const file = `${name} (${formatSize(size)})`;
  if (limit === 0) return `This channel takes no files: people are told that ${file} is in the workspace.`;
  if (size > limit) {
    return `${file} is too large for this channel, which takes at most ${formatSize(limit)}: people are told that it is in the workspace.`;
  }
  return `${file} is shown in the chat.`;
}
