import type { Config } from '../../../config/schema.ts';
import { verdictOn } from '../../../config/tool-rules.ts';
import { isJsonObject, type JsonValue, valueAt } from '../../../lib/json.ts';
import { parseProxy, proxyAddress } from '../../../lib/network/proxy-settings.ts';
import { approvalRights } from './approval-rights.ts';
import {
  amount,
  code,
  edit,
  entry,
  filled,
  flag,
  members,
  plainEdit,
  plainWords,
  type Right,
  type Rights,
  ranked,
  redefined,
  steps,
} from './right.ts';

/** The right at a place, by its names. */
export type RightAt = (names: readonly string[]) => Right | undefined;

/** The parts of the config that affect who may do what, with their descriptions. Other parts get plain words. */
export function rightsOf(from: Config, to: Config): RightAt {
  const rights = [peopleRights, approvalRights(from, to), toolRights, reachRights(from, to), sourceRights]
    .flatMap((some) => Object.entries(some))
    .map(([pattern, right]) => ({ keys: pattern.split('.').map((key) => key.split('|')), right }));
  return (names) =>
    rights.find(
      ({ keys }) =>
        keys.length === names.length &&
        names.every((name, index) => keys[index]?.some((key) => key === '*' || key === name)),
    )?.right;
}

/** Names the members of a list, of which `*` stands for all. */
function named(all: string, before = '') {
  return { nameOf: (member: string) => (member === '*' ? all : `${before}${code(member)}`) };
}

const ofAccounts = {
  nameOf: (member: string, [, channel = '']: readonly string[]) =>
    member === '*' ? 'everybody' : code(`${channel}:${member}`),
};

const peopleRights: Rights = {
  owners: members('{who} is now an owner'),
  'people.*': members('{who} is now one of the accounts of `{1}`'),
  'channels.*': entry('the channel `{1}` is now in the config', 'widens', {
    enabled: false,
    allow_from: [],
    groups: {},
  }),
  'channels.*.enabled': flag('the channel `{1}` is now on'),
  'channels.*.allow_from': members('{who} may now talk to me', {
    nameOf: (member, names) =>
      member === '*' ? filled('everybody on `{1}`', names) : ofAccounts.nameOf(member, names),
  }),
  'channels.*.groups.*': entry('I now listen in the group `{1}:{3}`', 'widens', {
    require_mention: true,
    allow_from: [],
    commands_from: ['*'],
  }),
  'channels.*.groups.*.allow_from': members('{who} may now talk to me in the group `{1}:{3}`', ofAccounts),
  'channels.*.groups.*.commands_from': members('{who} may now use commands in the group `{1}:{3}`', {
    ...ofAccounts,
    // Owners may use commands everywhere.
    covers: (list, member) => list.includes('*') || member === 'owner',
  }),
  'channels.*.groups.*.require_mention': flag(
    'in the group `{1}:{3}`, I now answer only where I am mentioned',
    'narrows',
  ),
  'channels.*.groups.*.follow_threads': flag('in the group `{1}:{3}`, I now go on in threads without being mentioned'),
  'channels.*.more_bot_tokens': redefined('the channel `{1}` now serves other workspaces'),
  'pairing.enabled': flag('strangers may now ask to be let in'),
};

/** The new folder may expose more to tools, so this counts as widening. */
const movedRight: Right = (place) => [edit(place, `tools now work in another folder: ${plainWords(place)}`, 'widens')];

const ofTools = named('every tool');
const narrowing = { effect: 'narrows' } as const;

const spending = amount('more may be spent', 'less may be spent');

/** With the entry goes what its agent has limited there. */
const chatRight: Right = (place) => {
  const hadAgent = isJsonObject(place.was) && typeof place.was.agent === 'string';
  const words = filled(
    `the chat \`{1}\` ${place.is === undefined ? 'no longer' : 'now'} has settings of its own`,
    place.names,
  );
  return [edit(place, words, hadAgent && place.is === undefined ? 'widens' : 'other')];
};

/** An agent only limits: from none, that is less; from another, it may be more. */
const chatAgentRight: Right = (place) => {
  const isSet = typeof place.is === 'string';
  const agent = isSet ? `the agent ${code(String(place.is))}` : 'no agent';
  const words = `${filled('in the chat `{1}`', place.names)}, I now work as ${agent}`;
  return [edit(place, words, isSet && typeof place.was !== 'string' ? 'narrows' : 'widens')];
};

