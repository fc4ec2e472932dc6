import type { Config } from '../../../config/schema.ts';
import { verdictOn } from '../../../config/tool-rules.ts';
import { isJsonObject, type JsonValue, valueAt } from '../../../lib/json.ts';
import { parseProxy, proxyAddress } from '../../../lib/network/proxy-settings.ts';
import type { ConfigEdit } from '../tables.ts';
import { approvalRights } from './approval/approval-rights.ts';
import {
  amount,
  code,
  edit,
  editWithChange,
  entry,
  flag,
  members,
  namesOf,
  type Place,
  plainEdit,
  type Right,
  type Rights,
  ranked,
  redefined,
  steps,
} from './right.ts';
import { type RightWords, rightWords } from './words.ts';

/** The right at a place, by its names. */
export type RightAt = (names: readonly string[]) => Right | undefined;

/** The parts of the config that affect who may do what, with their descriptions. Other parts get plain words. */
export function rightsOf(from: Config, to: Config): RightAt {
  const rights = [peopleRights, approvalRights(from, to), toolRights, reachRights(from, to), sourceRights]
    .flatMap((some) => Object.entries(some))
    .map(([pattern, right]) => ({ keys: pattern.split('.').map((key) => key.split('|')), right }));
  return (names) => {
    const found = rights.find(
      ({ keys }) =>
        keys.length === names.length &&
        names.every((name, index) => keys[index]?.some((key) => key === '*' || key === name)),
    );
    return (
      found &&
      openedBy(
        found.right,
        names.filter((_, index) => found.keys[index]?.includes('*')),
      )
    );
  };
}

/** The right, which knows the names that its pattern leaves open. */
function openedBy(right: Right, open: readonly string[]): Right {
  if (typeof right === 'function') return (place) => right({ ...place, open });
  const { says, like } = right;
  return { like, says: says && ((place) => says({ ...place, open })) };
}

/** Lists in which `*` stands for all. */
const all = { all: '*' } as const;

const ofAccounts = {
  all: '*',
  nameOf: (member: string, [, channel = '']: readonly string[]) => code(`${channel}:${member}`),
} as const;

const peopleRights: Rights = {
  owners: members((words) => words.owner),
  'people.*': members((words) => words.account),
  'channels.*': entry((words) => words.channel, 'widens', { enabled: false, allow_from: [], groups: {} }),
  'channels.*.enabled': flag((words) => words.channelOn),
  'channels.*.allow_from': members((words) => words.mayTalk, ofAccounts),
  'channels.*.groups.*': entry((words) => words.group, 'widens', {
    require_mention: true,
    allow_from: [],
    commands_from: ['*'],
  }),
  'channels.*.groups.*.allow_from': members((words) => words.mayTalkInGroup, ofAccounts),
  'channels.*.groups.*.commands_from': members((words) => words.mayCommandInGroup, {
    ...ofAccounts,
    // Owners may use commands everywhere.
    covers: (list, member) => list.includes('*') || member === 'owner',
  }),
  'channels.*.groups.*.require_mention': flag((words) => words.needsMention, 'narrows'),
  'channels.*.groups.*.follow_threads': flag((words) => words.followsThreads),
  'channels.*.more_bot_tokens': redefined((words) => words.moreWorkspaces),
  'pairing.enabled': flag((words) => words.pairing),
};

/** The new folder may expose more to tools, so this counts as widening. */
const movedRight: Right = (place) => [editWithChange(place, (language) => rightWords[language].otherFolder, 'widens')];

const narrowing = { effect: 'narrows' } as const;

const spending = amount((words) => words.spending);

/** With the entry goes what its agent has limited there. */
const chatRight: Right = (place) => {
  const hadAgent = isJsonObject(place.was) && typeof place.was.agent === 'string';
  const isSo = place.is !== undefined;
  return [
    edit(
      place,
      (language) => rightWords[language].chatSettings({ ...namesOf(place), isSo }),
      hadAgent && !isSo ? 'widens' : 'other',
    ),
  ];
};

/** An agent only limits: from none, that is less; from another, it may be more. */
const chatAgentRight: Right = (place) => {
  const agent = typeof place.is === 'string' ? code(place.is) : undefined;
  return [
    edit(
      place,
      (language) => rightWords[language].chatAgent({ ...namesOf(place), agent }),
      agent !== undefined && typeof place.was !== 'string' ? 'narrows' : 'widens',
    ),
  ];
};

