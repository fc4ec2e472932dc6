import { hash } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import { canonicalJson, isDeeperThan, isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { inlineCode, oneLine, reveal } from '../../../lib/plain-text.ts';
import { Perishable, Remembered } from '../../../lib/remembered.ts';
import { callDescription, foreignTool, revealedSchema } from '../../../tools/foreign-tool.ts';
import { schemaFault } from '../../../tools/json-validator.ts';
import { error, type ToolOutput } from '../../../tools/output.ts';
import type { ToolRegistration } from '../../../tools/registry.ts';
import { type KeepFilesDependencies, keepFiles } from '../../../tools/sources/keep-files.ts';
import { taintSource } from '../../../tools/taint-sources.ts';
import type { ToolContext } from '../../../tools/tool.ts';
import { deviceWords } from '../words.ts';
import type { DeviceAnswer, DeviceOutcome, DeviceTool, ToolSpec } from './device-call.ts';
import type { DeviceCalls } from './device-calls.ts';

/** A refused entry of an offer. */
export interface RejectedTool {
  readonly index: number;
  readonly name?: string | undefined;
  readonly code: 'INVALID_NAME' | 'INVALID_SCHEMA' | 'INVALID_SPEC' | 'NAME_RESERVED' | 'NOT_ALLOWED' | 'TOO_MANY';
  readonly message: string;
}

/** A device's tool under its name for the model. Its results are untrusted. */
export function remoteTool(
  name: string,
  offered: DeviceTool,
  calls: DeviceCalls,
  keeping: KeepFilesDependencies,
): ToolRegistration {
  const { spec, device, category, timeout, isIdempotent } = offered;
  const called = oneLine(device.name, 60);
  const description =
    spec.description === ''
      ? `The tool ${spec.name} of the device "${called}".`
      : `On the device "${called}": ${spec.description}`;
  const definition = { name, description, parameters: spec.parameters };
  const untrusted = taintSource('device', called);
  const tool = foreignTool({
    ...definition,
    category,
    // With the device's id: its name can be given to another device.
    fingerprint: `${device.id} ${spec.fingerprint}`,
    describeCall: (args) => {
      const names = { tool: inlineCode(spec.name), device: inlineCode(called) };
      return callDescription((language) => deviceWords[language].toolOnDevice(names), args);
    },
    facets: () => ({ ...(isIdempotent ? { repeatable: true } : {}), brings: untrusted }),
    async execute(args, context) {
      const { callId, signal, progress } = context;
      const outcome = await calls.run({ tool: offered, args, callId, signal, progress });
      const output =
        outcome.type === 'answered'
          ? await answered(outcome, context, keeping)
          : error(failureWords(outcome, called, timeout));
      return { ...output, untrusted };
    },
  });
  return { name, category, definition: async () => definition, create: () => tool };
}

function failureWords(
  outcome: Exclude<DeviceOutcome, { readonly type: 'answered' }>,
  called: string,
  timeout: number,
): string {
  const device = `The device "${called}"`;
  const mayBeDone = 'It may have done a part of its work: look before you try again.';
  switch (outcome.type) {
    case 'invalid':
      return `${device} has answered what cannot be taken: ${outcome.why}. ${mayBeDone}`;
    case 'timed-out':
      return `${device} gave no sign of life for ${timeout / 1000} s, or took longer than any call may, and was told to stop. ${mayBeDone}`;
    case 'stopped':
      return `${device} was told to stop. It may have done a part of its work.`;
    case 'lost':
      return `${device} was disconnected while it worked: the outcome is unknown. ${mayBeDone}`;
    case 'absent':
      return `${device} is not connected, and nothing was done. Tell the person, who may have to wake it.`;
    case 'changed':
      return `${device} has changed this tool since. ${outcome.wasAsked ? mayBeDone : 'Nothing was done: call it as it is described now.'}`;
  }
}

async function answered(
  { succeeded, parts }: DeviceAnswer,
  context: ToolContext,
  keeping: KeepFilesDependencies,
): Promise<ToolOutput> {
  const { text, shown } = await keepFiles(parts, context, keeping);
  const silent = succeeded ? 'It answered nothing.' : 'It failed, and does not say why.';
  return { forLlm: text === '' ? silent : text, isError: !succeeded, isAsync: false, ...shown };
}

type Fault = Omit<RejectedTool, 'index'>;
/** Why a JSON Schema is unusable, as half a sentence; undefined if it is usable. */
type SchemaFault = (schema: JsonObject) => string | undefined;

/** In characters, with hidden ones revealed. */
const longestDescription = 1024;
/** In bytes of JSON. */
const largestSchema = 16 * 1024;
const deepestSchema = 32;

/** Reads an entry of an offer, or says for the client's developer why it cannot. */
export function readSpec(entry: JsonValue, faultIn: SchemaFault): ToolSpec | Fault {
  if (!isJsonObject(entry)) return refuse('INVALID_SPEC', 'A tool is an object with name, description and parameters.');
  const { name, description = '', parameters } = entry;
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
  const schema = parameters ?? {};
  if (!isJsonObject(schema)) return refuse('INVALID_SCHEMA', '"parameters" is a JSON Schema, an object.', named);
  const fault = unusable(schema, faultIn);
  if (fault !== undefined) return refuse('INVALID_SCHEMA', fault, named);
  const fingerprint = hash('sha256', canonicalJson({ name, description, parameters: schema }));
  return { name, description: shown, parameters: fitForModels(schema), fingerprint };
}

function refuse(code: RejectedTool['code'], message: string, named: { readonly name?: string } = {}): Fault {
  return { ...named, code, message };
}

function unusable(schema: JsonObject, faultIn: SchemaFault): string | undefined {
  if (isDeeperThan(schema, deepestSchema)) return `"parameters" is nested more than ${deepestSchema} levels deep.`;
  if (Buffer.byteLength(JSON.stringify(schema)) > largestSchema)
    return `"parameters" has at most ${largestSchema / 1024} KB.`;
  const type = Object.hasOwn(schema, 'type') ? schema.type : 'object';
  if (refers(schema)) return '"parameters" stands by itself: write out what "$ref" refers to.';
  if (type !== 'object') return '"parameters" describes an object: "type" is "object".';
  const fault = faultIn(schema);
  return fault === undefined ? undefined : `"parameters" cannot be used: ${fault}.`;
}

/** References can make validation very slow or endless. */
function refers(part: JsonValue): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const isReference =
    isJsonObject(part) && references.some((key) => Object.hasOwn(part, key) && typeof part[key] === 'string');
  return isReference || Object.values(part).some(refers);
}

