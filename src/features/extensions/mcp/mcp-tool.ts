import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { canonicalJson, isJsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { ToolCategory } from '../../../tools/category.ts';
import { foreignTool } from '../../../tools/foreign-tool.ts';
import { deepestArguments, isDeeperThan } from '../../../tools/json-schema.ts';
import { error, type ToolOutput } from '../../../tools/output.ts';
import { type KeepFilesDependencies, keepFiles, type ResultFile } from '../../../tools/sources/keep-files.ts';
import type { Tool, ToolContext } from '../../../tools/tool.ts';
import type { McpCall, McpOutcome } from './connection.ts';
import type { McpDefinition } from './definition.ts';
import type { McpToolWords } from './server-settings.ts';

export interface McpToolDependencies extends KeepFilesDependencies {
  /** The operator's name of the server. */
  readonly server: string;
  /** How long it may report nothing, in milliseconds. */
  readonly timeout: number;
  readonly call: (call: McpCall) => Promise<McpOutcome>;
}

/**
 * A tool of a server, as models and people here know it. Its answers are untrusted, unless the operator trusts what it says;
 * the server's own words about a call that failed are untrusted anyway.
 */
export function mcpTool(
  definition: McpDefinition,
  {
    trusted,
    private: isPrivate,
    outbound,
    ...named
  }: { readonly name: string; readonly category: ToolCategory } & McpToolWords,
  dependencies: McpToolDependencies,
): Tool {
  const { tool, parameters, description, fingerprint } = definition;
  const { server, timeout, call } = dependencies;
  const untrusted = `MCP server ${server}`;
  return foreignTool({
    ...named,
    description: description === '' ? `The tool ${tool} of the MCP server ${server}.` : description,
    parameters,
    facets: () => ({ private: isPrivate, outbound, trusted, brings: untrusted }),
    async execute(args, context) {
      const outcome = await call({ ...callOf(context), tool, fingerprint, parameters, args, timeout });
      return { ...(await outputOf(outcome, context, dependencies)), untrusted };
    },
  });
}

function callOf({ signal, progress, ask, conversationId, sender }: ToolContext) {
  const place = `${conversationId} ${sender.principal}`;
  return { signal, progress, person: ask && { place, ask } };
}

async function outputOf(
  outcome: McpOutcome,
  context: ToolContext,
  dependencies: McpToolDependencies,
): Promise<ToolOutput> {
  const { server, timeout } = dependencies;
  switch (outcome.type) {
    case 'answered': {
      const read = readResult(outcome.result);
      const kept = await keepFiles(read.files, context, dependencies);
      const text = read.text(kept.marker);
      const forLlm = text.trim() === '' ? 'It answered nothing.' : text;
      return { forLlm, isError: outcome.result.isError === true, isAsync: false, ...kept.shown };
    }
    case 'refused':
      return error(`The MCP server ${server} did not take the call: ${outcome.why}`);
    case 'timed-out':
      return error(
        `The MCP server ${server} reported nothing for ${timeout / 1000} s, and was told to stop. It may have done a part of its work: look before you try again.`,
      );
    case 'stopped':
      return error(`The MCP server ${server} was told to stop. It may have done a part of its work.`);
    case 'unusable':
      return error(
        `The MCP server ${server} gave no usable answer: ${outcome.why}. It may have done a part of its work: look before you try again.`,
      );
    case 'lost':
      return error(
        `The connection to the MCP server ${server} was lost while it worked: ${outcome.why}. It may have done a part of its work: look before you try again.`,
      );
    case 'changed':
      return error(
        `Nothing was done: the MCP server ${server} has changed this tool since, and an owner has to trust it again.`,
      );
    case 'gone':
      return error(
        `The MCP server ${server} cannot be reached, and nothing was done: ${outcome.why}. It is tried again.`,
      );
  }
}

/** A result as a model can read it. A file stands in it as `marker` says. */
export interface ReadResult {
  readonly text: (marker: (file: ResultFile) => string) => string;
  readonly files: readonly ResultFile[];
}

type Part = string | ResultFile;

/** Reads all that a server has answered, in its order. */
export function readResult({ content, structuredContent }: CallToolResult): ReadResult {
  const parts = [...content.map(partOf), ...structured(structuredContent, content)];
  return {
    files: parts.filter((part) => typeof part !== 'string'),
    text: (marker) => parts.map((part) => (typeof part === 'string' ? part : marker(part))).join('\n\n'),
  };
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return { name: block.type, mediaType: block.mimeType, bytes: Buffer.from(block.data, 'base64') };
    case 'resource_link': {
      const { uri, name, title = name, description, mimeType } = block;
      const details = [mimeType, description].flatMap((one) => (one === undefined ? [] : [oneLine(one, 500)]));
      return `[resource] ${oneLine(title, 200)}: ${oneLine(uri, 1000)}${details.length === 0 ? '' : ` (${details.join('; ')})`}`;
    }
    case 'resource': {
      const { resource } = block;
      const { uri, mimeType = 'application/octet-stream' } = resource;
      if ('text' in resource) return `[resource ${oneLine(uri, 1000)}]\n${resource.text}`;
      return { name: lastSegment(uri), mediaType: mimeType, bytes: Buffer.from(resource.blob, 'base64') };
    }
  }
}

/** Most servers say the same as text, too. */
function structured(value: unknown, content: readonly ContentBlock[]): readonly string[] {
  if (value === undefined) return [];
  const json: JsonValue = JSON.parse(JSON.stringify(value));
  if (isDeeperThan(json, deepestArguments)) return ['[structured content that is nested too deeply to be shown]'];
  const isSaid = content.some((block) => block.type === 'text' && saysTheSame(block.text, json));
  return isSaid ? [] : [JSON.stringify(json, null, 2)];
}

/** As JSON, or as the one text that the object holds. */
function saysTheSame(text: string, json: JsonValue): boolean {
  const values = isJsonObject(json) ? Object.values(json) : [];
  if (values.length === 1 && values[0] === text) return true;
  const parsed = parseJson(text);
  if (parsed === undefined || isDeeperThan(parsed, deepestArguments)) return false;
  return canonicalJson(parsed) === canonicalJson(json);
}

function lastSegment(uri: string): string {
  return uri.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
}
