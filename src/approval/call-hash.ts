import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '../lib/json.ts';
import { lastingSource, type ToolSource } from '../tools/tool-source.ts';
import type { ToolDefinition } from '../transcript.ts';

/**
 * What a person approves, as 64 hexadecimal digits. Anything that would make it another call makes it another hash: the
 * tool, where it comes from, how it is defined and made, its arguments, and the real path of the folder that it works in.
 */
export function callHash(call: {
  readonly definition: ToolDefinition;
  readonly source: ToolSource;
  readonly arguments: JsonObject;
  readonly workspace: string;
  /** Of what the tool does beside what its definition says. */
  readonly fingerprint?: string;
}): string {
  const { definition, source, workspace, fingerprint } = call;
  const text = canonicalJson({
    definition: { name: definition.name, description: definition.description, parameters: definition.parameters },
    source: lastingSource(source),
    arguments: call.arguments,
    workspace,
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });
  return createHash('sha256').update(text).digest('hex');
}
