import type { JsonObject, JsonValue } from '../lib/json.ts';
import { once } from '../lib/once.ts';
import { inlineCode, markdownLine, oneLine } from '../lib/plain-text.ts';
import { readArguments } from './arguments.ts';
import type { BoundFiles, CallFacets, ToolCategory } from './category.ts';
import { coerce } from './coerce.ts';
import type { ToolOutput } from './output.ts';
import { targetsOf } from './targets.ts';
import type { PreparedCall, Tool, ToolContext, ToolScope } from './tool.ts';

/** What is known of a tool that was not written here: its parameters are a JSON Schema of somebody else. */
export interface ForeignToolAuthoring {
  readonly name: string;
  readonly displayName?: string;
  readonly description: string;
  readonly category: ToolCategory;
  /** JSON Schema of an object. It is told to the model as it is. */
  readonly parameters: JsonObject;
  /** Changes with what makes it another tool although it says the same of itself. */
  readonly fingerprint?: string;
  /** One line of markdown; left out: the name, and the arguments as far as there is room. */
  describeCall?(args: JsonObject): string;
  facets?(args: JsonObject): CallFacets;
  /** The parameters that say whom or what a call reaches. Left out: their names tell. */
  readonly targets?: readonly string[] | undefined;
  /** Why this call must not happen, even with approval, in words for the model. */
  forbid?(args: JsonObject): string | undefined;
  /** What is known of what it will do, in short sentences of markdown. */
  effect?(args: JsonObject): string | undefined;
  /** The files that it executes, as they are now: see `bound-files.ts`. */
  binds?(args: JsonObject, scope: ToolScope): Promise<BoundFiles>;
  onPartial?(args: JsonValue, scope: ToolScope): string | undefined;
  execute(args: JsonObject, context: ToolContext): Promise<ToolOutput>;
}

/**
 * Makes a tool of one that a JSON Schema describes. Arguments are coerced as the schema directs and validated before
 * anything else sees them; a schema that cannot be used makes every call invalid, with the reason.
 */
export function foreignTool(authoring: ForeignToolAuthoring): Tool {
  const { name, displayName = name, description, category, parameters } = authoring;
  const onPartial = authoring.onPartial?.bind(authoring);
  const compiled = once(async () => (await import('./json-validator.ts')).jsonValidator(parameters));
  return {
    name,
    displayName,
    category,
    spec: async () => ({ name, ...(displayName === name ? {} : { displayName }), description, parameters }),
    async prepare(args) {
      const read = readArguments(args);
      if (!read.valid) return read;
      const validation = (await compiled())(read.value, (value) => coerce(parameters, value));
      return validation.valid ? { valid: true, call: prepareCall(authoring, validation.value) } : validation;
    },
    onPartial,
  };
}

function prepareCall(authoring: ForeignToolAuthoring, args: JsonObject): PreparedCall {
  const { name, displayName = name, category, fingerprint } = authoring;
  const binds = authoring.binds?.bind(authoring);
  return {
    toolName: name,
    displayName,
    arguments: args,
    category,
    facets: { targets: targetsOf(authoring.parameters, args, authoring.targets), ...authoring.facets?.(args) },
    fingerprint,
    forbidden: authoring.forbid?.(args),
    effect: authoring.effect?.(args),
    binds: binds && ((scope) => binds(args, scope)),
    describe: () => markdownLine(authoring.describeCall?.(args) ?? plainDescription(name, args), 500),
    preview: async () => undefined,
    execute: (context) => authoring.execute(args, context),
  };
}

function plainDescription(name: string, args: JsonObject): string {
  const written = Object.keys(args).length === 0 ? '' : ` with ${inlineCode(oneLine(JSON.stringify(args), 300))}`;
  return `call ${inlineCode(name)}${written}`;
}
