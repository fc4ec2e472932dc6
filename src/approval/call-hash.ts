import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../lib/json.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { ToolDefinition } from '../transcript.ts';

/**
 * What a person approves, as 64 hexadecimal digits. Anything that would make it another call makes it another hash: the
 * tool, where it comes from, how it is defined, its arguments, and the real path of the folder that it works in.
 */
export function callHash(call: {
  readonly definition: ToolDefinition;
  readonly source: ToolSource;
  readonly arguments: JsonObject;
  readonly workspace: string;
}): string {
  const { definition, source, workspace } = call;
  const text = canonicalJson({
    definition: { name: definition.name, description: definition.description, parameters: definition.parameters },
    source: { ...source },
    arguments: call.arguments,
    workspace,
  });
  return createHash('sha256').update(text).digest('hex');
}
