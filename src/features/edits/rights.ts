import type { Config } from '../../config/schema.ts';
import { isJsonObject } from '../../lib/json.ts';
import { approvalRights } from './approval-rights.ts';
import { code, edit, plainEdit, plainWords } from './place.ts';
import { amount, eachOf, entry, flag, members, type Right, type Rights, redefined, steps } from './right.ts';

/** The right at a place, by its names. */
export type RightAt = (names: readonly string[]) => Right | undefined;

/** The parts of the config that affect who may do what, with their descriptions. Other parts get plain words. */
export function rightsOf(from: Config, to: Config): RightAt {
  const rights = [peopleRights, approvalRights(from, to), toolRights, reachRights(from, to), sourceRights]
    .flatMap((some) => Object.entries(some))
    .map(([pattern, right]) => ({ keys: pattern.split('.'), right }));
  return (names) =>
    rights.find(
      ({ keys }) => keys.length === names.length && keys.every((key, index) => key === '*' || key === names[index]),
    )?.right;
}

const peopleRights: Rights = {
  owners: members((who) => `${who} is now an owner`),
  'people.*': members((who, [, name = '']) => `${who} is now one of the accounts of ${code(name)}`),
  'channels.*': entry(([, channel = '']) => `the channel ${code(channel)} is now there`, 'widens', {
    enabled: false,
    allow_from: [],
    groups: {},
  }),
  'channels.*.enabled': flag(([, channel = '']) => `the channel ${code(channel)} is now on`),
  'channels.*.allow_from': members((who) => `${who} may now talk to me`, {
    nameOf: (member, names) => (member === '*' ? `everybody on ${code(names[1] ?? '')}` : accountWords(member, names)),
  }),
  'channels.*.groups.*': entry((names) => `I now listen in ${groupWords(names)}`, 'widens', {
    require_mention: true,
    allow_from: [],
    commands_from: ['*'],
  }),
  'channels.*.groups.*.allow_from': members((who, names) => `${who} may now talk to me in ${groupWords(names)}`, {
    nameOf: accountWords,
  }),
  'channels.*.groups.*.commands_from': members(
    (who, names) => `${who} may now use commands in ${groupWords(names)}`,
    // Owners may use commands everywhere.
    { nameOf: accountWords, covers: (list, member) => list.includes('*') || member === 'owner' },
  ),
  'channels.*.groups.*.require_mention': flag(
    (names) => `in ${groupWords(names)}, I now answer only where I am mentioned`,
    'narrows',
  ),
  'channels.*.groups.*.follow_threads': flag(
    (names) => `in ${groupWords(names)}, I now go on in threads without being mentioned`,
  ),
  'channels.*.more_bot_tokens': redefined(
    ([, channel = '']) => `the channel ${code(channel)} now serves other workspaces`,
  ),
  'pairing.enabled': flag(() => 'strangers may now ask to be let in'),
};

function accountWords(member: string, [, channel = '']: readonly string[]): string {
  return member === '*' ? 'everybody' : code(`${channel}:${member}`);
}

function groupWords([, channel = '', , group = '']: readonly string[]): string {
  return `the group ${code(`${channel}:${group}`)}`;
}

/** The new folder may expose more to tools, so this counts as widening. */
const movedRight: Right = {
  type: 'value',
  says: (place) => [edit(place, `tools now work in another folder: ${plainWords(place)}`, 'widens')],
};

const toolRights: Rights = {
  'tools.disabled': members((who) => `${who} is now off`, { effect: 'narrows', nameOf: toolWords }),
  'tools.only': members((who) => `${who} is now among the tools`, { nameOf: toolWords }),
  'tools.per_chat.*': { type: 'entry', like: { disabled: [], only: ['*'] } },
  'tools.per_chat.*.disabled': members((who, [, , place = '']) => `in ${code(place)}, ${who} is now off`, {
    effect: 'narrows',
    nameOf: toolWords,
  }),
  'tools.per_chat.*.only': members((who, [, , place = '']) => `in ${code(place)}, ${who} is now among the tools`, {
    nameOf: toolWords,
  }),
  workspace: movedRight,
  'agents.*.workspace': movedRight,
  'tools.*.enabled': flag(([, name = '']) => `the tool ${code(name)} is now on`),
  'tools.shell.allow': members((who) => `${who} now runs without asking`),
  'tools.shell.deny': members((who) => `${who} is now forbidden`, { effect: 'narrows' }),
  'tools.shell.env': members((who) => `commands now see the variable ${who}`),
  'tools.shell.protected': members((who) => `${who} is now kept from commands`, { effect: 'narrows' }),
  'tools.shell.sandbox': steps({
    required: () => 'no command now runs without the sandbox',
    auto: () => 'commands now run in the sandbox where there is one',
    off: () => 'commands now run without the sandbox',
  }),
  'tools.rate_limits.*': {
    type: 'value',
    says(place) {
      const [was, is] = [rateOf(place.was), rateOf(place.is)];
      if (was === is) return [plainEdit(place)];
      const words = `${toolWords(place.names[2] ?? '')} may now be called ${is > was ? 'more' : 'less'} often`;
      return [edit(place, words, is > was ? 'widens' : 'narrows')];
    },
  },
  'security.taint': steps({
    deny: () => 'after untrusted content, what could harm or leak is now refused',
    ask: () => 'after untrusted content, what could harm or leak now asks',
    off: () => 'untrusted content no longer has anything ask',
  }),
  ...eachOf(
    'budget',
    [
      'tokens_per_run',
      'money_per_run',
      'tokens_per_person_per_day',
      'money_per_person_per_day',
      'tokens_per_day',
      'money_per_day',
    ],
    () => amount('more may be spent', 'less may be spent'),
  ),
};

