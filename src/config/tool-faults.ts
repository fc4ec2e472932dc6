import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { matchesAny } from '../tools/registry.ts';
import { parameterNames } from '../tools/sources/parameters.ts';
import type { KeyPath, PlacedFault } from './config-error.ts';
import type { Config } from './schema.ts';
import { faultAt, faultAtKey } from './source.ts';

/** Faults in tool names, and in custom and composed tools, of an otherwise valid config. */
export async function toolFaults(config: Config, tree: Node | undefined): Promise<readonly PlacedFault[]> {
  return [...nameFaults(config, tree), ...composedFaults(config, tree), ...(await customFaults(config, tree))];
}

/** Faults where the config names tools: a name that matches none would protect or limit nothing. */
function nameFaults(config: Config, tree: Node | undefined): readonly PlacedFault[] {
  const { approval } = config;
  const unguarded = approval.enabled && approval.policy === 'require_for_tools' && approval.require_for.length === 0;
  const known = [
    ...builtinNames(config),
    ...[...config.custom_tools, ...config.composed_tools].map(({ name }) => name),
  ];
  const inLists = listsOf(config).flatMap(([list, rules]) =>
    rules.flatMap((rule, index) => {
      const isByCategory = !['approval', 'hooks'].includes(String(list[0]));
      const [path, text] = [[...list, index], unknownWords(rule, known, config, isByCategory)];
      return text === undefined ? [] : [faultAt(tree, path, text)];
    }),
  );
  const limited = Object.keys(config.tools.rate_limits).flatMap((rule) => {
    const [path, text] = [['tools', 'rate_limits', rule], unknownWords(rule, known, config, false)];
    return text === undefined ? [] : [faultAtKey(tree, path, text)];
  });
  return [...(unguarded ? [nothingAsks(tree)] : []), ...inLists, ...limited];
}

/** Every list of tool names and patterns, except for tools that a server or device names. */
function listsOf({
  approval,
  tools,
  agents,
  composed_tools,
  hooks,
}: Config): readonly (readonly [KeyPath, readonly string[]])[] {
  return [
    [['approval', 'dangerous_tools'], approval.dangerous_tools],
    [['approval', 'require_for'], approval.require_for],
    [['tools', 'disabled'], tools.disabled],
    [['tools', 'only'], tools.only],
    ...Object.entries(tools.per_chat).flatMap(([place, { disabled, only }]) => [
      [['tools', 'per_chat', place, 'disabled'], disabled] as const,
      [['tools', 'per_chat', place, 'only'], only] as const,
    ]),
    ...Object.entries(agents).map(([name, agent]) => [['agents', name, 'tools'], agent.tools] as const),
    ...composed_tools.map((tool, index) => [['composed_tools', index, 'tools'], tool.tools] as const),
    ...Object.entries(hooks).flatMap(([event, list]) =>
      list.map((hook, index) => [['hooks', event, index, 'tools'], hook.tools] as const),
    ),
  ];
}

/** The names of all builtin tools, on or off. */
export function builtinNames({ tools }: Pick<Config, 'tools'>): readonly string[] {
  return Object.entries(tools).flatMap(([name, block]) => (isJsonObject(block) && 'enabled' in block ? [name] : []));
}

function nothingAsks(tree: Node | undefined): PlacedFault {
  const text =
    '"require_for_tools" asks before nothing, since approval.require_for is empty. List tools there, such as ["shell", "write_file"], or choose "require_for_dangerous".';
  return faultAtKey(tree, ['approval', 'policy'], text);
}

/** `isByCategory`: a rule may also be a category. */
function unknownWords(
  rule: string,
  known: readonly string[],
  config: Config,
  isByCategory: boolean,
): string | undefined {
  if (rule.includes(':'))
    return isByCategory
      ? undefined
      : 'this takes names of tools. Whole categories ask by approval.dangerous_categories.';
  if (known.some((name) => matchesAny([rule], name)) || isOfServer(rule, config)) return undefined;
  const isUnsure = bringsUnknown(config);
  if (rule.includes('*')) return isUnsure ? undefined : `no tool has a name like "${rule}".`;
  const guess = nearest(rule, known);
  if (guess === undefined && isUnsure) return undefined;
  const hint = guess === undefined ? '' : ` Did you mean "${guess}"?`;
  const advice = isUnsure ? ` For one that a plugin, a file, a server or a device brings, write "${rule}*".` : '';
  return `there is no tool "${rule}".${hint}${advice}`;
}

/** Tools of a server begin with its name. */
function isOfServer(name: string, config: Config): boolean {
  return Object.keys(config.mcp_servers).some((server) => name.startsWith(`${server}_`));
}

/** Whether the config allows tools whose names it does not know. */
function bringsUnknown({ plugins, tool_modules, gateway, mcp_servers }: Config): boolean {
  return plugins.enabled || tool_modules.length > 0 || gateway.enabled || Object.keys(mcp_servers).length > 0;
}

/** A custom tool may replace a builtin one, but a composed tool must not: it would be called by mistake. */
function composedFaults(config: Config, tree: Node | undefined): readonly PlacedFault[] {
  const { composed_tools } = config;
  const builtins = builtinNames(config);
  return composed_tools.flatMap(({ name }, index) => {
    const isRepeated = composed_tools.slice(0, index).some((other) => other.name === name);
    if (!isRepeated && !builtins.includes(name)) return [];
    const whose = isRepeated ? 'a tool further up has this name' : 'a builtin tool has this name';
    return [faultAt(tree, ['composed_tools', index, 'name'], `${whose}: choose another.`)];
  });
}

/** Commands are parsed as a shell does; the parser is loaded only if there are any. */
async function customFaults(config: Config, tree: Node | undefined): Promise<readonly PlacedFault[]> {
  const { custom_tools: tools, composed_tools } = config;
  if (tools.length === 0) return [];
  const { readTemplate } = await import('../tools/sources/custom/command-template.ts');
  const faults: PlacedFault[] = [];
  for (const [index, { name, command, parameters }] of tools.entries()) {
    const at = (key: string, text: string): PlacedFault => faultAt(tree, ['custom_tools', index, key], text);
    if (composed_tools.some((composed) => composed.name === name))
      faults.push(at('name', 'one of composed_tools has this name, too.'));
    const unusable = await schemaFaultOf(parameters);
    if (unusable !== undefined) faults.push(at('parameters', `no usable JSON Schema: ${unusable}.`));
    const reading = readTemplate(command, parameterNames(parameters));
    if (!reading.valid) faults.push(...reading.faults.map((text) => at('command', text)));
  }
  return faults;
}

/** Schemas made from the short form are always valid. */
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
