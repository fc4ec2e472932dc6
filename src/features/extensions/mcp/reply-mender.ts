import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { isJsonObject } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { formatSize } from '../../../tools/text.ts';
import { malformedMark } from './definition.ts';
import type { McpLibrary } from './server-settings.ts';

/**
 * Takes out of a server's answers what the library would refuse a whole answer for: a malformed tool costs only itself,
 * and content of an unknown kind becomes a note. One for each connection: it sees what is asked and what is answered.
 */
export class ReplyMender {
  readonly #library: McpLibrary;
  readonly #log: Log;
  readonly #asked = new Map<RequestId, 'tools/list' | 'tools/call'>();

  constructor(library: McpLibrary, log: Log) {
    this.#library = library;
    this.#log = log;
  }

  asked(message: JSONRPCMessage): void {
    if (!('method' in message) || !('id' in message)) return;
    if (message.method === 'tools/list' || message.method === 'tools/call') this.#asked.set(message.id, message.method);
  }

  /** The request failed, and no answer to it will come. */
  failed(id: RequestId): void {
    this.#asked.delete(id);
  }

  mended(message: JSONRPCMessage): JSONRPCMessage {
    if ('method' in message || message.id === undefined) return message;
    const method = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (method === undefined || !('result' in message)) return message;
    return { ...message, result: { ...message.result, ...this.#mendedPart(method, message.result) } };
  }

  #mendedPart(method: 'tools/list' | 'tools/call', result: Readonly<Record<string, unknown>>): object {
    const { tools, content } = result;
    if (method === 'tools/list')
      return Array.isArray(tools)
        ? { tools: tools.map((tool: unknown) => (this.#library.isSpecType.Tool(tool) ? tool : leftOut(tool))) }
        : {};
    return Array.isArray(content) ? { content: content.map((item: unknown) => this.#shown(item)) } : {};
  }

  #shown(item: unknown): unknown {
    if (this.#library.isSpecType.ContentBlock(item)) return item;
    const kind =
      isJsonObject(item) && typeof item.type === 'string'
        ? `of the kind "${oneLine(item.type, 40)}"`
        : 'without a kind';
    const size = formatSize(Buffer.byteLength(JSON.stringify(item) ?? ''));
    this.#log.warn({ kind }, 'a part of the result of an MCP server cannot be read');
    return {
      type: 'text',
      text: `[Here the server sent a part ${kind} (${size}), which Keyturn cannot read. The rest is complete.]`,
    };
  }
}

/** Stands in the list for a tool that is none, so that it can be said. */
function leftOut(entry: unknown): object {
  const name = isJsonObject(entry) && typeof entry.name === 'string' ? oneLine(entry.name, 80) : 'one without a name';
  return { name, inputSchema: { type: 'object' }, _meta: { [malformedMark]: true } };
}
