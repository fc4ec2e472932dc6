import { GatewayIntentBits, REST } from 'discord.js';
import type { DiscordServer } from '../support/discord-server.ts';

/** A client of the HTTP side that repeats nothing by itself. */
export function restOf({ apiUrl, token }: DiscordServer): REST {
  return new REST({ api: apiUrl, retries: 0, timeout: 2_000, rejectOnRateLimit: () => true }).setToken(token);
}

const { Guilds, GuildMessages, GuildMessageReactions, DirectMessages, DirectMessageReactions, MessageContent } =
  GatewayIntentBits;
export const allIntents = [
  Guilds,
  GuildMessages,
  GuildMessageReactions,
  DirectMessages,
  DirectMessageReactions,
  MessageContent,
];

/** The answer to one request, as it is on the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The text, where it is no JSON. */
  readonly json: unknown;
}

/** One request without what a library does by itself. */
export async function ask(
  { apiUrl, token }: Pick<DiscordServer, 'apiUrl' | 'token'>,
  route: string,
  body?: object,
): Promise<RawAnswer> {
  const [method = '', path = ''] = route.split(' ');
  const headers = { authorization: `Bot ${token}`, 'content-type': 'application/json' };
  const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(`${apiUrl}/v10${path}`, request);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : text };
}
