import type { InboundAttachment } from '../../../src/contract.ts';
import type { SlackFile } from './payload.ts';

/** The files of a message, by the workspace through which they are fetched. What was taken away, or is not shown, is none. */
export function attachmentsOf(files: readonly SlackFile[], teamId: string): readonly InboundAttachment[] {
  return files.filter(isThere).map(({ id, name, mimetype, subtype, size }) => ({
    kind: kindOf(mimetype ?? '', subtype),
    handle: `${teamId}/${id}`,
    ...(name !== undefined && name !== '' && { name }),
    ...(mimetype !== undefined && mimetype !== '' && { mediaType: mimetype }),
    ...(size !== undefined && { size }),
  }));
}

/** In a chat with another organization, Slack says nothing of a file but its id: more is told when it is asked for. */
function isThere({ mode, file_access }: SlackFile): boolean {
  if (file_access === 'check_file_info') return true;
  return (
    mode !== 'tombstone' &&
    mode !== 'hidden_by_limit' &&
    file_access !== 'file_not_found' &&
    file_access !== 'access_denied'
  );
}

function kindOf(mediaType: string, subtype: string | undefined): InboundAttachment['kind'] {
  if (subtype === 'slack_audio') return 'voice';
  const [family] = mediaType.split('/');
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'file';
}
