import { createHash } from 'node:crypto';
import type { Tool, ToolAnnotations } from '@modelcontextprotocol/client';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { oneLine, reveal } from '../../../lib/plain-text.ts';
import { deepestArguments, isDeeperThan } from '../../../tools/json-schema.ts';

/** A tool as its server has defined it, fit to be shown to a model. */
export interface McpDefinition {
  /** The server's name of it. */
  readonly tool: string;
  readonly title: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly annotations?: ToolAnnotations;
  /** Of all that the server says of it: another one is another tool. */
  readonly fingerprint: string;
}

export type DefinitionReading =
  | { readonly usable: true; readonly definition: McpDefinition }
  /** Why it is left out, as half a sentence. */
  | { readonly usable: false; readonly tool: string; readonly why: string };

/** In characters: what does not fit is rather a text for the model to obey than a description. */
const longestDescription = 4_000;
const longestName = 128;
/** In bytes of JSON. */
const largestSchema = 100 * 1024;

/** Among what a tool says beside the protocol: its definition does not keep to that. */
export const malformedMark = 'keyturn/malformed';

/** Reads what a server says of one of its tools. Hidden characters are shown, a long description is cut. */
export function readDefinition(server: string, given: Tool): DefinitionReading {
  const { name, title, description = '', annotations } = given;
  const refuse = (why: string): DefinitionReading => ({ usable: false, tool: oneLine(name, 80), why });
  if (given._meta?.[malformedMark] === true) return refuse('its definition does not keep to the protocol');
  if (!/^[^\p{C}\s]+$/u.test(name) || name.length > longestName) {
    return refuse(`its name is empty, longer than ${longestName} characters, or not to be read`);
  }
  if (given.execution?.taskSupport === 'required') return refuse('it can only be called as a task');
  const parameters = asJson(given.inputSchema);
  if (parameters === undefined) return refuse('its schema is no JSON, or nested too deeply');
  if (Buffer.byteLength(JSON.stringify(parameters)) > largestSchema) {
    return refuse(`its schema is larger than ${largestSchema / 1024} KB`);
  }
  const whole = {
    server,
    name,
    title: title ?? null,
    description,
    parameters,
    annotations: asJson(annotations) ?? null,
  };
  return {
    usable: true,
    definition: {
      tool: name,
      title: oneLine(title ?? annotations?.title ?? name, 80),
      description: cut(reveal(description.trim())),
      parameters,
      annotations,
      fingerprint: createHash('sha256').update(canonicalJson(whole)).digest('hex'),
    },
  };
}

function asJson(given: object | undefined): JsonObject | undefined {
  const value: unknown = given;
  if (!isJsonObject(value) || isDeeperThan(value, deepestArguments)) return undefined;
  const copy: unknown = JSON.parse(JSON.stringify(value), (key, part: JsonValue) => {
    return typeof part === 'string' && worded.includes(key) ? reveal(part) : part;
  });
  return isJsonObject(copy) ? copy : undefined;
}

/** What a model reads of a schema as words rather than as values. */
const worded: readonly string[] = ['title', 'description'];

function cut(description: string): string {
  if (description.length <= longestDescription) return description;
  return `${description.slice(0, longestDescription).toWellFormed()}… (The server says more, which is left out.)`;
}
