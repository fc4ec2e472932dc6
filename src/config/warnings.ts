import { partsOf } from '../contract.ts';
import type { SandboxState } from '../tools/guard/process/sandbox.ts';
import { parameterNames, placeholdersIn } from '../tools/sources/parameters.ts';
import { enabledBlocks } from './extension-settings.ts';
import type { Config } from './schema.ts';
import { builtinNames } from './tool-rules.ts';
import { contains, isInWorkspace, isSharedFolder, programsInWorkspace } from './workspace.ts';

/** Allowed settings that deserve a warning at start. The config's paths are absolute. */
export function warningsOf(config: Config, path: string): readonly string[] {
  return [
    ...approvalWarnings(config),
    ...openChannels(config),
    ...untrustableChannels(config),
    ...placeWarnings(config, path),
    ...programWarnings(config),
    ...toolWarnings(config),
    ...unreachableOwners(config),
    ...hookWarnings(config),
    ...customToolWarnings(config),
    ...wholeAddresses(config),
    ...unpricedModels(config),
    ...gatewayWarnings(config),
  ];
}

function approvalWarnings({ approval, agent }: Config): readonly string[] {
  const { enabled, policy, approvers, require_for } = approval;
  const isIdle = policy !== 'require_for_tools' && agent.mode !== 'autonomous' && require_for.length > 0;
  return [
    ...(enabled ? [] : ['approval.enabled is false: tools run without asking anybody.']),
    ...(enabled && policy === 'always_allow'
      ? ['approval.policy is "always_allow": tools run without asking anybody.']
      : []),
    ...(enabled && policy !== 'always_allow' && approvers.length === 0
      ? ['approval.approvers is empty: nobody can approve anything.']
      : []),
    ...(isIdle ? [`approval.require_for has no effect under the policy "${policy}" in the mode "${agent.mode}".`] : []),
  ];
}

/** An enabled channel's block of the config, or one of its groups. */
interface Place {
  readonly channel: string;
  readonly group: string | undefined;
  /** The ids of those who may talk there. */
  readonly allowFrom: readonly string[];
}

function placesOf(channels: Readonly<Record<string, unknown>>): readonly Place[] {
  return enabledBlocks(channels).flatMap(([channel, { allow_from: allowFrom, groups }]) => [
    { channel, group: undefined, allowFrom },
    ...Object.entries(groups).map(([group, place]) => ({ channel, group, allowFrom: place.allow_from })),
  ]);
}

function openChannels({ channels }: Config): readonly string[] {
  return placesOf(channels).flatMap(({ channel, group, allowFrom }) => {
    if (!allowFrom.includes('*')) return [];
    if (group === undefined) return [`channels.${channel}.allow_from has "*": everybody may talk to it there.`];
    return [`channels.${channel}.groups["${group}"].allow_from has "*": everybody in that group may talk to it.`];
  });
}

/** Trust in a plugged-in channel can be given only on another channel. */
function untrustableChannels({ channels, channel_plugins, gateway }: Config): readonly string[] {
  const enabled = placesOf(channels).map(({ channel }) => channel);
  const areAllPlugins = enabled.length > 0 && enabled.every((name) => Object.hasOwn(channel_plugins, name));
  if (gateway.enabled || !areAllPlugins) return [];
  return [
    "only channels from channel_plugins are enabled: one that is new or has changed can't be trusted in any chat. Enable another channel.",
  ];
}

