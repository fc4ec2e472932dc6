import { hash } from 'node:crypto';
import type { CallToolResult, ContentBlock, Tool as ServerTool, ToolAnnotations } from '@modelcontextprotocol/client';
import {
  canonicalJson,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../lib/json.ts';
import { inlineCode, oneLine, reveal } from '../../lib/plain-text.ts';
import { type InLanguage, type Language, type Words, wordsIn } from '../../lib/words.ts';
import { deepestArguments } from '../../tools/arguments.ts';
import { callDescription, foreignTool, revealedSchema } from '../../tools/foreign-tool.ts';
import { error, type ToolOutput } from '../../tools/output.ts';
import { type KeepFilesDependencies, keepFiles, type ResultFile } from '../../tools/sources/keep-files.ts';
import { taintSource } from '../../tools/taint-sources.ts';
import type { Tool, ToolCategory, ToolContext } from '../../tools/tool.ts';
import type { McpCall, McpOutcome } from './connection.ts';
import type { McpSettings } from './mcp-keys.ts';
import { mcpWords } from './words.ts';

type ServerConfig = McpSettings['mcp_servers'][string];

export interface McpServerSettings extends ServerConfig {
  /** The operator's name for it: at most 32 letters, digits, `_` or `-`. */
  readonly name: string;
}

/** The operator's labels for a tool, besides its category. Unset: the server's settings, or nothing. */
export type McpToolWords = Pick<
  ServerConfig,
  'private' | 'outbound' | 'trusted' | 'targets' | 'own_words' | 'free_text'
>;

interface McpToolName {
  readonly name: string;
  readonly category: ToolCategory;
  /** Whether the category is only the strictest, since nothing says what the tool touches. */
  readonly isGuess?: boolean;
}

export interface McpToolParts extends KeepFilesDependencies {
  readonly server: string;
  /** How long it may go without reporting progress, in ms. */
  readonly timeout: number;
  readonly call: (call: McpCall) => Promise<McpOutcome>;
  /** What is read in the conversation with this id. */
  readonly languageIn: (conversationId: string) => Language;
}

/**
 * A server's tool. Its answers are untrusted, unless the operator trusts them; the server's words about a failed call
 * are always untrusted.
 */
export function mcpTool(
  definition: McpDefinition,
  {
    trusted,
    private: isPrivate,
    outbound,
    own_words: ownWords,
    free_text: freeText,
    isGuess,
    ...named
  }: McpToolName & McpToolWords,
  dependencies: McpToolParts,
): Tool {
  const { tool, parameters, description, fingerprint } = definition;
  const { server, timeout, call } = dependencies;
  const untrusted = taintSource('mcpServer', server);
  return foreignTool({
    ...named,
    freeText,
    isCheckedElsewhere: true,
    effect: () => (isGuess === true ? (language) => mcpWords[language].guessed : undefined),
    describeCall: (args) => {
      const named = { tool: inlineCode(inWords(tool)), server: inlineCode(server) };
      return callDescription((language) => mcpWords[language].toolOf(named), args);
    },
    description: description === '' ? `The tool ${tool} of the MCP server ${server}.` : description,
    parameters,
    facets: () => ({ private: isPrivate, outbound, trusted, ownWords, deed: tool, brings: untrusted }),
    async execute(args, context) {
      const outcome = await call({ ...callOf(context, dependencies), tool, fingerprint, parameters, args, timeout });
      return { ...(await outputOf(outcome, context, dependencies)), untrusted };
    },
  });
}

/** `createIssue` and `create_issue` as `create issue`. The server's own title is not used: it may say anything. */
function inWords(name: string): string {
  const words = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ').replaceAll(/[_\-.\s]+/g, ' ');
  return oneLine(words.trim().toLowerCase() || name, 80);
}

function callOf({ signal, progress, ask, conversationId, sender }: ToolContext, { languageIn }: McpToolParts) {
  const place = `${conversationId} ${sender.principal}`;
  // Asked for once: a server may report very often.
  const language = languageIn(conversationId);
  return {
    signal,
    progress: (status: Words) => progress(wordsIn(language, status)),
    person: ask && { place, language, ask },
  };
}

async function outputOf(outcome: McpOutcome, context: ToolContext, dependencies: McpToolParts): Promise<ToolOutput> {
  const server = `The MCP server ${dependencies.server}`;
  const mayBeDone = 'It may have done a part of its work: look before you try again.';
  switch (outcome.type) {
    case 'answered': {
      const { text, shown } = await keepFiles(partsOf(outcome.result), context, dependencies);
      const forLlm = text.trim() === '' ? 'It answered nothing.' : text;
      return { forLlm, isError: outcome.result.isError === true, isAsync: false, ...shown };
    }
    case 'refused':
      return error(`${server} did not take the call: ${outcome.why}`);
    case 'timed-out':
      return error(
        `${server} reported nothing for ${dependencies.timeout / 1000} s, and was told to stop. ${mayBeDone}`,
      );
    case 'stopped':
      return error(`${server} was told to stop. It may have done a part of its work.`);
    case 'unusable':
      return error(`${server} gave no usable answer: ${outcome.why}. ${mayBeDone}`);
    case 'lost':
      return error(
        `The connection to the MCP server ${dependencies.server} was lost while it worked: ${outcome.why}. ${mayBeDone}`,
      );
    case 'changed':
      return error(
        `Nothing was done: the MCP server ${dependencies.server} has changed this tool since, and an owner has to trust it again.`,
      );
    case 'gone':
      return error(`${server} cannot be reached, and nothing was done: ${outcome.why}. It is tried again.`);
  }
}

/** Reads everything that a server answered, in order. */
export function partsOf({ content, structuredContent }: CallToolResult): readonly (string | ResultFile)[] {
  return [...content.map(partOf), ...structured(structuredContent, content)];
}

function partOf(block: ContentBlock): string | ResultFile {
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

/** Omits structured content that the text repeats, as most servers do. */
function structured(value: unknown, content: readonly ContentBlock[]): readonly string[] {
  if (value === undefined) return [];
  const sent: JsonValue = JSON.parse(JSON.stringify(value));
  const json = isJsonObject(sent) && structuredMark in sent ? (sent[structuredMark] ?? null) : sent;
  if (isDeeperThan(json, deepestArguments)) return ['[structured content that is nested too deeply to be shown]'];
  const isSaid = content.some((block) => block.type === 'text' && saysTheSame(block.text, json));
  return isSaid ? [] : [JSON.stringify(json, null, 2)];
}

/** As JSON, or as the only value of the object. */
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

/** A server's definition of a tool, safe to show to a model. */
export interface McpDefinition {
  /** The server's name for it. */
  readonly tool: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly annotations?: ToolAnnotations;
  /** Of everything that the server says of it: any change makes it another tool. */
  readonly fingerprint: string;
}

/** A tool that is left out. `why` is half a sentence. */
export interface LeftOut {
  readonly tool: string;
  readonly why: InLanguage;
}

/** In characters. Longer texts are more likely instructions to the model. */
const longestDescription = 4_000;
const longestName = 128;
/** In bytes of JSON. */
const largestSchema = 100 * 1024;

/** A `_meta` key: why the tool's definition cannot be used, as `MalformedTool`. */
export const malformedMark = 'keyturn/malformed';

/** Why a definition cannot be used. `types`: what its schema describes in place of arguments. */
export type MalformedTool =
  | { readonly why: 'noObject' | 'noSchema' | 'offProtocol' }
  | { readonly why: 'noArguments'; readonly types: readonly string[] };

/** The only key of structured content that was no object. */
export const structuredMark = 'keyturn/value';

/** Reads a server's definition of a tool. Hidden characters are made visible, a long description is cut. */
export function readDefinition(server: string, given: ServerTool): McpDefinition | LeftOut {
  const { name, title, description = '', annotations } = given;
  const refuse = (why: InLanguage): LeftOut => ({ tool: oneLine(name, 80), why });
  const fault = given._meta?.[malformedMark];
  if (fault !== undefined) return refuse(malformedWords(fault));
  if (!/^[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u.test(name) || name.length > longestName) {
    return refuse((language) => mcpWords[language].badName({ most: longestName }));
  }
  if (given.execution?.taskSupport === 'required') return refuse((language) => mcpWords[language].taskOnly);
  const parameters = asJson(given.inputSchema);
  if (parameters === undefined) return refuse((language) => mcpWords[language].badSchema);
  if (Buffer.byteLength(JSON.stringify(parameters)) > largestSchema) {
    return refuse((language) => mcpWords[language].largeSchema({ kilobytes: largestSchema / 1024 }));
  }
  const known = { server, name, title: title ?? null, description, parameters };
  return {
    tool: name,
    description: cut(reveal(description.trim())),
    parameters,
    annotations,
    fingerprint: hash('sha256', canonicalJson({ ...known, annotations: asJson(annotations) ?? null })),
  };
}

/** So many types of a schema are named. */
const mostTypes = 5;

/** A server may set the mark itself: it may be anything. */
function malformedWords(fault: unknown): InLanguage {
  const { why, types }: Partial<Record<string, unknown>> = typeof fault === 'object' && fault !== null ? fault : {};
  const given: readonly unknown[] = Array.isArray(types) ? types.slice(0, mostTypes) : [];
  const listed = given.flatMap((type) => (typeof type === 'string' ? [oneLine(type, 60)] : []));
  return (language) => {
    const words = mcpWords[language];
    switch (why) {
      case 'noObject':
      case 'noSchema':
        return words[why];
      case 'noArguments':
        return words.noArguments({ types: listed });
    }
    return words.offProtocol;
  };
}

function asJson(given: object | undefined): JsonObject | undefined {
  const value: unknown = given;
  return isJsonObject(value) && !isDeeperThan(value, deepestArguments) ? revealedSchema(value) : undefined;
}

function cut(description: string): string {
  if (description.length <= longestDescription) return description;
  return `${description.slice(0, longestDescription).toWellFormed()}… (The server says more, which is left out.)`;
}
