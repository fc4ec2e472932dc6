import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { parameterNames } from '../tools/sources/parameters.ts';
import type { KeyPath, PlacedFault } from './placed-fault.ts';
import type { Config } from './schema.ts';
import { offsetOf } from './source.ts';

/**
 * What is wrong with the custom and composed tools of a config that is valid otherwise. The commands are read as a shell reads them;
 * where there are none, what reads them is not loaded.
 */
export async function customToolFaults(config: Config, tree: Node | undefined): Promise<readonly PlacedFault[]> {
  const { custom_tools: tools, composed_tools } = config;
  const nameFaults = composedNameFaults(config, tree);
  if (tools.length === 0) return nameFaults;
  const { readTemplate } = await import('../tools/sources/custom/command-template.ts');
  const composed = composed_tools.map(({ name }) => name);
  const at = (path: KeyPath, text: string): PlacedFault => ({ offset: offsetOf(tree, path), path, text });
  const faults: PlacedFault[] = [...nameFaults];
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

/** A custom tool may stand in for a builtin one; what is made of words would be called by mistake. */
function composedNameFaults({ tools, composed_tools }: Config, tree: Node | undefined): readonly PlacedFault[] {
  const builtins = Object.entries(tools).flatMap(([name, block]) =>
    isJsonObject(block) && 'enabled' in block ? [name] : [],
  );
  return composed_tools.flatMap(({ name }, index) => {
    const isRepeated = composed_tools.slice(0, index).some((other) => other.name === name);
    if (!isRepeated && !builtins.includes(name)) return [];
    const path = ['composed_tools', index, 'name'];
    const whose = isRepeated ? 'a tool further up has this name' : 'a builtin tool has this name';
    return [{ offset: offsetOf(tree, path), path, text: `${whose}: choose another.` }];
  });
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
