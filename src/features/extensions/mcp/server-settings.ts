import type { Config } from '../../../config/schema.ts';

type ServerConfig = Config['mcp_servers'][string];

export interface McpServerSettings extends ServerConfig {
  /** The operator's name for it: at most 32 letters, digits, `_` or `-`. */
  readonly name: string;
}

/** The operator's labels for a tool, besides its category. Unset: the server's settings, or nothing. */
export type McpToolWords = Pick<ServerConfig, 'private' | 'outbound' | 'trusted' | 'targets'>;

/** The MCP client library. It is large, so it is loaded only if a server is configured. */
export type McpLibrary = typeof import('@modelcontextprotocol/client');

export function loadLibrary(): Promise<McpLibrary> {
  return import('@modelcontextprotocol/client');
}