function toolWords(member: string): string {
  return member === '*' ? 'every tool' : code(member);
}

/** Calls per second; infinite without a limit. */
function rateOf(limit: unknown): number {
  return isJsonObject(limit) ? Number(limit.calls) / Number(limit.per_secs) : Number.POSITIVE_INFINITY;
}

/** What can be reached from here, and what can connect. */
function reachRights(from: Config, to: Config): Rights {
  const host = { nameOf: (member: string) => (member === '*' ? 'every host' : code(member)) };
  const offered = members((who, [, , device = '']) => `${deviceWords(device)} may now offer ${who}`, {
    nameOf: toolWords,
  });
  return {
    'tools.shell.allowed_domains': members((who) => `commands may now reach ${who}`, host),
    'tools.http_request.allowed_domains': members((who) => `the tool \`http_request\` may now reach ${who}`, host),
    'tools.network.allow_private': members((who) => `tools may now reach ${who} in the private network`),
    'tools.network.trusted_domains': members((who) => `what ${who} says now counts as trusted`, host),
    'gateway.enabled': flag(() => 'devices can now connect'),
    'gateway.host': hostRight(() => 'the gateway'),
    'channels.*.http.host': hostRight(([, channel = '']) => `the channel ${code(channel)}`),
    'models.*.base_url': redefined(([, name = '']) => `the model ${code(name)} is now asked at another address`),
    'tools.web_search.base_url': redefined(() => 'searches now go to another address'),
    'transcription.base_url': redefined(() => 'voice messages now go to another address'),
    'gateway.allowed_hosts': members((who) => `devices may now call the gateway ${who}`),
    'gateway.allowed_origins': members((who) => `pages of ${who} may now connect`),
    'remote_tools.enabled': flag(() => 'devices may now offer tools'),
    'remote_tools.allowed.*': {
      type: 'value',
      // A device without a list has the list of `*`.
      says: ({ was = from.remote_tools.allowed['*'], is = to.remote_tools.allowed['*'], ...place }) =>
        offered.says({ ...place, was, is }),
    },
  };
}

function hostRight(what: (names: readonly string[]) => string): Right {
  return {
    type: 'value',
    says(place) {
      const [was, is] = [isThisMachine(place.was), isThisMachine(place.is)];
      if (was === is) return [plainEdit(place)];
      const words = `${is ? 'only this machine' : 'other machines'} can now connect to ${what(place.names)}`;
      return [edit(place, `${words}: ${code(String(place.is))}`, is ? 'narrows' : 'widens')];
    },
  };
}

function isThisMachine(host: unknown): boolean {
  return /^(127\.|localhost$|\[?::1\]?$)/.test(String(host));
}

function deviceWords(device: string): string {
  return device === '*' ? 'every device without a list of its own' : `the device ${code(device)}`;
}

/** A tool without settings. */
const plainTool = { category: null, private: null, outbound: null, trusted: null, targets: null };

