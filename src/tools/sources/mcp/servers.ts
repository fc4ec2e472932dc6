import type { McpServer } from './server.ts';

/** All MCP servers of the config. */
export class McpServers {
  readonly #servers: readonly McpServer[];

  constructor(servers: readonly McpServer[]) {
    this.#servers = servers;
  }

  /** Resolves when each was connected to and its tools are there, or that has failed. Never rejects. */
  async start(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.start()));
  }

  /** Takes their tools away, and ends them. */
  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }

  /** What an owner should know of them now, a line of plain text each. */
  troubles(): readonly string[] {
    return this.#servers.flatMap(({ name, trouble }) =>
      trouble === undefined ? [] : [`The MCP server ${name} is not connected: ${trouble}. It is tried again.`],
    );
  }
}
