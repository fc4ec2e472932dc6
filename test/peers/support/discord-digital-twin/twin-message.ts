import { z } from 'zod';
import { flatButtons, type ShownButton } from '../../../../packages/fakes/src/discord/components.ts';

/** A message as it stands there now. */
export interface TwinMessage {
  readonly id: string;
  readonly from: 'bot' | 'user';
  readonly text: string;
  readonly buttons: readonly ShownButton[];
  /** Which message it answers. */
  readonly replyTo?: string;
}

const shape = z.object({
  id: z.string(),
  author: z.object({ bot: z.boolean().default(false) }),
  content: z.string(),
  components: z.array(z.unknown()).default([]),
  message_reference: z.object({ message_id: z.string() }).optional(),
});

/** Reads a message as the twin tells of it. */
export function readTwinMessage(wire: unknown): TwinMessage {
  const { id, author, content, components, message_reference: reference } = shape.parse(wire);
  return {
    id,
    from: author.bot ? 'bot' : 'user',
    text: content,
    buttons: flatButtons(components),
    ...(reference !== undefined && { replyTo: reference.message_id }),
  };
}
