import type { JsonObject } from '../lib/json.ts';
import { inlineCode, oneLine } from '../lib/plain-text.ts';
import { once } from '../lib/remembered.ts';
import { readArguments } from './arguments.ts';
import { targetsOf } from './targets.ts';
import { type CallAuthoring, type Tool, toolOf } from './tool.ts';

/** A tool that was not written here: its parameters are a foreign JSON Schema. */
export interface ForeignToolAuthoring extends Omit<CallAuthoring<JsonObject>, 'describeCall'> {
  readonly description: string;
  /** The JSON Schema of an object, sent to the model unchanged. */
  readonly parameters: JsonObject;
  /** Default: the name and the arguments, cut to length. */
  describeCall?(args: JsonObject): string;
  /** The parameters that name a call's targets. Default: found by their names. */
  readonly targets?: readonly string[] | undefined;
}

/**
 * Makes a tool from a JSON Schema. Arguments are repaired and validated before anything else sees them; an unusable
 * schema makes every call invalid, with the reason.
 */
export function foreignTool(authoring: ForeignToolAuthoring): Tool {
  const { name, description, parameters, targets } = authoring;
  const compiled = once(async () => (await import('./json-validator.ts')).jsonValidator(parameters));
  return toolOf<JsonObject>(
    {
      ...authoring,
      describeCall: (args) => authoring.describeCall?.(args) ?? plainDescription(name, args),
      facets: async (args) => ({ targets: targetsOf(parameters, args, targets), ...(await authoring.facets?.(args)) }),
    },
    async () => ({ description, parameters }),
    async (args) => {
      const read = readArguments(args);
      return read.valid ? (await compiled())(read.value) : read;
    },
  );
}

function plainDescription(name: string, args: JsonObject): string {
  const written = Object.keys(args).length === 0 ? '' : ` with ${inlineCode(oneLine(JSON.stringify(args), 300))}`;
  return `call ${inlineCode(name)}${written}`;
}
