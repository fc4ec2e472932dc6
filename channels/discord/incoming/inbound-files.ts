import { extname } from 'node:path/posix';
import { MessageFlags } from 'discord-api-types/v10';
import { z } from 'zod';
import type { InboundAttachment } from '../../../src/contract.ts';
import { parseJson } from '../../../src/lib/json.ts';
import type { DiscordAttachment, DiscordContent } from './payload.ts';

/** Where a file lies. The address holds for a day or less; asking for the message again gives a new one. */
export interface FilePlace {
  readonly channelId: string;
  readonly messageId: string;
  readonly attachmentId: string;
  readonly url: string;
}

/** The files of a message, also those of a message that was forwarded with it. */
export function attachmentsOf(
  contents: readonly DiscordContent[],
  place: Pick<FilePlace, 'channelId' | 'messageId'>,
): readonly InboundAttachment[] {
  return contents.flatMap(({ attachments, flags = 0 }) =>
    attachments.map((attachment) => {
      const { content_type, size, id, url } = attachment;
      const name = nameOf(attachment);
      return {
        kind: (flags & MessageFlags.IsVoiceMessage) !== 0 ? 'voice' : kindOf(attachment),
        handle: JSON.stringify([place.channelId, place.messageId, id, url]),
        ...(name !== '' && { name }),
        ...(content_type !== undefined && content_type !== '' && { mediaType: content_type }),
        ...(size !== undefined && { size }),
      };
    }),
  );
}

const handleShape = z.tuple([z.string(), z.string(), z.string(), z.string()]);

/** Reads the handle of an attachment. Undefined if it is none of ours. */
export function readHandle(handle: string): FilePlace | undefined {
  const { data } = handleShape.safeParse(parseJson(handle));
  if (data === undefined) return undefined;
  const [channelId, messageId, attachmentId, url] = data;
  return { channelId, messageId, attachmentId, url };
}

/** Where somebody has called it otherwise than Discord does, that is the name that people know. */
function nameOf({ filename = '', title = '' }: DiscordAttachment): string {
  if (title === '') return filename;
  const ending = extname(filename);
  return title.endsWith(ending) ? title : `${title}${ending}`;
}

/** What it is, as far as its media type says so. */
export function kindOf({ content_type = '' }: DiscordAttachment): 'image' | 'audio' | 'video' | 'file' {
  const [family] = content_type.split('/');
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'file';
}
