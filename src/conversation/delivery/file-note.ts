import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { KeptFile } from '../../tools/kept-file.ts';
import { formatSize } from '../../tools/text.ts';

/** What a channel does with a file. */
export type FileFate =
  | { readonly type: 'sent' }
  | { readonly type: 'no-files' }
  | { readonly type: 'too-large'; readonly maxBytes: number }
  /** The platform refuses this one, or its copy is gone. */
  | { readonly type: 'refused' };

/** The line that stands in the place of a file that can't be shown, and says where it is; undefined for one that can. */
export function fileNote({ name, size, from }: KeptFile, fate: FileFate): string | undefined {
  const reason = reasonOf(fate, size);
  if (reason === undefined) return undefined;
  const place = from === undefined ? '' : ` In the workspace it is ${inlineCode(oneLine(from, 200))}.`;
  return `📎 The file ${inlineCode(name)} could not be shown here: ${reason}.${place}`;
}

function reasonOf(fate: FileFate, size: number): string | undefined {
  switch (fate.type) {
    case 'sent':
      return undefined;
    case 'no-files':
      return 'this channel takes no files';
    case 'too-large':
      return `it has ${formatSize(size)}, and this channel takes at most ${formatSize(fate.maxBytes)}`;
    case 'refused':
      return 'it could not be sent';
  }
}
