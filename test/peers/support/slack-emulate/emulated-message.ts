import { z } from 'zod';
import { buttonsOf, type ShownButton, textOfBlocks } from '../../../../packages/fakes/src/slack/blocks.ts';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';

/** A message as it stands there now. */
export interface EmulatedMessage {
  readonly ts: string;
  readonly userId: string;
  /** That of the blocks, where there are some. */
  readonly text: string;
  readonly buttons: readonly ShownButton[];
  readonly files: readonly EmulatedFile[];
  readonly reactions: readonly string[];
  /** As emulate tells of it. */
  readonly wire: JsonObject;
}

export interface EmulatedFile {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

const wireShape = z.object({
  ts: z.string(),
  user: z.string(),
  text: z.string(),
  blocks: z.array(z.custom<JsonObject>(isJsonObject)).default([]),
  files: z.array(z.object({ id: z.string(), name: z.string(), url_private: z.string() })).default([]),
  reactions: z.array(z.object({ name: z.string() })).default([]),
});

/** Reads what `conversations.history` and `conversations.replies` answer, the oldest first. */
export function readMessages({ messages }: JsonObject): readonly EmulatedMessage[] {
  return z
    .array(z.custom<JsonObject>(isJsonObject))
    .parse(messages)
    .map(readMessage)
    .sort((one, other) => Number(one.ts) - Number(other.ts));
}

function readMessage(wire: JsonObject): EmulatedMessage {
  const { ts, user, text, blocks, files, reactions } = wireShape.parse(wire);
  return {
    ts,
    userId: user,
    text: textOfBlocks(blocks) || text,
    buttons: buttonsOf(blocks),
    files: files.map(({ id, name, url_private: url }) => ({ id, name, url })),
    reactions: reactions.map(({ name }) => name),
    wire,
  };
}
