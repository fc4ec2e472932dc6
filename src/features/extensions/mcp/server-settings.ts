import type { Config } from '../../../config/schema.ts';

type ServerConfig = Config['mcp_servers'][string];

export interface McpServerSettings extends ServerConfig {
  /** The operator's name of it: at most 32 letters, digits, `_` or `-`. */
  readonly name: string;
}

/** What the operator says of tools, beside what they touch. Left out: what holds for all tools of the server, or nothing. */
export type McpToolWords = Pick<ServerConfig, 'private' | 'outbound' | 'trusted' | 'targets'>;

/** The library that speaks the protocol. It is large: nobody loads it who has no server. */
export type McpLibrary = typeof import('@modelcontextprotocol/client');

export function loadLibrary(): Promise<McpLibrary> {
  return import('@modelcontextprotocol/client');
}