function placeWarnings(config: Config, path: string): readonly string[] {
  // The root folder itself would become empty.
  const root = config.workspace.replace(/\{.*$/, '').replace(/[\\/]+$/, '') || '/';
  if (config.workspace === config.data_dir) {
    return [`workspace and data_dir are the same folder, ${root}: tools cannot use any file in it. Use two folders.`];
  }
  const contain = (what: string): string =>
    `the workspace ${root} contains ${what}: file tools refuse it, but a command outside the sandbox could read it.`;
  return [
    ...(contains(root, config.data_dir) ? [contain('the database')] : []),
    ...(isInWorkspace(config, path)
      ? [`${contain('the config and its .env')} Edits are read only at a start and on SIGHUP.`]
      : []),
  ];
}

function programWarnings(config: Config): readonly string[] {
  return programsInWorkspace(config).map(
    ({ key, path }) =>
      `${key} runs ${path}, which is in a workspace: tools cannot change that file, but they can change what it loads there. Move it elsewhere.`,
  );
}

function toolWarnings({ tools }: Config): readonly string[] {
  const places = Object.entries(tools.per_chat).map(
    ([place, { only }]) => [`tools.per_chat["${place}"].only`, only] as const,
  );
  const empty = [['tools.only', tools.only] as const, ...places].filter(([, only]) => only.length === 0);
  return [
    ...empty.map(([key]) => `${key} is empty: the model has no tools there. Leave it out to offer all.`),
    ...(tools.shell.timeout_secs > tools.timeout_secs
      ? ['tools.shell.timeout_secs has no effect: tools.timeout_secs is shorter.']
      : []),
  ];
}

/** Owners, approvers and chats whose channel is off. */
function unreachableOwners({ owners, approval, channels, gateway }: Config): readonly string[] {
  const enabled = placesOf(channels).map(({ channel }) => channel);
  const isOn = (name: string): boolean => (name === 'device' ? gateway.enabled : enabled.includes(name));
  const away = (list: readonly string[]): readonly string[] =>
    list.filter((id) => id !== 'owner' && !isOn(partsOf(id).channel));
  return [
    ...away(owners).map((owner) => `owners names ${owner}, but that channel is off: this owner can decide nothing.`),
    ...away(approval.approvers).map((id) => `approval.approvers names ${id}, but that channel is off.`),
    ...away(approval.forward_to).map((id) => `approval.forward_to names ${id}, but that channel is off.`),
  ];
}

function hookWarnings({ hooks, plugins }: Config): readonly string[] {
  if (plugins.enabled) return [];
  return Object.entries(hooks).flatMap(([kind, list]) =>
    list.flatMap(({ plugin }, index) =>
      plugin === undefined ? [] : [`hooks.${kind}[${index}] has no effect: plugins.enabled is false.`],
    ),
  );
}

/** Settings of custom tools that are allowed but probably a mistake, such as the name of a builtin tool. */
function customToolWarnings(config: Config): readonly string[] {
  const builtins = builtinNames(config);
  return config.custom_tools.flatMap(({ name, command, parameters, env, timeout_secs }, index) => {
    const place = `custom_tools[${index}]`;
    const declared = parameterNames(parameters);
    const used = placeholdersIn(command).map((placeholder) => placeholder.name);
    const idle = declared.filter((parameter) => !used.includes(parameter));
    const inVariables = Object.entries(env).filter(([, value]) =>
      placeholdersIn(value).some((placeholder) => declared.includes(placeholder.name)),
    );
    return [
      ...idle.map((parameter) => `${place}.parameters.${parameter}: the command does not use {{${parameter}}}.`),
      ...inVariables.map(
        ([variable]) => `${place}.env.${variable}: values are filled in only in the command; this text stays as it is.`,
      ),
      ...(timeout_secs > config.tools.timeout_secs
        ? [`${place}.timeout_secs has no effect: tools.timeout_secs is shorter.`]
        : []),
      ...(builtins.includes(name)
        ? [`${place} replaces the builtin tool ${name}. If that is a mistake, give it another name.`]
        : []),
    ];
  });
}

/** The address of an endpoint, where that of the server belongs. */
function wholeAddresses({ models, transcription }: Config): readonly string[] {
  const addresses = Object.entries(models).map(([name, { base_url }]) => [`models.${name}`, base_url] as const);
  return [...addresses, ['transcription', transcription?.base_url] as const].flatMap(([key, address]) => {
    const [end] = /\/(?:chat\/completions|audio\/transcriptions)(?=\/?$)/.exec(address ?? '') ?? [];
    if (address === undefined || end === undefined) return [];
    const server = address.slice(0, address.lastIndexOf(end));
    return [`${key}.base_url ends in ${end}, which Keyturn adds itself. Write "${server}".`];
  });
}

function unpricedModels({ models, budget }: Config): readonly string[] {
  const { money_per_run, money_per_person_per_day, money_per_day } = budget;
  if ([money_per_run, money_per_person_per_day, money_per_day].every((money) => money === undefined)) return [];
  if (Object.keys(models).length === 0) return ['budget limits money, but models has no model with a price.'];
  const unpriced = Object.entries(models).filter(([, { price }]) => price === undefined);
  return unpriced.map(([name]) => `models.${name} has no price: limits on money do not count it.`);
}

function gatewayWarnings({ gateway: { enabled, host } }: Config): readonly string[] {
  if (!enabled || /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host)) return [];
  return [
    `gateway.host is "${host}": other machines connect without encryption, so the tokens of devices can be read on the way. Let it listen at 127.0.0.1, behind a reverse proxy with TLS.`,
  ];
}

/** Warnings about the limits of commands, once the state of the sandbox is known. */
export function sandboxWarnings({ tools: { shell } }: Config, state: SandboxState): readonly string[] {
  if (!shell.enabled || state.holds) return [];
  const { sandbox, allow, allowed_domains } = shell;
  return [
    ...(sandbox === 'off'
      ? ['tools.shell.sandbox is "off": commands may read and change everything that this user may.']
      : []),
    ...(sandbox === 'required' ? [`tools.shell.sandbox is "required": no command runs, since ${state.reason}.`] : []),
    ...(allow.length > 0 ? ['tools.shell.allow has no effect without a sandbox.'] : []),
    ...(allowed_domains.length > 0 && sandbox !== 'required'
      ? ['tools.shell.allowed_domains has no effect without a sandbox: commands reach the whole network.']
      : []),
  ];
}

/** The warning at start if people share a folder. `letIn`: the number of people let in with a code. */
export function sharingWarnings(
  { workspace, owners, channels }: Pick<Config, 'workspace' | 'owners' | 'channels'>,
  letIn: number,
): readonly string[] {
  if (!isSharedFolder(workspace)) return [];
  const named = placesOf(channels).flatMap(({ channel, allowFrom }) => allowFrom.map((id) => `${channel}:${id}`));
  if (letIn === 0 && named.every((principal) => owners.includes(principal))) return [];
  return [
    `workspace is one folder for everybody: people other than owners may talk here, and can read and change each other's files. Put {sender} in it, as "${workspace}/{sender}", to give each a folder of their own.`,
  ];
}
