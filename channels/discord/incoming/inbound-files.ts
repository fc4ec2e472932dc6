import { extname } from 'node:path/posix';
import { z } from 'zod';
import type { InboundAttachment } from '../../../src/contract.ts';
import type { DiscordAttachment, DiscordContent } from './payload.ts';

/** Where a file lies. The address holds for a day or less; asking for the message again gives a new one. */
export interface FilePlace {
  readonly channelId: string;
  readonly messageId: string;
  readonly attachmentId: string;
  readonly url: string;
}

const voiceMessage = 8192;

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
        kind: (flags & voiceMessage) !== 0 ? 'voice' : kindOf(attachment),
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
  const { data } = handleShape.safeParse(parse(handle));
  if (data === undefined) return undefined;
  const [channelId, messageId, attachmentId, url] = data;
  return { channelId, messageId, attachmentId, url };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Where somebody has called it otherwise than Discord does, that is the name that people know. */
function nameOf({ filename = '', title = '' }: DiscordAttachment): string {
  if (title === '') return filename;
  const ending = extname(filename);
  return title.endsWith(ending) ? title : `${title}${ending}`;
}

function kindOf({ content_type = '' }: DiscordAttachment): InboundAttachment['kind'] {
  const [family] = content_type.split('/');
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'file';
}