const toolRights: Rights = {
  'tools.disabled': members((words) => words.toolOff, { ...narrowing, ...all }),
  'tools.only': members((words) => words.toolOnly, all),
  'tools.per_chat.*': { like: { disabled: [], only: ['*'] } },
  'tools.per_chat.*.disabled': members((words) => words.toolOffIn, { ...narrowing, ...all }),
  'tools.per_chat.*.only': members((words) => words.toolOnlyIn, all),
  'chats.*': { like: { agent: null }, says: chatRight },
  'chats.*.agent': chatAgentRight,
  workspace: movedRight,
  'agents.*.workspace': movedRight,
  'tools.*.enabled': flag((words) => words.toolOn),
  'tools.shell.deny': members((words) => words.forbidden, narrowing),
  'tools.shell.env': members((words) => words.seesVariable),
  'tools.shell.protected': members((words) => words.keptFromCommands, narrowing),
  'tools.shell.sandbox': steps({
    required: (words) => words.onlySandboxed,
    auto: (words) => words.sandboxed,
    off: (words) => words.unsandboxed,
  }),
  'tools.rate_limits.*': ranked(rateOf, (place, isMore, effect) => {
    const { name: who } = namesOf(place);
    const isAll = place.open.at(-1) === '*';
    return edit(place, (language) => rightWords[language].rate({ who, isAll, isMore }), effect);
  }),
  'attachments.trust_owners': flag((words) => words.documentsTrusted),
  'budget.tokens_per_run|tokens_per_person_per_day|tokens_per_day': spending,
  'budget.money_per_run|money_per_person_per_day|money_per_day': spending,
};

/** Without credentials. */
function routeWords(value: JsonValue | undefined, words: RightWords): string {
  if (value === undefined) return words.environmentsRoute;
  const proxy = parseProxy(String(value), 'network.proxy');
  if (typeof proxy === 'function') return words.noProxy;
  return words.proxy({ address: code(proxyAddress(proxy)) });
}

/** Calls per second; infinite without a limit. */
function rateOf(limit: unknown): number {
  return isJsonObject(limit) ? Number(limit.calls) / Number(limit.per_secs) : Number.POSITIVE_INFINITY;
}

