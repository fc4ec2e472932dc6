import { stricter } from '../approval/verdict.ts';
import { partsOf } from '../contract.ts';
import { wordsIn } from '../lib/words.ts';
import { finderName } from '../tools/found-tools.ts';
import type { SandboxState } from '../tools/guard/process/sandbox.ts';
import { allows } from '../tools/registry.ts';
import { parameterNames, placeholdersIn } from '../tools/sources/parameters.ts';
import { enabledChannels } from './extension-settings.ts';
import type { Config } from './schema.ts';
import type { Around, Brought } from './settings-part.ts';
import { builtinNames } from './tool-rules.ts';
import { contains, isInWorkspace, isSharedFolder, programsInWorkspace } from './workspace.ts';

type Warnings = Generator<string>;

/** Allowed settings that deserve a warning at start. The config's paths are absolute. */
export function warningsOf({ config, brought }: Around, path: string): readonly string[] {
  return [
    ...approvalWarnings(config),
    ...channelWarnings(config),
    ...placeWarnings(config, brought, path),
    ...toolWarnings(config),
    ...unreachablePeople(config, brought),
    ...customToolWarnings(config),
    ...modelWarnings(config),
  ];
}

function* approvalWarnings({ approval, attachments, agent, agents, security, tools }: Config): Warnings {
  const { enabled, policy, approvers, require_for } = approval;
  const free = `tools run without asking anybody${untilTaint[security.taint]}.`;
  if (!enabled) yield `approval.enabled is false: ${free}`;
  else if (policy === 'always_allow') yield `approval.policy is "always_allow": ${free}`;
  else if (approvers.length === 0) yield 'approval.approvers is empty: nobody can approve anything.';
  if (policy !== 'require_for_tools' && agent.mode !== 'autonomous' && require_for.length > 0)
    yield `approval.require_for has no effect under the policy "${policy}" in the mode "${agent.mode}".`;
  for (const [name, { mode }] of Object.entries(agents))
    if (mode !== undefined && stricter(agent.mode, mode) !== mode)
      yield `agents.${name}.mode has no effect: agent.mode is stricter.`;
  if (security.taint === 'off') yield 'security.taint is "off": nothing more asks after untrusted content.';
  else if (attachments.trust_owners)
    yield 'attachments.trust_owners is true: what a document says counts as trusted if an owner sends it, whoever wrote it.';
  if (security.taint !== 'off' && tools.network.trusted_domains.includes('*'))
    yield 'tools.network.trusted_domains has "*": no web page counts as untrusted.';
}

/** What `security.taint` makes of calls that nothing else asks about. */
const untilTaint = {
  off: '',
  ask: ', except after untrusted content was read: then calls that could do harm still ask',
  deny: ', except after untrusted content was read: then calls that could do harm are refused',
} as const;

function* channelWarnings({ channels }: Config): Warnings {
  const enabled = [...enabledChannels(channels)];
  for (const [channel, { allow_from, groups }] of enabled) {
    if (allow_from.includes('*')) yield `channels.${channel}.allow_from has "*": everybody may talk to it there.`;
    for (const [group, place] of Object.entries(groups))
      if (place.allow_from.includes('*'))
        yield `channels.${channel}.groups["${group}"].allow_from has "*": everybody in that group may talk to it.`;
  }
}

