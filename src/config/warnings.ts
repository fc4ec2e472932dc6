import { stricter } from '../approval/verdict.ts';
import { partsOf } from '../contract.ts';
import { type InLanguage, wordsIn } from '../lib/words.ts';
import { finderName } from '../tools/found-tools.ts';
import type { SandboxState } from '../tools/guard/process/sandbox.ts';
import { allows } from '../tools/registry.ts';
import { parameterNames, placeholdersIn } from '../tools/sources/parameters.ts';
import { enabledChannels } from './extension-settings.ts';
import { keyWarnings } from './key-shapes.ts';
import type { Config } from './schema.ts';
import type { Around, Brought } from './settings-part.ts';
import { builtinNames } from './tool-rules.ts';
import { warningWords } from './warnings/words.ts';
import { contains, isInWorkspace, isSharedFolder, programsInWorkspace } from './workspace.ts';

type Warnings = Generator<InLanguage>;

/** Allowed settings that deserve a warning at start. The config's paths are absolute. */
export function warningsOf({ config, brought }: Around, path: string): readonly InLanguage[] {
  return [
    ...approvalWarnings(config),
    ...channelWarnings(config),
    ...placeWarnings(config, brought, path),
    ...toolWarnings(config),
    ...unreachablePeople(config, brought),
    ...customToolWarnings(config),
    ...modelWarnings(config),
    ...keyWarnings(config),
  ];
}

function* approvalWarnings({ approval, attachments, agent, agents, security, tools }: Config): Warnings {
  const { enabled, policy, approvers, require_for } = approval;
  const { taint } = security;
  if (!enabled) yield (language) => warningWords[language].approvalOff({ taint });
  else if (policy === 'always_allow') yield (language) => warningWords[language].alwaysAllow({ taint });
  else if (approvers.length === 0) yield (language) => warningWords[language].noApprovers;
  if (policy !== 'require_for_tools' && agent.mode !== 'autonomous' && require_for.length > 0)
    yield (language) => warningWords[language].requireForIdle({ policy, mode: agent.mode });
  for (const [name, { mode }] of Object.entries(agents))
    if (mode !== undefined && stricter(agent.mode, mode) !== mode)
      yield (language) => warningWords[language].agentModeIdle({ name });
  if (taint === 'off') yield (language) => warningWords[language].taintOff;
  else if (attachments.trust_owners) yield (language) => warningWords[language].trustsOwners;
  if (taint !== 'off' && tools.network.trusted_domains.includes('*'))
    yield (language) => warningWords[language].trustsAll;
}

function* channelWarnings({ channels }: Config): Warnings {
  const enabled = [...enabledChannels(channels)];
  for (const [channel, { allow_from, groups }] of enabled) {
    if (allow_from.includes('*')) yield (language) => warningWords[language].openChannel({ channel });
    for (const [group, place] of Object.entries(groups))
      if (place.allow_from.includes('*')) yield (language) => warningWords[language].openGroup({ channel, group });
  }
}

