import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonObject, type JsonValue, own } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { oneOf } from '../lib/schema-problems.ts';
import { withFallbacks } from '../models/language-model.ts';
import { matchesAny } from '../tools/registry.ts';
import { parameterNames } from '../tools/sources/parameters.ts';
import { foundValue, type KeyPath, type PlacedFault, spellPath } from './config-error.ts';
import type { Config } from './schema.ts';
import { faultAt, faultAtKey, nodeAt } from './source.ts';
import { builtinNames } from './tool-rules.ts';

/** The value of `model` that chooses no language model. */
export const offlineName = 'offline';

/** Prefixes of ids that have, or will have, a meaning of their own. */
const reserved: readonly string[] = ['device', 'web', 'owner', 'category'];

/** Faults between keys that may each be right alone. Works on values that are not validated yet. */
export function crossFaults(
  value: JsonValue,
  tree: Node | undefined,
  ownChannels: readonly string[],
): readonly PlacedFault[] {
  if (!isJsonObject(value)) return [];
  const models = objectIn(value, 'models');
  const names = Object.keys(models);
  const choices = [...names, offlineName];
  const fallbacksOf = fallbacksIn(models);

  /** A model that does not exist. */
  function unknown(name: JsonValue | undefined, path: KeyPath, known: readonly string[]): readonly PlacedFault[] {
    if (typeof name !== 'string' || name === '' || known.includes(name)) return [];
    const expected = names.length === 0 ? '"offline", because models is empty' : oneOf(known);
    const node = nodeAt(tree, path);
    const found = node === undefined ? '' : `, but found ${foundValue(node, path)}`;
    return [faultAt(tree, path, `expected ${expected}${found}.${hintFor(name, known)}`)];
  }

  function fallbackFaults(name: string): readonly PlacedFault[] {
    return listIn(models[name], 'fallback').flatMap((fallback, index) => {
      const path = ['models', name, 'fallback', index];
      if (fallback === name) return [faultAt(tree, path, 'a model cannot be its own fallback. Remove it.')];
      if (typeof fallback !== 'string' || !names.includes(fallback)) return unknown(fallback, path, names);
      if (!withFallbacks([fallback], fallbacksOf).has(name)) return [];
      return [faultAt(tree, path, `a circle: "${fallback}" also falls back to "${name}". Remove one of the two.`)];
    });
  }

  /** Accounts that `people` contains more than once. */
  function peopleFaults(): readonly PlacedFault[] {
    const people = objectIn(value, 'people');
    const places = new Map<JsonValue, string>();
    return Object.keys(people).flatMap((name) =>
      listIn(people, name).flatMap((account, index) => {
        const path = ['people', name, index];
        const before = places.get(account);
        if (before !== undefined && typeof account === 'string')
          return [faultAt(tree, path, `this account is already in ${before}. Remove one of the two.`)];
        places.set(account, spellPath(path));
        return [];
      }),
    );
  }

  const offline = names.includes(offlineName) ? [['models', offlineName]] : [];
  const taken = Object.keys(objectIn(value, 'channel_plugins')).filter((name) =>
    [...ownChannels, ...reserved].includes(name),
  );
  return [
    ...offline.map((path) => faultAtKey(tree, path, '"offline" means that no model is used. Choose another name.')),
    ...names.flatMap(fallbackFaults),
    ...Object.entries(objectIn(value, 'agents')).flatMap(([name, agent]) =>
      unknown(isJsonObject(agent) ? agent.model : undefined, ['agents', name, 'model'], choices),
    ),
    ...peopleFaults(),
    ...(value.model === undefined && names.length > 1
      ? [{ ...faultAtKey(tree, ['models'], chooseOne(names)), path: ['model'] }]
      : []),
    ...unknown(value.model, ['model'], choices),
    ...taken.map((name) =>
      faultAtKey(tree, ['channel_plugins', name], 'Keyturn uses this name itself. Give the channel another.'),
    ),
  ];
}

function hintFor(word: string, known: readonly string[]): string {
  const guess = nearest(word, known);
  return guess === undefined ? '' : ` Did you mean "${guess}"?`;
}

/** The fault if there are several models and none is chosen. */
export function chooseOne(names: readonly string[]): string {
  return `missing. There are several models: say which one to use, ${oneOf(names)}.`;
}