function* placeWarnings(config: Config, brought: Brought, path: string): Warnings {
  const { workspace, data_dir } = config;
  // The root folder itself would become empty.
  const root = workspace.replace(/\{.*$/, '').replace(/[\\/]+$/, '') || '/';
  const contain = (what: string): string =>
    `the workspace ${root} contains ${what}: file tools refuse it, but a command outside the sandbox could read it.`;
  if (workspace === data_dir)
    yield `workspace and data_dir are the same folder, ${root}: tools cannot use any file in it. Use two folders.`;
  else if (contains(root, data_dir)) yield contain('the database');
  if (workspace !== data_dir && isInWorkspace(config, path))
    yield `${contain('the config and its .env')} Edits are read only at a start and on SIGHUP.`;
  for (const { key, path: program } of programsInWorkspace(config, brought.programs))
    yield `${key} runs ${program}, which is in a workspace: tools cannot change that file, but they can change what it loads there. Move it elsewhere.`;
}

function* toolWarnings({ tools }: Config): Warnings {
  const places = Object.entries(tools.per_chat).map(
    ([place, { only }]) => [`per_chat["${place}"].only`, only] as const,
  );
  for (const [key, only] of [['only', tools.only] as const, ...places])
    if (only.length === 0) yield `tools.${key} is empty: the model has no tools there. Leave it out to offer all.`;
  if (tools.shell.timeout_secs > tools.timeout_secs)
    yield 'tools.shell.timeout_secs has no effect: tools.timeout_secs is shorter.';
  const canFind = tools.find_tools.enabled && allows({ ...tools, only: ['*'] }, finder);
  if (tools.compact === 'few' && !canFind)
    yield 'tools.compact is "few", but find_tools is off: the model is told of all tools, in short.';
}

const finder = { name: finderName, category: 'memory' } as const;

/** Owners, approvers and chats whose channel is off. */
function* unreachablePeople({ owners, approval, channels, chats }: Config, brought: Brought): Warnings {
  const enabled = enabledChannels(channels);
  const isOff = (id: string): boolean => {
    const { channel } = partsOf(id);
    return id !== 'owner' && !(enabled.has(channel) || brought.channels.includes(channel));
  };
  for (const owner of owners.filter(isOff))
    yield `owners names ${owner}, but that channel is off: this owner can decide nothing.`;
  for (const id of approval.approvers.filter(isOff)) yield `approval.approvers names ${id}, but that channel is off.`;
  for (const id of approval.forward_to.filter(isOff)) yield `approval.forward_to names ${id}, but that channel is off.`;
  for (const chat of Object.keys(chats))
    if (isOff(chat.includes(':') ? chat : `${chat}:`)) yield `chats["${chat}"] has no effect: that channel is off.`;
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
      if (!used.includes(parameter))
        yield `${place}.parameters.${parameter}: the command does not use {{${parameter}}}.`;
    for (const [variable, value] of Object.entries(env))
      if (namedIn(value).some((parameter) => declared.includes(parameter)))
        yield `${place}.env.${variable}: values are filled in only in the command; this text stays as it is.`;
    if (timeout_secs > tools.timeout_secs) yield `${place}.timeout_secs has no effect: tools.timeout_secs is shorter.`;
    if (builtins.includes(name))
      yield `${place} replaces the builtin tool ${name}. If that is a mistake, give it another name.`;
  }
}

function* modelWarnings({ models, transcription, budget }: Config): Warnings {
  const addresses = Object.entries(models).map(([name, { base_url }]) => [`models.${name}`, base_url] as const);
  for (const [key, address = ''] of [...addresses, ['transcription', transcription?.base_url] as const])
    yield* endpointWarnings(key, address);
  for (const [name, { provider, base_url = '' }] of Object.entries(models)) {
    const address = provider === 'openai_compatible' ? URL.parse(base_url) : null;
    if (address?.pathname === '/' && address.search === '')
      yield `models.${name}.base_url has no path: nearly all servers have their API at /v1. Write "${address.origin}/v1".`;
  }
  const { money_per_run, money_per_person_per_day, money_per_day } = budget;
  if ((money_per_run ?? money_per_person_per_day ?? money_per_day) === undefined) return;
  if (Object.keys(models).length === 0) yield 'budget limits money, but models has no model with a price.';
  for (const [name, { price }] of Object.entries(models))
    if (price === undefined) yield `models.${name} has no price: limits on money do not count it.`;
}

/** The address of an endpoint, where that of the server belongs. */
export function* endpointWarnings(key: string, address: string): Warnings {
  const [, server, end] = /^(.*)(\/chat\/completions|\/audio\/(?:transcriptions|speech))\/?$/.exec(address) ?? [];
  if (end !== undefined) yield `${key}.base_url ends in ${end}, which Keyturn adds itself. Write "${server}".`;
}

/** Warnings about the limits of commands, once the state of the sandbox is known. */
export function* sandboxWarnings({ tools: { shell } }: Config, state: SandboxState): Warnings {
  if (!shell.enabled || state.holds) return;
  const { sandbox, allow, allowed_domains } = shell;
  if (sandbox === 'off')
    yield 'tools.shell.sandbox is "off": commands may read and change everything that this user may.';
  if (sandbox === 'required')
    yield `tools.shell.sandbox is "required": no command runs, since ${wordsIn('en', state.reason)}.`;
  if (allow.length > 0) yield 'tools.shell.allow has no effect without a sandbox.';
  if (allowed_domains.length > 0 && sandbox !== 'required')
    yield 'tools.shell.allowed_domains has no effect without a sandbox: commands reach the whole network.';
}

/** The warning at start if people share a folder. `letIn`: the number of people let in with a code. */
export function sharingWarnings(
  { workspace, owners, channels }: Pick<Config, 'workspace' | 'owners' | 'channels'>,
  letIn: number,
): readonly string[] {
  const named = [...enabledChannels(channels)].flatMap(([channel, { allow_from, groups }]) =>
    [allow_from, ...Object.values(groups).map((group) => group.allow_from)].flat().map((id) => `${channel}:${id}`),
  );
  const isShared = isSharedFolder(workspace) && (letIn > 0 || named.some((principal) => !owners.includes(principal)));
  if (!isShared) return [];
  return [
    `workspace is one folder for everybody: people other than owners may talk here, and can read and change each other's files. Put {sender} in it, as "${workspace}/{sender}", to give each a folder of their own.`,
  ];
}