function* placeWarnings(config: Config, brought: Brought, path: string): Warnings {
  const { workspace, data_dir } = config;
  // The root folder itself would become empty.
  const root = workspace.replace(/\{.*$/, '').replace(/[\\/]+$/, '') || '/';
  if (workspace === data_dir) yield (language) => warningWords[language].oneFolder({ folder: root });
  else if (contains(root, data_dir))
    yield (language) => warningWords[language].contains({ folder: root, what: 'database' });
  if (workspace !== data_dir && isInWorkspace(config, path))
    yield (language) => warningWords[language].contains({ folder: root, what: 'config' });
  for (const { key, path: program } of programsInWorkspace(config, brought.programs))
    yield (language) => warningWords[language].ownProgram({ key, program });
}

function* toolWarnings({ tools }: Config): Warnings {
  const places = Object.entries(tools.per_chat).map(
    ([place, { only }]) => [`per_chat["${place}"].only`, only] as const,
  );
  for (const [key, only] of [['only', tools.only] as const, ...places])
    if (only.length === 0) yield (language) => warningWords[language].noToolsLeft({ key });
  if (tools.shell.timeout_secs > tools.timeout_secs) yield (language) => warningWords[language].shellTimeoutIdle;
  const canFind = tools.find_tools.enabled && allows({ ...tools, only: ['*'] }, finder);
  if (tools.compact === 'few' && !canFind) yield (language) => warningWords[language].fewWithoutFinder;
}

const finder = { name: finderName, category: 'memory' } as const;

/** Owners, approvers and chats whose channel is off. */
function* unreachablePeople({ owners, approval, channels, chats }: Config, brought: Brought): Warnings {
  const enabled = enabledChannels(channels);
  const isOff = (id: string): boolean => {
    const { channel } = partsOf(id);
    return id !== 'owner' && !(enabled.has(channel) || brought.channels.includes(channel));
  };
  for (const owner of owners.filter(isOff)) yield (language) => warningWords[language].ownerOff({ owner });
  for (const key of ['approvers', 'forward_to'] as const)
    for (const id of approval[key].filter(isOff))
      yield (language) => warningWords[language].namedOff({ key: `approval.${key}`, id });
  for (const chat of Object.keys(chats))
    if (isOff(chat.includes(':') ? chat : `${chat}:`)) yield (language) => warningWords[language].chatOff({ chat });
}

/** Settings of custom tools that are allowed but probably a mistake, such as the name of a builtin tool. */
function* customToolWarnings({ custom_tools, tools }: Config): Warnings {
  const builtins = builtinNames({ tools });
  for (const [index, { name, command, parameters, env, timeout_secs }] of custom_tools.entries()) {
    const place = `custom_tools[${index}]`;
    const declared = parameterNames(parameters);
    const namedIn = (text: string): readonly string[] => placeholdersIn(text).map((placeholder) => placeholder.name);
    const used = namedIn(command);
    for (const parameter of declared)
      if (!used.includes(parameter)) yield (language) => warningWords[language].unusedParameter({ place, parameter });
    for (const [variable, value] of Object.entries(env))
      if (namedIn(value).some((parameter) => declared.includes(parameter)))
        yield (language) => warningWords[language].notFilledIn({ place, variable });
    if (timeout_secs > tools.timeout_secs) yield (language) => warningWords[language].toolTimeoutIdle({ place });
    if (builtins.includes(name)) yield (language) => warningWords[language].replacesBuiltin({ place, name });
  }
}

function* modelWarnings({ models, transcription, budget }: Config): Warnings {
  const addresses = Object.entries(models).map(([name, { base_url }]) => [`models.${name}`, base_url] as const);
  for (const [key, address = ''] of [...addresses, ['transcription', transcription?.base_url] as const])
    yield* endpointWarnings(key, address);
  for (const [name, { provider, base_url = '' }] of Object.entries(models)) {
    const address = provider === 'openai_compatible' ? URL.parse(base_url) : null;
    if (address?.pathname === '/' && address.search === '')
      yield (language) => warningWords[language].noPath({ name, origin: address.origin });
  }
  const { money_per_run, money_per_person_per_day, money_per_day } = budget;
  if ((money_per_run ?? money_per_person_per_day ?? money_per_day) === undefined) return;
  if (Object.keys(models).length === 0) yield (language) => warningWords[language].noPrices;
  for (const [name, { price }] of Object.entries(models))
    if (price === undefined) yield (language) => warningWords[language].noPrice({ name });
}

/** The address of an endpoint, where that of the server belongs. */
export function* endpointWarnings(key: string, address: string): Warnings {
  const [, server = '', end] = /^(.*)(\/chat\/completions|\/audio\/(?:transcriptions|speech))\/?$/.exec(address) ?? [];
  if (end !== undefined) yield (language) => warningWords[language].endpoint({ key, end, server });
}

/** Warnings about the limits of commands, once the state of the sandbox is known. */
export function* sandboxWarnings({ tools: { shell } }: Config, state: SandboxState): Warnings {
  if (!shell.enabled || state.holds) return;
  const { sandbox, allow, allowed_domains } = shell;
  if (sandbox === 'off') yield (language) => warningWords[language].sandboxOff;
  const { reason } = state;
  if (sandbox === 'required')
    yield (language) => warningWords[language].sandboxMissing({ reason: wordsIn(language, reason) });
  if (allow.length > 0) yield (language) => warningWords[language].allowIdle;
  if (allowed_domains.length > 0 && sandbox !== 'required') yield (language) => warningWords[language].domainsIdle;
}

/** The warning at start if people share a folder. `letIn`: the number of people let in with a code. */
export function sharingWarnings(
  { workspace, owners, channels }: Pick<Config, 'workspace' | 'owners' | 'channels'>,
  letIn: number,
): readonly InLanguage[] {
  const named = [...enabledChannels(channels)].flatMap(([channel, { allow_from, groups }]) =>
    [allow_from, ...Object.values(groups).map((group) => group.allow_from)].flat().map((id) => `${channel}:${id}`),
  );
  const isShared = isSharedFolder(workspace) && (letIn > 0 || named.some((principal) => !owners.includes(principal)));
  if (!isShared) return [];
  return [(language) => warningWords[language].sharedFolder({ workspace })];
}
