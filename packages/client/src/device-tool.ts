import type { OutgoingFile } from './file-frames.ts';
import { isJson, type Json } from './json.ts';

/** What a handler knows of the call beside its arguments. */
export interface CallContext {
  /** Aborts when nobody waits for the result any more: the reason is an `Error`. */
  readonly signal: AbortSignal;
  /** The call, as `onToolCall` names it. */
  readonly callId: string;
  /** How long it may give no sign of life, in milliseconds. */
  readonly timeoutMs: number;
  /** Says in one line how far it is. Its time starts over. */
  progress(message: string): void;
}

/** A file that goes with a result. */
export interface ResultFile extends OutgoingFile {
  readonly type: 'image' | 'audio' | 'file';
}

/** What a handler may return: a text, any JSON, nothing, or an output with files made by `withFiles`. */
export type ToolResult = unknown;

/** An output with files beside it. */
export class ResultWithFiles {
  readonly output: unknown;
  readonly files: readonly ResultFile[];

  constructor({ output, files }: { readonly output: unknown; readonly files: readonly ResultFile[] }) {
    this.output = output;
    this.files = files;
  }
}

/** Returns pictures or other files: people are shown them, and the model is told where they are. */
export function withFiles(output: unknown, ...files: readonly ResultFile[]): ResultWithFiles {
  return new ResultWithFiles({ output, files });
}

/** A schema of zod 4, or of another library that follows Standard Schema and writes JSON Schema. */
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
  /** A letter, and at most 63 letters, digits, "_" or "-". */
  readonly name: string;
  readonly description: string;
  readonly parameters: Json;
  /** Throws, or rejects, if it cannot be done: the message is told to the model. */
  readonly run: (args: Json, context: CallContext) => Promise<ToolResult>;
}

interface Described {
  readonly name: string;
  /** Tells the model when to use it. At most 1024 characters. */
  readonly description: string;
}

/** A tool whose parameters are a JSON Schema, or none. */
export interface PlainAuthoring extends Described {
  readonly parameters?: Json | undefined;
  readonly handler: (args: Json, context: CallContext) => ToolResult;
}

/** A tool whose parameters are a schema of zod 4, with which the arguments are validated here, too. */
export interface SchemaAuthoring<Output> extends Described {
  readonly parameters: StandardSchema<Output>;
  readonly handler: (args: Output, context: CallContext) => ToolResult;
}

/** Makes a tool of its parts. Throws `TypeError` on a schema that writes no JSON Schema. */
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