const toolRights: Rights = {
  'tools.disabled': members('{who} is now off', { ...narrowing, ...ofTools }),
  'tools.only': members('{who} is now among the tools', ofTools),
  'tools.per_chat.*': { like: { disabled: [], only: ['*'] } },
  'tools.per_chat.*.disabled': members('in `{2}`, {who} is now off', { ...narrowing, ...ofTools }),
  'tools.per_chat.*.only': members('in `{2}`, {who} is now among the tools', ofTools),
  'chats.*': { like: { agent: null }, says: chatRight },
  'chats.*.agent': chatAgentRight,
  workspace: movedRight,
  'agents.*.workspace': movedRight,
  'tools.*.enabled': flag('the tool `{1}` is now on'),
  'tools.shell.deny': members('{who} is now forbidden', narrowing),
  'tools.shell.env': members('commands now see the variable {who}'),
  'tools.shell.protected': members('{who} is now kept from commands', narrowing),
  'tools.shell.sandbox': steps({
    required: 'no command now runs without the sandbox',
    auto: 'commands now run in the sandbox where there is one',
    off: 'commands now run without the sandbox',
  }),
  'tools.rate_limits.*': ranked(
    rateOf,
    ({ names }, isMore) => `${ofTools.nameOf(names[2] ?? '')} may now be called ${isMore ? 'more' : 'less'} often`,
  ),
  'attachments.trust_owners': flag('documents that owners send now count as trusted'),
  'budget.tokens_per_run|tokens_per_person_per_day|tokens_per_day': spending,
  'budget.money_per_run|money_per_person_per_day|money_per_day': spending,
};

/** Without credentials. */
function routeWords(value: JsonValue | undefined): string {
  if (value === undefined) return 'requests now go out as the environment says (`network.proxy` is not set)';
  const proxy = parseProxy(String(value), 'network.proxy');
  if (typeof proxy === 'function') return 'requests now go out without a proxy';
  return `requests now go out through the proxy ${code(proxyAddress(proxy))}`;
}

/** Calls per second; infinite without a limit. */
function rateOf(limit: unknown): number {
  return isJsonObject(limit) ? Number(limit.calls) / Number(limit.per_secs) : Number.POSITIVE_INFINITY;
}

/** What can be reached from here, what can connect, and what commands may do. */
function reachRights(from: Config, to: Config): Rights {
  const ofHosts = named('every host');
  const offeredBy = (device: string) => members(`${device} may now offer {who}`, ofTools);
  return {
    'tools.shell.allow': (place) =>
      [from, to].some(heedsAllowRules) ? members('{who} now runs without asking')(place) : [plainEdit(place)],
    'tools.shell.allowed_domains': members('commands may now reach {who}', ofHosts),
    'tools.http_request.allowed_domains': members('the tool `http_request` may now reach {who}', ofHosts),
    'network.proxy': (place) => [edit(place, routeWords(place.is), 'widens')],
    'network.ca_file': (place) =>
      place.is === undefined
        ? [edit(place, 'certificates of `network.ca_file` are no longer trusted', 'narrows')]
        : [edit(place, `certificates of ${code(String(place.is))} are now trusted, whatever they vouch for`, 'widens')],
    'tools.network.allow_private': members('tools may now reach {who} in the private network'),
    'tools.network.trusted_domains': members('what {who} says now counts as trusted', ofHosts),
    'gateway.enabled': flag('the gateway is now on'),
    'gateway.host': hostRight('the gateway'),
    'channels.*.http.host': hostRight('the channel `{1}`'),
    'models.*.base_url': redefined('the model `{1}` is now asked at another address'),
    'tools.web_search.base_url': redefined('searches now go to another address'),
    'speech.base_url': redefined('answers are now spoken at another address'),
    'transcription.base_url': redefined('voice messages now go to another address'),
    'gateway.allowed_hosts': members('devices may now call the gateway {who}'),
    'gateway.allowed_origins': members('pages of {who} may now connect'),
    'remote_tools.enabled': flag('devices may now offer tools'),
    // A device without a list has the list of `*`.
    'remote_tools.allowed.*': ({ was = offeredByAll(from), is = offeredByAll(to), ...place }) =>
      offeredBy(place.names[2] === '*' ? 'every device without a list of its own' : 'the device `{2}`')({
        ...place,
        was,
        is,
      }),
  };
}

/** The list of devices without one of their own. */
function offeredByAll(config: Config): JsonValue | undefined {
  const written: unknown = Reflect.get(config, 'remote_tools');
  return isJsonObject(written) ? valueAt(written, ['allowed', '*']) : undefined;
}

/** Whether a rule that allows a command changes what becomes of it. */
function heedsAllowRules(config: Config): boolean {
  const verdictIf = (allowedByRule: boolean) =>
    verdictOn(config, { name: 'shell', category: 'shell', facets: { allowedByRule } });
  return config.tools.shell.sandbox !== 'off' && verdictIf(true) !== verdictIf(false);
}

function hostRight(what: string): Right {
  return ranked(
    (host) => (/^(127\.|localhost$|\[?::1\]?$)/.test(String(host)) ? 0 : 1),
    ({ names, is }, isMore) =>
      `${isMore ? 'other machines' : 'only this machine'} can now connect to ${filled(what, names)}: ${code(String(is))}`,
  );
}

const hookWords = 'the hook `hooks.before_tool_call[{2}]` is now asked about {who}';

/** A tool without settings. */
const plainTool = {
  category: null,
  private: null,
  outbound: null,
  trusted: null,
  targets: null,
  own_words: null,
  free_text: null,
};

