import type { ShownFile } from '../conversation/devices/device-files.ts';
import { inlineCode } from '../lib/plain-text.ts';
import { formatSize } from '../tools/text.ts';

/** What devices are told of a file, in frames and in lists. */
export function fileFacts({ id, sessionId, name, mediaType, size }: ShownFile) {
  return { id, name, media_type: mediaType, size, path: `/api/sessions/${sessionId}/files/${id}` };
}

/** What stands in the text of a file. */
export function fileLine({ name, size }: ShownFile): string {
  return `📎 ${inlineCode(name)} (${formatSize(size)})`;
}
