import type { OutgoingFile } from './file-frames.ts';
import { isJson, type Json } from './json.ts';

/** What a handler gets besides its arguments. */
export interface CallContext {
  /** Aborts when the result is no longer needed; the reason is an `Error`. */
  readonly signal: AbortSignal;
  /** The call's id, as in `onToolCall`. */
  readonly callId: string;
  /** How long the handler may be silent, in ms. */
  readonly timeoutMs: number;
  /** Reports progress in one line, and restarts the timeout. */
  progress(message: string): void;
}

/** A file in a result. */
export interface ResultFile extends OutgoingFile {
  readonly type: 'image' | 'audio' | 'file';
}

/** A handler's result: a text, any JSON, nothing, or an output with files made by `withFiles`. */
export type ToolResult = unknown;

/** An output with files. */
export class ResultWithFiles {
  readonly output: unknown;
  readonly files: readonly ResultFile[];

  constructor({ output, files }: { readonly output: unknown; readonly files: readonly ResultFile[] }) {
    this.output = output;
    this.files = files;
  }
}

/** Returns pictures or other files: people see them, and the model gets their paths. */
export function withFiles(output: unknown, ...files: readonly ResultFile[]): ResultWithFiles {
  return new ResultWithFiles({ output, files });
}

/** A schema of zod 4, or of another library with Standard Schema and JSON Schema output. */
export interface StandardSchema<Output> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-07' }) => object };
  };
  readonly toJSONSchema?: (options: { readonly io: 'input' }) => object;
}

type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/** A tool that this device offers. */
export interface DeviceTool {
  /** A letter, then at most 63 letters, digits, "_" or "-". */
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
  /** Throws or rejects on failure: the model gets the message. */
  readonly run: (args: Json, context: CallContext) => Promise<ToolResult>;
}

interface Described {
  readonly name: string;
  /** Tells the model when to use it. At most 1024 characters. */
  readonly description: string;
}

/** A tool with parameters as JSON Schema, or without parameters. */
export interface PlainAuthoring extends Described {
  readonly parameters?: Json | undefined;
  readonly handler: (args: Json, context: CallContext) => ToolResult;
}

/** A tool with parameters as a zod 4 schema, which also validates the arguments here. */
export interface SchemaAuthoring<Output> extends Described {
  readonly parameters: StandardSchema<Output>;
  readonly handler: (args: Output, context: CallContext) => ToolResult;
}

/** Makes a tool. Throws `TypeError` if the schema cannot output JSON Schema. */
export function tool<Output>(authoring: SchemaAuthoring<Output>): DeviceTool;
export function tool(authoring: PlainAuthoring): DeviceTool;
export function tool<Output>(authoring: PlainAuthoring | SchemaAuthoring<Output>): DeviceTool {
  const { name, description } = authoring;
  if (isValidating(authoring)) {
    const { parameters: schema, handler } = authoring;
    const run = async (args: Json, context: CallContext): Promise<ToolResult> =>
      handler(await validated(schema, args), context);
    return { name, description, parameters: jsonSchemaOf(schema, name), run };
  }
  const { parameters = { type: 'object', properties: {} }, handler } = authoring;
  return { name, description, parameters, run: async (args, context) => handler(args, context) };
}

function isValidating<Output>(
  authoring: PlainAuthoring | SchemaAuthoring<Output>,
): authoring is SchemaAuthoring<Output> {
  const schema: unknown = authoring.parameters;
  return typeof schema === 'object' && schema !== null && '~standard' in schema;
}

function jsonSchemaOf<Output>(schema: StandardSchema<Output>, name: string): Json {
  const written =
    schema.toJSONSchema?.({ io: 'input' }) ?? schema['~standard'].jsonSchema?.input({ target: 'draft-07' });
  const plain: unknown = written === undefined ? undefined : JSON.parse(JSON.stringify(written));
  if (isJson(plain)) return plain;
  throw new TypeError(`The schema of the tool ${name} writes no JSON Schema: pass z.toJSONSchema(schema) instead`);
}

async function validated<Output>(schema: StandardSchema<Output>, args: Json): Promise<Output> {
  const validation = await schema['~standard'].validate(args);
  if (validation.issues === undefined) return validation.value;
  throw new TypeError(`The arguments are not valid: ${validation.issues.map(({ message }) => message).join('; ')}`);
}