/** The object under a key of a value that is not validated; empty if there is none. */
export function objectIn(value: JsonValue | undefined, key: string): JsonObject {
  const found = isJsonObject(value) ? own(value, key) : undefined;
  return isJsonObject(found) ? found : {};
}

function listIn(value: JsonValue | undefined, key: string): readonly JsonValue[] {
  const found = isJsonObject(value) ? own(value, key) : undefined;
  return Array.isArray(found) ? found : [];
}

/** Looks up the fallbacks of a model in a config that is not validated. */
export function fallbacksIn(models: JsonObject): (name: string) => readonly string[] {
  return (name) => listIn(own(models, name), 'fallback').filter((fallback) => typeof fallback === 'string');
}

/** Faults in tool names, and in custom and composed tools, of an otherwise valid config. */
export async function toolFaults(config: Config, tree: Node | undefined): Promise<readonly PlacedFault[]> {
  return [...nameFaults(config, tree), ...composedFaults(config, tree), ...(await customFaults(config, tree))];
}

/** Faults where the config names tools: a name that matches none would protect or limit nothing. */
function nameFaults(config: Config, tree: Node | undefined): readonly PlacedFault[] {
  const { approval } = config;
  const unguarded = approval.enabled && approval.policy === 'require_for_tools' && approval.require_for.length === 0;
  const nothingAsks =
    '"require_for_tools" asks about nothing, because approval.require_for is empty. List tools there, such as ["shell", "write_file"], or choose "require_for_dangerous".';
  const inLists = listsOf(config).flatMap(([list, rules]) =>
    rules.flatMap((rule, index) => {
      const mayBeCategory = list[0] !== 'approval' && list[0] !== 'hooks';
      const text = unknownWords(rule, config, mayBeCategory);
      return text === undefined ? [] : [faultAt(tree, [...list, index], text)];
    }),
  );
  const limited = Object.keys(config.tools.rate_limits).flatMap((rule) => {
    const text = unknownWords(rule, config, false);
    return text === undefined ? [] : [faultAtKey(tree, ['tools', 'rate_limits', rule], text)];
  });
  return [...(unguarded ? [faultAtKey(tree, ['approval', 'policy'], nothingAsks)] : []), ...inLists, ...limited];
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

/** Why a rule matches no tool. `mayBeCategory`: a rule may also be a category. */
function unknownWords(rule: string, config: Config, mayBeCategory: boolean): string | undefined {
  if (rule.includes(':'))
    return mayBeCategory
      ? undefined
      : 'only tool names are allowed here. For whole categories, use approval.dangerous_categories.';
  const { custom_tools, composed_tools, mcp_servers, plugins, tool_modules, gateway } = config;
  const known = [...builtinNames(config), ...[...custom_tools, ...composed_tools].map(({ name }) => name)];
  const servers = Object.keys(mcp_servers);
  // Tools of a server begin with its name.
  if (known.some((name) => matchesAny([rule], name)) || servers.some((server) => rule.startsWith(`${server}_`)))
    return undefined;
  // The config then allows tools whose names it does not know.
  const isUnsure = plugins.enabled || tool_modules.length > 0 || gateway.enabled || servers.length > 0;
  if (rule.includes('*')) return isUnsure ? undefined : `no tool name matches "${rule}".`;
  const hint = hintFor(rule, known);
  if (hint === '' && isUnsure) return undefined;
  const advice = isUnsure ? ` If a plugin, file, server or device provides it, write "${rule}*".` : '';
  return `there is no tool "${rule}".${hint}${advice}`;
}

/** A custom tool may replace a builtin one, but a composed tool must not: it would be called by mistake. */
function composedFaults(config: Config, tree: Node | undefined): readonly PlacedFault[] {
  const names = config.composed_tools.map(({ name }) => name);
  return names.flatMap((name, index) => {
    const isRepeated = names.indexOf(name) < index;
    if (!isRepeated && !builtinNames(config).includes(name)) return [];
    const whose = isRepeated ? 'a tool above' : 'a builtin tool';
    return [faultAt(tree, ['composed_tools', index, 'name'], `${whose} has the same name. Choose another.`)];
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
      faults.push(at('name', 'a tool in composed_tools has the same name.'));
    const unusable = await schemaFaultOf(parameters);
    if (unusable !== undefined) faults.push(at('parameters', `not a usable JSON Schema: ${unusable}.`));
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
