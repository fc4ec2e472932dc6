import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';

export interface FrameSurroundings {
  /** Where a session goes on. */
  readonly gatewayUrl: string;
  /** A message as the twin has it now; undefined if it is gone. */
  readonly findMessage: (channelId: string, messageId: string) => Promise<JsonObject | undefined>;
}

const answerShape = z.object({ message_reference: z.object({ message_id: z.string() }), channel_id: z.string() });

/** A frame of the twin's gateway with what Discord's would say and the twin's does not. */
export async function completed(frame: JsonObject, surroundings: FrameSurroundings): Promise<JsonObject> {
  const { t: event, d: data } = frame;
  if (!isJsonObject(data)) return frame;
  switch (event) {
    case 'READY':
      return { ...frame, d: { ...data, resume_gateway_url: surroundings.gatewayUrl } };
    case 'MESSAGE_CREATE':
    case 'MESSAGE_UPDATE':
      return { ...frame, d: await asReply(inItsPlace(data), surroundings) };
    default:
      return frame;
  }
}

/** In a direct chat, the twin names a guild without a name. */
function inItsPlace(message: JsonObject): JsonObject {
  const { guild_id: guildId, ...rest } = message;
  return guildId === '' ? rest : message;
}

/** The twin keeps what a message answers, but does not tell it as an answer. */
async function asReply(message: JsonObject, { findMessage }: FrameSurroundings): Promise<JsonObject> {
  const { data: answer } = answerShape.safeParse(message);
  if (answer === undefined) return message;
  const answered = await findMessage(answer.channel_id, answer.message_reference.message_id);
  return { ...message, type: 19, referenced_message: answered ?? null };
}
