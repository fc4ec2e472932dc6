import type { JsonObject } from '../lib/json.ts';
import { inlineCode, oneLine } from '../lib/plain-text.ts';
import { once } from '../lib/remembered.ts';
import { readArguments } from './arguments.ts';
import { targetsOf } from './targets.ts';
import { type CallAuthoring, type Tool, toolOf } from './tool.ts';

/** What is known of a tool that was not written here: its parameters are a JSON Schema of somebody else. */
export interface ForeignToolAuthoring extends Omit<CallAuthoring<JsonObject>, 'describeCall'> {
  readonly description: string;
  /** JSON Schema of an object. It is told to the model as it is. */
  readonly parameters: JsonObject;
  /** Left out: the name, and the arguments as far as there is room. */
  describeCall?(args: JsonObject): string;
  /** The parameters that say whom or what a call reaches. Left out: their names tell. */
  readonly targets?: readonly string[] | undefined;
}

/**
 * Makes a tool of one that a JSON Schema describes. Arguments are mended and validated before anything else sees
 * them; a schema that cannot be used makes every call invalid, with the reason.
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