/** Where tools and channels come from, and which hooks see their calls. */
const sourceRights: Rights = {
  'custom_tools.*': entry('the custom tool `{1}` is now there'),
  'custom_tools.*.command': redefined('the custom tool `{1}` now runs another command'),
  'custom_tools.*.env|working_dir': redefined('the custom tool `{1}` now runs with another `{-1}`'),
  'composed_tools.*': entry('the composed tool `{1}` is now there'),
  'composed_tools.*.action': redefined('the composed tool `{1}` now does something else'),
  'composed_tools.*.tools': members('the composed tool `{1}` may now use {who}', ofTools),
  'agents.*': entry('the agent `{1}` is now there'),
  'agents.*.tools': members('the agent `{1}` may now use {who}', ofTools),
  'mcp_servers.*': entry('the MCP server `{1}` is now in the config'),
  'mcp_servers.*.command|args|url': redefined('the MCP server `{1}` is now another program or address'),
  'mcp_servers.*.env|cwd|headers': redefined('the MCP server `{1}` now runs with another `{-1}`'),
  'mcp_servers.*.enabled': flag('the MCP server `{1}` is now on'),
  'mcp_servers.*.sandbox': flag('the MCP server `{1}` is now in the sandbox', 'narrows'),
  'mcp_servers.*.allow_private': flag('the MCP server `{1}` may now be in the private network'),
  'mcp_servers.*.trust_annotations': flag('the MCP server `{1}` is now believed which of its tools only read'),
  'mcp_servers.*.review_tools': flag(
    'the tools of the MCP server `{1}` are now off until an owner trusts them',
    'narrows',
  ),
  'mcp_servers.*.tools.*': { like: { enabled: true, ...plainTool } },
  'mcp_servers.*.tools.*.enabled': flag('`{-2}` is now on'),
  'security.tools.*': { like: plainTool },
  ...trustRights('mcp_servers.*'),
  ...trustRights('mcp_servers.*.tools.*'),
  ...trustRights('security.tools.*'),
  tool_modules: members('the file {who} may now bring tools'),
  'channel_plugins.*': entry('the channel plugin `{1}` may now run'),
  'channel_plugins.*.path|package|from': redefined('the channel plugin `{1}` is now other code'),
  'webhooks.*': entry('other programs may now call the webhook `{1}`'),
  'webhooks.*.enabled': flag('other programs may now call the webhook `{1}`'),
  'webhooks.*.chat': redefined('the webhook `{1}` now speaks in another chat'),
  'webhooks.*.secret|signature|header_name': redefined(
    'callers of the webhook `{1}` now prove themselves by another `{-1}`',
  ),
  'webhooks.*.prompt': redefined('the webhook `{1}` now asks for something else'),
  'webhooks.*.private': flag('what is sent to the webhook `{1}` now counts as private', 'narrows'),
  'webhooks.*.max_per_minute|max_bytes': amount('more may be sent to a webhook', 'less may be sent to a webhook'),
  'plugins.enabled': flag('plugins are now looked for'),
  'plugins.plugin_dirs': members('plugins are now looked for in {who}'),
  'plugins.allowed_plugins': members('{who} may now be there', {
    ...named('every plugin', 'the plugin '),
    emptyIsAll: true,
  }),
  'plugins.blocked_plugins': members('the plugin {who} is now blocked', narrowing),
  'hooks.before_tool_call.*': entry('a hook is now asked before tool calls', 'narrows'),
  'hooks.before_tool_call.*.tools': members(hookWords, { ...narrowing, ...ofTools }),
  'hooks.before_tool_call.*.categories': members(hookWords, {
    ...narrowing,
    ...named('every category', 'what is '),
    emptyIsAll: true,
  }),
  'hooks.before_tool_call.*.on_failure': steps({
    cancel: 'a hook that fails now cancels the call',
    continue: 'a hook that fails is now passed over',
  }),
  'hooks.after_tool_call.*': entry('a hook is now told of tool calls', 'other'),
};

/** The labels of a tool, or of all tools of a server: the last but one name. */
function trustRights(prefix: string): Rights {
  const notTrusted = 'what `{-2}` answers no longer counts as trusted';
  return {
    [`${prefix}.trusted`]: steps({
      '': notTrusted,
      false: notTrusted,
      names: 'what `{-2}` answers now counts as trusted where it is a list of names',
      true: 'what `{-2}` answers now counts as trusted',
    }),
    [`${prefix}.private`]: steps({
      true: 'what `{-2}` answers now counts as private',
      '': 'whether what `{-2}` answers is private now goes by its category',
      false: 'what `{-2}` answers no longer counts as private',
    }),
    [`${prefix}.targets`]: redefined('what `{-2}` reaches is now told by other arguments'),
    [`${prefix}.own_words`]: steps({
      false: "no person's own words are enough for `{-2}` any more",
      '': "whether a person's own words ask for `{-2}` is now judged by its name",
      true: "any request in a person's own words is now enough for `{-2}`",
    }),
    [`${prefix}.free_text`]: redefined('what the model may word in calls of `{-2}` is now told by other arguments'),
    [`${prefix}.outbound`]: flag('`{-2}` now counts as a way out', 'narrows', true),
  };
}
