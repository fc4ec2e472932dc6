import type { Node } from 'jsonc-parser';
import { isJsonObject } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { matchesAny } from '../tools/tool-pattern.ts';
import type { KeyPath, PlacedFault } from './config-error.ts';
import type { Config } from './schema.ts';
import { faultAt, faultAtKey } from './source.ts';

/** What is wrong where the config names tools: a name that fits no tool would protect, bound or serve nobody. */
export function toolNameFaults(config: Config, tree: Node | undefined): readonly PlacedFault[] {
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

/** Every list of names and patterns of tools, but those of tools that a server or a device names itself. */
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

/** The names of all builtin tools, whether they are on or off. */
export function builtinNames({ tools }: Pick<Config, 'tools'>): readonly string[] {
  return Object.entries(tools).flatMap(([name, block]) => (isJsonObject(block) && 'enabled' in block ? [name] : []));
}

function nothingAsks(tree: Node | undefined): PlacedFault {
  const text =
    '"require_for_tools" asks before nothing, since approval.require_for is empty. List tools there, such as ["shell", "write_file"], or choose "require_for_dangerous".';
  return faultAtKey(tree, ['approval', 'policy'], text);
}

/** Where `isByCategory`, a rule may be the category of tools, too. */
function unknownWords(
  rule: string,
  known: readonly string[],
  config: Config,
  isByCategory: boolean,
): string | undefined {
  if (rule.includes(':'))
    return isByCategory
      ? undefined
      : 'here stand names of tools. Whole categories ask by approval.dangerous_categories.';
  if (known.some((name) => matchesAny([rule], name)) || isOfServer(rule, config)) return undefined;
  const isUnsure = bringsUnknown(config);
  if (rule.includes('*')) return isUnsure ? undefined : `no tool has a name like "${rule}".`;
  const guess = nearest(rule, known);
  if (guess === undefined && isUnsure) return undefined;
  const hint = guess === undefined ? '' : ` Did you mean "${guess}"?`;
  const advice = isUnsure ? ` For one that a plugin, a file, a server or a device brings, write "${rule}*".` : '';
  return `there is no tool "${rule}".${hint}${advice}`;
}

/** The tools of a server are called after it. */
function isOfServer(name: string, config: Config): boolean {
  return Object.keys(config.mcp_servers).some((server) => name.startsWith(`${server}_`));
}

/** Whether the config lets others bring tools under names of their own. */
function bringsUnknown({ plugins, tool_modules, gateway, mcp_servers }: Config): boolean {
  return plugins.enabled || tool_modules.length > 0 || gateway.enabled || Object.keys(mcp_servers).length > 0;
}
