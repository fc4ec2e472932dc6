import type { ChannelAdapter } from '../../../contract.ts';
import { newId } from '../../../lib/ids.ts';
import type { Log } from '../../../lib/log.ts';
import { imageTypeOf } from '../../../lib/recognise-image.ts';
import { beginningOf } from '../../guard/workspace/open-file.ts';
import type { Workspace } from '../../guard/workspace/workspace.ts';
import { type FileDraft, type FileKeeper, FileNotKeptError, type KeptFile, type ToolOutput } from '../../output.ts';
import { looksLikeText } from '../documents/document.ts';

export interface FileShowing {
  readonly files: FileKeeper;
  readonly adapters: ReadonlyMap<string, ChannelAdapter>;
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
  try {
    return {
      messageId,
      files: await keepRest([], { paths, workspace, keep: (drafts) => keeper.keep(messageId, drafts) }),
    };
  } catch (cause) {
    if (!(cause instanceof FileNotKeptError)) throw cause;
    log.warn({ err: cause }, 'a file could not be copied to be sent');
    return undefined;
  }
}

interface Copying {
  readonly paths: readonly string[];
  readonly workspace: Workspace;
  readonly keep: (drafts: readonly FileDraft[]) => Promise<readonly KeptFile[]>;
}

/** Opens the files after those that are open, and keeps all of them while they are. */
async function keepRest(open: readonly FileDraft[], copying: Copying): Promise<readonly KeptFile[]> {
  const path = copying.paths[open.length];
  if (path === undefined) return copying.keep(open);
  return copying.workspace.withFile(path, largest, async ({ path: held, name }) => {
    const mediaType = mediaTypeOf(name, await beginningOf(held, headLength));
    return keepRest([...open, { name, mediaType, path: held, from: path }], copying);
  });
}

/** Magic bytes at or near the start of files, in latin1. */
const signatures: readonly (readonly [mediaType: string, at: number, bytes: string])[] = [
  ['image/heic', 4, 'ftypheic'],
  ['image/avif', 4, 'ftypavif'],
  ['audio/wav', 8, 'WAVE'],
  ['audio/mp4', 4, 'ftypM4A'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, '\xff\xfb'],
  ['audio/ogg', 0, 'OggS'],
  ['audio/flac', 0, 'fLaC'],
  ['video/mp4', 4, 'ftyp'],
  ['video/webm', 0, '\x1aE\xdf\xa3'],
  ['application/pdf', 0, '%PDF-'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/gzip', 0, '\x1f\x8b'],
];

/**
 * Whether the bytes are a picture or a recording, and cannot be read as a text as well, as `GIF89a is how I begin` can. A
 * voice may have a codec without a signature; a picture needs one.
 */
export function isMedia(bytes: Uint8Array, kind: 'image' | 'voice'): boolean {
  if (looksLikeText(bytes)) return false;
  const mediaType = mediaTypeOf('', bytes.subarray(0, headLength));
  return /^(?:image|audio|video)\//.test(mediaType) || (kind === 'voice' && mediaType === 'application/octet-stream');
}

/** Formats that are zip archives, by file extension. */
const archives = table(`docx application/vnd.openxmlformats-officedocument.wordprocessingml.document
  xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
  pptx application/vnd.openxmlformats-officedocument.presentationml.presentation
  odt application/vnd.oasis.opendocument.text
  ods application/vnd.oasis.opendocument.spreadsheet
  epub application/epub+zip`);
/** Text formats, by file extension. */
const texts = table(`csv text/csv
  css text/css
  htm text/html
  html text/html
  ics text/calendar
  json application/json
  md text/markdown
  svg image/svg+xml
  vcf text/vcard
  xml application/xml`);

function table(lines: string): ReadonlyMap<string, string> {
  return new Map(lines.split(/\n\s+/).map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']));
}

/** How much of a file is examined, in bytes. */
export const headLength = 4096;

/**
 * The media type of a file with this name and this beginning. The content decides; the name only distinguishes formats
 * that look alike inside.
 */
export function mediaTypeOf(name: string, head: Uint8Array): string {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  const [known] = signatures.find(([, at, bytes]) => start.startsWith(bytes, at)) ?? [];
  const mediaType = imageTypeOf(head) ?? known;
  if (mediaType === 'application/zip') return archives.get(extension) ?? mediaType;
  if (mediaType !== undefined) return mediaType;
  return looksLikeText(head) ? (texts.get(extension) ?? 'text/plain') : 'application/octet-stream';
}
