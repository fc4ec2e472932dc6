import { createHash } from 'node:crypto';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { oneLine, reveal } from '../../../lib/plain-text.ts';
import { isDeeperThan } from '../../depth.ts';
import type { RejectedTool } from './device-link.ts';

/** A tool as a device has described it, fit to be shown to a model. */
export interface ToolSpec {
  /** The device's name of it. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** Of all that the device says of it: another one is another tool. */
  readonly fingerprint: string;
}

export type SpecReading =
  | { readonly usable: true; readonly spec: ToolSpec }
  | { readonly usable: false; readonly fault: Omit<RejectedTool, 'index'> };

/** In characters, hidden ones shown. */
const longestDescription = 1024;
/** In bytes of JSON. */
const largestSchema = 16 * 1024;
const deepestSchema = 32;

/**
 * Reads an entry of an offer. Where it is none that can be used, the fault says so to whoever writes the client.
 * `schemaFault` says why a JSON Schema cannot be used.
 */
export function readSpec(entry: JsonValue, schemaFault: (schema: JsonObject) => string | undefined): SpecReading {
  if (!isJsonObject(entry)) return refuse('INVALID_SPEC', 'A tool is an object with name, description and parameters.');
  const { name, description = '', parameters = null } = entry;
  if (typeof name !== 'string') return refuse('INVALID_NAME', 'A tool needs a "name".');
  const named = { name: oneLine(name.slice(0, 200), 80) };
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)) {
    return refuse('INVALID_NAME', 'A name is a letter and at most 63 letters, digits, "_" or "-".', named);
  }
  if (typeof description !== 'string') return refuse('INVALID_SPEC', '"description" is a text.', named);
  const shown = reveal(
    description
      .slice(0, 2 * longestDescription)
      .toWellFormed()
      .trim(),
  );
  if (shown.length > longestDescription) {
    return refuse('INVALID_SPEC', `"description" has at most ${longestDescription} characters.`, named);
  }
  const schema = parameters === null ? {} : parameters;
  const fault = isJsonObject(schema) ? unusable(schema, schemaFault) : '"parameters" is a JSON Schema, an object.';
  if (fault !== undefined || !isJsonObject(schema)) return refuse('INVALID_SCHEMA', fault ?? '', named);
  const whole = canonicalJson({ name, description, parameters: schema });
  return {
    usable: true,
    spec: {
      name,
      description: shown,
      parameters: fitForModels(schema),
      fingerprint: createHash('sha256').update(whole).digest('hex'),
    },
  };
}

function refuse(code: RejectedTool['code'], message: string, named: { readonly name?: string } = {}): SpecReading {
  return { usable: false, fault: { ...named, code, message } };
}

function unusable(schema: JsonObject, schemaFault: (schema: JsonObject) => string | undefined): string | undefined {
  if (isDeeperThan(schema, deepestSchema)) return `"parameters" is nested more than ${deepestSchema} levels deep.`;
  if (Buffer.byteLength(JSON.stringify(schema)) > largestSchema)
    return `"parameters" has at most ${largestSchema / 1024} KB.`;
  const type = Object.hasOwn(schema, 'type') ? schema.type : 'object';
  if (refers(schema)) return '"parameters" stands by itself: write out what "$ref" refers to.';
  if (type !== 'object') return '"parameters" describes an object: "type" is "object".';
  const fault = schemaFault(schema);
  return fault === undefined ? undefined : `"parameters" cannot be used: ${fault}.`;
}

/** Parts that are used again in each other take longer to check than there is time, or never end. */
function refers(part: JsonValue): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const isReference =
    isJsonObject(part) && references.some((key) => Object.hasOwn(part, key) && typeof part[key] === 'string');
  return isReference || Object.values(part).some(refers);
}

const references: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef'];

/** What a model reads of a schema as words rather than as values. */
const worded: readonly string[] = ['title', 'description'];

function fitForModels(schema: JsonObject): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(schema), (key, part: JsonValue) =>
    typeof part === 'string' && worded.includes(key) ? reveal(part) : part,
  );
  const shown = isJsonObject(copy) ? copy : {};
  return { ...shown, type: 'object', ...(Object.hasOwn(shown, 'properties') ? {} : { properties: {} }) };
}
