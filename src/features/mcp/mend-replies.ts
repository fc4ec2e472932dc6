import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { formatSize } from '../../tools/text.ts';
import type { McpLibrary } from './connection.ts';
import { type MalformedTool, malformedMark, structuredMark } from './mcp-tool.ts';

export type ReplyMender = (message: JSONRPCMessage) => JSONRPCMessage;

/**
 * Repairs answers that the library would refuse whole. What is odd about one tool, or about one part of a result, costs
 * at most that: the other tools are offered, and the other parts are read.
 */
export function replyMender(library: McpLibrary, log: Log): ReplyMender {
  return (message) => {
    if (!('result' in message)) return message;
    const {
      tools,
      content,
      structuredContent: value,
      isError,
      ...rest
    }: Readonly<Record<string, unknown>> = message.result;
    const structuredContent = value ?? undefined;
    const hasContent = content !== undefined || structuredContent !== undefined;
    const result = {
      ...rest,
      ...(tools !== undefined && { tools: Array.isArray(tools) ? tools.map((tool) => listed(tool, library)) : tools }),
      ...(hasContent && { content: partsIn(content).map((part) => shown(part, library, log)) }),
      ...(structuredContent !== undefined && { structuredContent: asObject(structuredContent) }),
      ...(isError !== undefined && { isError: isError === true || isError === 'true' }),
    };
    return { ...message, result };
  };
}

function shown(item: unknown, library: McpLibrary, log: Log): unknown {
  if (library.isSpecType.ContentBlock(item)) return item;
  if (typeof item === 'string') return { type: 'text', text: item };
  const isKind = isJsonObject(item) && typeof item.type === 'string';
  const kind = isKind ? `of the kind "${oneLine(String(item.type), 40)}"` : 'without a kind';
  const size = formatSize(Buffer.byteLength(JSON.stringify(item) ?? ''));
  log.warn({ kind }, 'a part of the result of an MCP server cannot be read');
  const text = `[Here the server sent a part ${kind} (${size}), which Keyturn cannot read. The rest is complete.]`;
  return { type: 'text', text };
}

/** A tool as the library's check of a whole list accepts it. */
function listed(entry: unknown, library: McpLibrary): unknown {
  const mended = mendedTool(entry);
  if ('fault' in mended) return leftOut(entry, mended.fault);
  const { tool } = mended;
  const bare = { name: tool.name, inputSchema: tool.inputSchema };
  if (!isListable(bare, library)) return leftOut(entry, { why: 'offProtocol' });
  // What is not understood of the rest is left away by itself.
  const rest = Object.entries(tool).filter(([key, value]) => isListable({ ...bare, [key]: value }, library));
  return { ...Object.fromEntries(rest), ...bare };
}

function isListable(tool: object, { isSpecType }: McpLibrary): boolean {
  return isSpecType.Tool(tool) && isSpecType.ListToolsResult({ tools: [tool] });
}

/** The parts of a result: a list, or one part alone. */
function partsIn(content: unknown): readonly unknown[] {
  if (Array.isArray(content)) return content;
  return content === undefined || content === null ? [] : [content];
}

/** Newer servers may send any value. */
function asObject(structured: unknown): object {
  return isJsonObject(structured) ? structured : { [structuredMark]: structured };
}

interface Unusable {
  readonly fault: MalformedTool;
}

/** A tool without what only some libraries understand, or why it is left out. */
function mendedTool(entry: unknown): { readonly tool: JsonObject } | Unusable {
  if (!isJsonObject(entry)) return { fault: { why: 'noObject' } };
  // Results are not checked against `outputSchema`, which may be of any form.
  const { outputSchema: _, annotations, inputSchema, input_schema: asOfModels, ...rest } = entry;
  const read = argumentSchema(withPlainTypes(inputSchema ?? asOfModels));
  if ('fault' in read) return read;
  const hints = isJsonObject(annotations) && { annotations: mendedHints(annotations) };
  return { tool: { ...rest, inputSchema: read.schema, ...hints } };
}

/** Names of types in small letters: Google writes them in capitals. */
function withPlainTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withPlainTypes);
  if (!isJsonObject(schema)) return schema;
  const members = Object.entries(schema).map(([key, value]) => {
    const isType = key === 'type' && typeof value === 'string' && typeNames.test(value);
    return [key, isType ? value.toLowerCase() : literal.test(key) ? value : withPlainTypes(value)];
  });
  return Object.fromEntries(members);
}

const typeNames = /^(?:object|array|string|number|integer|boolean|null)$/i;

/** Members of a schema that are values. */
const literal = /^(?:const|enum|default|examples?)$/;

/** The schema as that of an object, which arguments always are; or why it is none. */
function argumentSchema(schema: unknown): { readonly schema: JsonObject } | Unusable {
  if (schema === undefined || schema === null || schema === true || (Array.isArray(schema) && schema.length === 0)) {
    return { schema: { type: 'object' } };
  }
  if (!isJsonObject(schema)) return { fault: { why: 'noSchema' } };
  const types = [schema.type ?? 'object'].flat();
  if (!types.includes('object')) return { fault: { why: 'noArguments', types: types.map(String) } };
  const { properties, required, ...rest } = schema;
  return {
    schema: {
      ...rest,
      type: 'object',
      // In PHP, an empty object is written as a list.
      ...(isJsonObject(properties) && { properties }),
      ...(Array.isArray(required) && { required: required.filter((key) => typeof key === 'string') }),
    },
  };
}

/** What is said to be destructive is, however it is written; every other hint has to be a boolean. */
function mendedHints({ destructiveHint, ...hints }: JsonObject): JsonObject {
  const others = Object.entries(hints).filter(([key, value]) => !key.endsWith('Hint') || typeof value === 'boolean');
  const isDestructive = destructiveHint === true || /^(?:true|yes|1)$/i.test(String(destructiveHint));
  const says = isDestructive || destructiveHint === false;
  return { ...Object.fromEntries(others), ...(says && { destructiveHint: isDestructive }) };
}

/** Stands for a tool that is left out, so that it can be reported. */
function leftOut(entry: unknown, fault: MalformedTool): object {
  const name = isJsonObject(entry) && typeof entry.name === 'string' ? oneLine(entry.name, 80) : 'one without a name';
  return { name, inputSchema: { type: 'object' }, _meta: { [malformedMark]: fault } };
}