/** Where tools and channels come from, and which hooks see their calls. */
const sourceRights: Rights = {
  'custom_tools.*': thing('custom tool'),
  'custom_tools.*.command': redefined(([, name = '']) => `the custom tool ${code(name)} now runs another command`),
  ...eachOf('custom_tools.*', ['env', 'working_dir'], (key) =>
    redefined(([, name = '']) => `the custom tool ${code(name)} now runs with another ${code(key)}`),
  ),
  'composed_tools.*': thing('composed tool'),
  'composed_tools.*.action': redefined(([, name = '']) => `the composed tool ${code(name)} now does something else`),
  'composed_tools.*.tools': members((who, [, name = '']) => `the composed tool ${code(name)} may now use ${who}`, {
    nameOf: toolWords,
  }),
  'agents.*': thing('agent'),
  'agents.*.tools': members((who, [, name = '']) => `the agent ${code(name)} may now use ${who}`, {
    nameOf: toolWords,
  }),
  'mcp_servers.*': thing('MCP server'),
  ...eachOf('mcp_servers.*', ['command', 'args', 'url'], () =>
    redefined(([, name = '']) => `the MCP server ${code(name)} is now another program or address`),
  ),
  ...eachOf('mcp_servers.*', ['env', 'cwd', 'headers'], (key) =>
    redefined(([, name = '']) => `the MCP server ${code(name)} now runs with another ${code(key)}`),
  ),
  'mcp_servers.*.enabled': flag(([, name = '']) => `the MCP server ${code(name)} is now on`),
  'mcp_servers.*.sandbox': flag(([, name = '']) => `the MCP server ${code(name)} is now in the sandbox`, 'narrows'),
  'mcp_servers.*.allow_private': flag(
    ([, name = '']) => `the MCP server ${code(name)} may now be in the private network`,
  ),
  'mcp_servers.*.trust_annotations': flag(
    ([, name = '']) => `the MCP server ${code(name)} is now believed which of its tools only read`,
  ),
  'mcp_servers.*.review_tools': flag(
    ([, name = '']) => `the tools of the MCP server ${code(name)} are now off until an owner trusts them`,
    'narrows',
  ),
  'mcp_servers.*.tools.*': { type: 'entry', like: { enabled: true, ...plainTool } },
  'mcp_servers.*.tools.*.enabled': flag((names) => `${lastTool(names)} is now on`),
  'security.tools.*': { type: 'entry', like: plainTool },
  ...trustRights('mcp_servers.*'),
  ...trustRights('mcp_servers.*.tools.*'),
  ...trustRights('security.tools.*'),
  tool_modules: members((who) => `the file ${who} now brings tools`),
  'channel_plugins.*': thing('channel plugin'),
  ...eachOf('channel_plugins.*', ['path', 'package', 'from'], () =>
    redefined(([, name = '']) => `the channel plugin ${code(name)} is now other code`),
  ),
  'plugins.enabled': flag(() => 'plugins are now looked for'),
  'plugins.plugin_dirs': members((who) => `plugins are now looked for in ${who}`),
  'plugins.allowed_plugins': members((who) => `${who} may now be there`, {
    nameOf: (member) => (member === '*' ? 'every plugin' : `the plugin ${code(member)}`),
    emptyIsAll: true,
  }),
  'plugins.blocked_plugins': members((who) => `the plugin ${who} is now blocked`, { effect: 'narrows' }),
  'hooks.before_tool_call.*': entry(() => 'a hook is now asked before tool calls', 'narrows'),
  'hooks.before_tool_call.*.tools': members(hookWords, { effect: 'narrows', nameOf: toolWords }),
  'hooks.before_tool_call.*.categories': members(hookWords, {
    effect: 'narrows',
    nameOf: (member) => (member === '*' ? 'every category' : `what is ${code(member)}`),
    emptyIsAll: true,
  }),
  'hooks.before_tool_call.*.on_failure': steps({
    cancel: () => 'a hook that fails now cancels the call',
    continue: () => 'a hook that fails is now passed over',
  }),
  'hooks.after_tool_call.*': entry(() => 'a hook is now told of tool calls', 'other'),
};

function hookWords(who: string, [, , index = '']: readonly string[]): string {
  return `the hook ${code(`hooks.before_tool_call[${index}]`)} is now asked about ${who}`;
}

function thing(kind: string): Right {
  return entry(([, name = '']) => `the ${kind} ${code(name)} is now there`);
}

function trustRights(prefix: string): Rights {
  return {
    [`${prefix}.trusted`]: steps({
      '': (names) => `what ${lastTool(names)} answers no longer counts as trusted`,
      false: (names) => `what ${lastTool(names)} answers no longer counts as trusted`,
      names: (names) => `what ${lastTool(names)} answers now counts as trusted where it is a list of names`,
      true: (names) => `what ${lastTool(names)} answers now counts as trusted`,
    }),
    [`${prefix}.private`]: steps({
      true: (names) => `what ${lastTool(names)} answers now counts as private`,
      '': (names) => `whether what ${lastTool(names)} answers is private now goes by its category`,
      false: (names) => `what ${lastTool(names)} answers no longer counts as private`,
    }),
    [`${prefix}.targets`]: redefined((names) => `what ${lastTool(names)} reaches is now told by other arguments`),
    [`${prefix}.outbound`]: flag((names) => `${lastTool(names)} now counts as a way out`, 'narrows', true),
  };
}

/** The tool, or the server, that the setting belongs to. */
function lastTool(names: readonly string[]): string {
  return code(names.at(-2) ?? '');
}
