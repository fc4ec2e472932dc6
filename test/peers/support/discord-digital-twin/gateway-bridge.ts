import { WebSocket } from 'ws';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../../src/lib/json.ts';

export interface BridgeParts {
  readonly twinUrl: string;
  /** Where a session goes on. */
  readonly gatewayUrl: string;
  /** A message as the twin has it now; undefined if it is gone. */
  readonly findMessage: (channelId: string, messageId: string) => Promise<JsonObject | undefined>;
  readonly onMistake: (error: unknown) => void;
}

const resume = 6;
const invalidSession = { op: 9, d: false, s: null, t: null } as const;
const answerShape = z.object({ message_reference: z.object({ message_id: z.string() }), channel_id: z.string() });

/** Ties a connection of the bot to the twin's gateway. A session that was lost can't be gone on with, and the bot is told so. */
export function bridgeGateway(bot: WebSocket, parts: BridgeParts): void {
  const twin = new WebSocket(parts.twinUrl);
  const pairs = [[bot, twin] as const, [twin, bot] as const];
  for (const [socket, other] of pairs) {
    // What breaks is closed afterwards.
    socket.on('error', () => undefined);
    socket.on('close', () => other.terminate());
  }
  bot.on('message', (data) => {
    const frame: unknown = JSON.parse(String(data));
    if (isJsonObject(frame) && frame.op === resume) bot.send(JSON.stringify(invalidSession));
    else twin.send(String(data));
  });
  /** What came from the twin so far has reached the bot. */
  let passed = Promise.resolve();
  const pass = async (text: string): Promise<void> => {
    const frame: unknown = JSON.parse(text);
    if (!isJsonObject(frame)) throw new Error('The twin sends something that is no frame.');
    const whole = await completed(frame, parts);
    if (bot.readyState === WebSocket.OPEN) bot.send(JSON.stringify(whole));
  };
  twin.on('message', (data) => {
    passed = passed.then(() => pass(String(data))).catch(parts.onMistake);
  });
}

/** A frame of the twin's gateway with what Discord's would say and the twin's does not. */
async function completed(frame: JsonObject, { gatewayUrl, findMessage }: BridgeParts): Promise<JsonObject> {
  const { t: event, d: data } = frame;
  if (!isJsonObject(data)) return frame;
  if (event === 'READY') return { ...frame, d: { ...data, resume_gateway_url: gatewayUrl } };
  if (event !== 'MESSAGE_CREATE' && event !== 'MESSAGE_UPDATE') return frame;
  // In a direct chat, the twin names a guild without a name.
  const { guild_id: guildId, ...rest } = data;
  const message = guildId === '' ? rest : data;
  // The twin keeps what a message answers, but does not tell it as an answer.
  const { data: answer } = answerShape.safeParse(message);
  if (answer === undefined) return { ...frame, d: message };
  const answered = await findMessage(answer.channel_id, answer.message_reference.message_id);
  return { ...frame, d: { ...message, type: 19, referenced_message: answered ?? null } };
}
