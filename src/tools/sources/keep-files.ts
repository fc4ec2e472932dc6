import { safeFileName } from '../../lib/file-name.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { imageTypeOf } from '../../lib/recognise-image.ts';
import { copiesOf, type FileShowing, mediaTypeOf } from '../builtin/messages/message-files.ts';
import type { Workspace, WorkspaceFactory } from '../guard/workspace/workspace.ts';
import { WorkspaceError } from '../guard/workspace/workspace-error.ts';
import type { ToolOutput } from '../output.ts';
import { formatSize } from '../text.ts';
import type { ToolContext } from '../tool.ts';

/** A part of a result that is no text: a picture, a recording, a file. */
export interface ResultFile {
  /** The file name without a folder; it may be anything. */
  readonly name: string;
  /** As the sender declares it. */
  readonly mediaType: string;
  readonly bytes: Buffer;
}

export interface KeepFilesDependencies extends FileShowing {
  readonly folder: string;
  readonly workspaceAt: WorkspaceFactory;
}

/** How many files the folder keeps; the oldest are deleted. */
const mostKept = 50;
/** The limit of one result; further files are left out. */
const mostFiles = 10;
/** In bytes. */
const largest = 25 * 2 ** 20;

/** A result of texts and files, in order. */
interface KeptParts {
  /** For the model. */
  readonly text: string;
  /** For people, and for a model with vision. */
  readonly shown: Pick<ToolOutput, 'files' | 'pictures'>;
}

/** Saves the files of a server or a device in the workspace, and shows them in the chat. Throws only on a fault of ours. */
export async function keepFiles(
  parts: readonly (string | ResultFile)[],
  context: ToolContext,
  dependencies: KeepFilesDependencies,
): Promise<KeptParts> {
  const files = parts.filter((part) => typeof part !== 'string');
  if (files.length === 0) return { text: parts.join(between), shown: {} };
  const { workspace, channel, log } = context;
  const { workspaceAt, files: keeper, adapters } = dependencies;
  const guarded = workspaceAt(workspace);
  const saved: SavedFile[] = [];
  let shown: ToolOutput['files'];
  try {
    await saveAll(files, { saved, guarded, callId: context.callId, folder: dependencies.folder });
    const paths = saved.map(({ path }) => path);
    if (paths.length > 0) shown = await copiesOf(paths, guarded, keeper, log);
  } catch (cause) {
    if (!(cause instanceof WorkspaceError)) throw cause;
    log.warn({ err: cause }, 'a file that a tool sent could not be saved, or not be shown');
  }
  const pictures = saved.filter(({ file }) => imageTypeOf(file.bytes) !== undefined).map(({ path }) => ({ path }));
  const limit = shown === undefined ? 0 : (adapters.get(channel)?.capabilities.maxFileBytes ?? 0);
  const texts = parts.map((part) => (typeof part === 'string' ? part : fateOf(part, saved, limit)));
  return {
    text: texts.join(between),
    shown: { files: shown, pictures: pictures.length === 0 ? undefined : pictures },
  };
}

interface Saving {
  /** The files that have been saved so far. */
  readonly saved: SavedFile[];
  readonly guarded: Workspace;
  readonly callId: string;
  readonly folder: string;
}

async function saveAll(files: readonly ResultFile[], { saved, guarded, callId, folder }: Saving): Promise<void> {
  await guarded.keepNewest(folder, mostKept - mostFiles);
  for (const file of files.slice(0, mostFiles)) {
    const prefix = `${folder}/${callId.replaceAll(/[^\w-]/g, '_')}-${saved.length + 1}`;
    if (file.bytes.length <= largest) saved.push(await save(file, guarded, prefix));
  }
}

/** What became of a file, for the model. `limit`: the largest that the chat shows, in bytes. */
function fateOf(file: ResultFile, saved: readonly SavedFile[], limit: number): string {
  const found = saved.find((one) => one.file === file);
  const what = `[${found?.mediaType ?? oneLine(file.mediaType, 60)}, ${formatSize(file.bytes.length)}`;
  if (found === undefined) return `${what}: not kept, since it is too large, or one of too many]`;
  const fate = file.bytes.length <= limit ? 'and shown to the person in the chat' : 'which the chat does not show';
  return `${what}: saved as ${found.path}, ${fate}]`;
}

/** Between two parts of a result. */
const between = '\n\n';

interface SavedFile {
  readonly file: ResultFile;
  readonly mediaType: string;
  readonly path: string;
}

async function save(file: ResultFile, guarded: Workspace, prefix: string): Promise<SavedFile> {
  const named = safeFileName(file.name);
  const mediaType = mediaTypeOf(named, file.bytes.subarray(0, 4096));
  const extension = extensionOf(mediaType);
  const name = extension === undefined || named.endsWith(`.${extension}`) ? named : `${named}.${extension}`;
  const path = await guarded.add(`${prefix}-${name}`, file.bytes);
  return { file, mediaType, path };
}

/** The file extension of pictures, recordings and PDFs, which some names lack. */
function extensionOf(mediaType: string): string | undefined {
  const kind = /^(?:image|audio|application)\/(png|jpeg|gif|webp|wav|mpeg|ogg|pdf)$/.exec(mediaType)?.[1];
  return kind?.replace('jpeg', 'jpg').replace('mpeg', 'mp3');
}