/** What can be reached from here, what can connect, and what commands may do. */
function reachRights(from: Config, to: Config): Rights {
  return {
    'tools.shell.allow': (place) =>
      [from, to].some(heedsAllowRules) ? members((words) => words.runsUnasked)(place) : [plainEdit(place)],
    'tools.shell.allowed_domains': members((words) => words.commandsReach, all),
    'tools.http_request.allowed_domains': members((words) => words.requestsReach, all),
    'network.proxy': (place) => [edit(place, (language) => routeWords(place.is, rightWords[language]), 'widens')],
    'network.ca_file': (place) => {
      const file = place.is === undefined ? undefined : code(String(place.is));
      const effect = file === undefined ? 'narrows' : 'widens';
      return [edit(place, (language) => rightWords[language].authority({ file }), effect)];
    },
    'tools.network.allow_private': members((words) => words.reachPrivate),
    'tools.network.trusted_domains': members((words) => words.hostTrusted, all),
    'gateway.enabled': flag((words) => words.gatewayOn),
    'gateway.host': hostRight((words) => words.gatewayHost),
    'channels.*.http.host': hostRight((words) => words.channelHost),
    'models.*.base_url': redefined((words) => words.modelAddress),
    'tools.web_search.base_url': redefined((words) => words.searchAddress),
    'speech.base_url': redefined((words) => words.speechAddress),
    'transcription.base_url': redefined((words) => words.voiceAddress),
    'gateway.allowed_hosts': members((words) => words.gatewayName),
    'gateway.allowed_origins': members((words) => words.pagesConnect),
    'remote_tools.enabled': flag((words) => words.devicesOffer),
    // A device without a list has the list of `*`.
    'remote_tools.allowed.*': ({ was = offeredByAll(from), is = offeredByAll(to), ...place }) =>
      members(
        (words) => (place.open.at(-1) === '*' ? words.otherDevicesOffer : words.deviceOffers),
        all,
      )({
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

type SayHost = (words: RightWords) => RightWords['channelHost' | 'gatewayHost'];

function hostRight(say: SayHost): Right {
  return ranked(
    (host) => (/^(127\.|localhost$|\[?::1\]?$)/.test(String(host)) ? 0 : 1),
    (place, isMore, effect) => {
      const values = { ...namesOf(place), isMore, address: code(String(place.is)) };
      return edit(place, (language) => say(rightWords[language])(values), effect);
    },
  );
}

/** A hook has no name but its place. */
function ofHook(right: (place: Place) => readonly ConfigEdit[]): Right {
  return (place) => right({ ...place, open: [`hooks.before_tool_call[${place.open.join('')}]`] });
}

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
  'custom_tools.*': entry((words) => words.customTool),
  'custom_tools.*.command': redefined((words) => words.customCommand),
  'custom_tools.*.env|working_dir': redefined((words) => words.customSetting),
  'composed_tools.*': entry((words) => words.composedTool),
  'composed_tools.*.action': redefined((words) => words.composedAction),
  'composed_tools.*.tools': members((words) => words.composedUses, all),
  'agents.*': entry((words) => words.agent),
  'agents.*.tools': members((words) => words.agentUses, all),
  'mcp_servers.*': entry((words) => words.server),
  'mcp_servers.*.command|args|url': redefined((words) => words.serverProgram),
  'mcp_servers.*.env|cwd|headers': redefined((words) => words.serverSetting),
  'mcp_servers.*.enabled': flag((words) => words.serverOn),
  'mcp_servers.*.sandbox': flag((words) => words.serverSandboxed, 'narrows'),
  'mcp_servers.*.allow_private': flag((words) => words.serverPrivate),
  'mcp_servers.*.trust_annotations': flag((words) => words.serverBelieved),
  'mcp_servers.*.review_tools': flag((words) => words.serverReviewed, 'narrows'),
  'mcp_servers.*.tools.*': { like: { enabled: true, ...plainTool } },
  'mcp_servers.*.tools.*.enabled': flag((words) => words.serverToolOn),
  'security.tools.*': { like: plainTool },
  ...trustRights('mcp_servers.*'),
  ...trustRights('mcp_servers.*.tools.*'),
  ...trustRights('security.tools.*'),
  tool_modules: members((words) => words.module),
  'channel_plugins.*': entry((words) => words.channelPlugin),
  'channel_plugins.*.path|package|from': redefined((words) => words.channelPluginCode),
  'webhooks.*': entry((words) => words.webhook),
  'webhooks.*.enabled': flag((words) => words.webhook),
  'webhooks.*.chat': redefined((words) => words.webhookChat),
  'webhooks.*.secret|signature|header_name': redefined((words) => words.webhookProof),
  'webhooks.*.prompt': redefined((words) => words.webhookPrompt),
  'webhooks.*.private': flag((words) => words.webhookPrivate, 'narrows'),
  'webhooks.*.max_per_minute|max_bytes': amount((words) => words.webhookAmount),
  'plugins.enabled': flag((words) => words.plugins),
  'plugins.plugin_dirs': members((words) => words.pluginFolder),
  'plugins.allowed_plugins': members((words) => words.pluginAllowed, { ...all, emptyIsAll: true }),
  'plugins.blocked_plugins': members((words) => words.pluginBlocked, narrowing),
  'hooks.before_tool_call.*': entry((words) => words.hookBefore, 'narrows'),
  'hooks.before_tool_call.*.tools': ofHook(members((words) => words.hookTools, { ...narrowing, ...all })),
  'hooks.before_tool_call.*.categories': ofHook(
    members((words) => words.hookCategories, { ...narrowing, ...all, emptyIsAll: true }),
  ),
  'hooks.before_tool_call.*.on_failure': steps({
    cancel: (words) => words.hookCancels,
    continue: (words) => words.hookPassedOver,
  }),
  'hooks.after_tool_call.*': entry((words) => words.hookAfter, 'other'),
};

/** The labels of a tool, or of all tools of a server: the last but one name. */
function trustRights(prefix: string): Rights {
  return {
    [`${prefix}.trusted`]: steps({
      '': (words) => words.notTrusted,
      false: (words) => words.notTrusted,
      names: (words) => words.namesTrusted,
      true: (words) => words.trusted,
    }),
    [`${prefix}.private`]: steps({
      true: (words) => words.private,
      '': (words) => words.privateByCategory,
      false: (words) => words.notPrivate,
    }),
    [`${prefix}.targets`]: redefined((words) => words.targets),
    [`${prefix}.own_words`]: steps({
      false: (words) => words.noOwnWords,
      '': (words) => words.ownWordsByName,
      true: (words) => words.ownWords,
    }),
    [`${prefix}.free_text`]: redefined((words) => words.freeText),
    [`${prefix}.outbound`]: flag((words) => words.wayOut, 'narrows', true),
  };
}
