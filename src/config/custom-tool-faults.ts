import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { parameterNames } from '../tools/sources/parameters.ts';
import type { KeyPath, PlacedFault } from './placed-fault.ts';
import type { Config } from './schema.ts';
import { offsetOf } from './source.ts';

/**
 * What is wrong with the custom tools of a config that is valid otherwise. Their commands are read as a shell reads them;
 * where there are none, what reads them is not loaded.
 */
export async function customToolFaults(config: Config, tree: Node | undefined): Promise<readonly PlacedFault[]> {
  const { custom_tools: tools, composed_tools } = config;
  if (tools.length === 0) return [];
  const { readTemplate } = await import('../tools/sources/custom/command-template.ts');
  const composed = composed_tools.map(({ name }) => name);
  const at = (path: KeyPath, text: string): PlacedFault => ({ offset: offsetOf(tree, path), path, text });
  const faults: PlacedFault[] = [];
  for (const [index, { name, command, parameters }] of tools.entries()) {
    const place = ['custom_tools', index] as const;
    if (composed.includes(name)) faults.push(at([...place, 'name'], 'one of composed_tools has this name, too.'));
    const unusable = await schemaFaultOf(parameters);
    if (unusable !== undefined) faults.push(at([...place, 'parameters'], `no usable JSON Schema: ${unusable}.`));
    const reading = readTemplate(command, parameterNames(parameters));
    if (!reading.valid) faults.push(...reading.faults.map((text) => at([...place, 'command'], text)));
  }
  return faults;
}

/** Of what the short forms become nothing can be wrong. */
async function schemaFaultOf(schema: JsonObject): Promise<string | undefined> {
  const properties = isJsonObject(schema.properties) ? Object.values(schema.properties) : [schema.properties ?? null];
  const isPlain = properties.every(
    (property) =>
      isJsonObject(property) &&
      Object.values(property).every((value) => typeof value === 'string') &&
      !('$ref' in property),
  );
  const keys = ['type', 'properties', 'required', 'additionalProperties'];
  if (isPlain && Object.keys(schema).every((key) => keys.includes(key)) && Array.isArray(schema.required))
    return undefined;
  return (await import('../tools/json-validator.ts')).schemaFault(schema);
}