const references: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef'];

function fitForModels(schema: JsonObject): JsonObject {
  const shown = revealedSchema(schema);
  return { ...shown, type: 'object', ...(Object.hasOwn(shown, 'properties') ? {} : { properties: {} }) };
}

/** New schemas one device may describe per minute, in UTF-16 units: validating them takes time. */
const mostNew = 256 * 1024;
const minute = 60_000;

/** Why a schema of this device is unusable, as half a sentence; undefined if it is usable. */
export type SchemaCheck = (schema: JsonObject, deviceId: string) => string | undefined;

/** Validates schemas, once each: devices offer the same ones on every connect. */
export function schemaCheck(clock: Clock): SchemaCheck {
  const faults = new Remembered<string, { readonly fault: string | undefined }>(1000);
  const described = new Perishable<string, { size: number }>({ clock, most: 1000 });
  return (schema, deviceId) => {
    const text = JSON.stringify(schema);
    const key = hash('sha256', text);
    const known = faults.get(key);
    if (known !== undefined) return known.fault;
    const recent = described.get(deviceId) ?? { size: 0 };
    if (recent.size + text.length > mostNew) return 'this device describes too much at once: come again in a minute';
    if (recent.size === 0) described.set(deviceId, recent, minute);
    recent.size += text.length;
    const fault = schemaFault(schema);
    faults.set(key, { fault });
    return fault;
  };
}
