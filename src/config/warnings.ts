import { partsOf } from '../contract.ts';
import { isJsonObject } from '../lib/json.ts';
import type { SandboxState } from '../tools/guard/process/process-bounds.ts';
import { parameterNames, placeholdersIn } from '../tools/sources/parameters.ts';
import { contains, isInWorkspace, programsInWorkspace } from './own-programs.ts';
import type { Config } from './schema.ts';
import { builtinNames } from './tool-faults.ts';

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
    ...replacedTools(config),
    ...wholeAddresses(config),
    ...unpricedModels(config),
    ...gatewayWarnings(config),
  ];
}

function approvalWarnings({ approval, agent }: Config): readonly string[] {
  const warnings: string[] = [];
  if (!approval.enabled) warnings.push('approval.enabled is false: tools run without asking anybody.');
  else if (approval.policy === 'always_allow') {
    warnings.push('approval.policy is "always_allow": tools run without asking anybody.');
  } else if (approval.approvers.length === 0) {
    warnings.push('approval.approvers is empty: nobody can approve anything.');
  }
  const idle = approval.policy !== 'require_for_tools' && agent.mode !== 'autonomous';
  if (idle && approval.require_for.length > 0) {
    warnings.push(
      `approval.require_for has no effect under the policy "${approval.policy}" in the mode "${agent.mode}".`,
    );
  }
  return warnings;
}

function gatewayWarnings({ gateway: { enabled, host } }: Config): readonly string[] {
  if (!enabled || /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host)) return [];
  return [
    `gateway.host is "${host}": others reach it without encryption, and can read the tokens of devices on their way. Let it listen at 127.0.0.1, behind a reverse proxy with TLS.`,
  ];
}

/** A custom tool may replace a builtin one, but perhaps by mistake. */
function replacedTools(config: Config): readonly string[] {
  const builtins = builtinNames(config);
  return config.custom_tools.flatMap(({ name }, index) =>
    builtins.includes(name)
      ? [`custom_tools[${index}] replaces the builtin tool ${name}. Give it another name if that is not meant.`]
      : [],
  );
}

/** The address of an endpoint, where that of the server belongs. */
function wholeAddresses({ models, transcription }: Config): readonly string[] {
  const addresses = Object.entries(models).map(([name, { base_url }]) => [`models.${name}`, base_url] as const);
  return [...addresses, ['transcription', transcription?.base_url] as const].flatMap(([key, address]) => {
    const [end] = /\/(?:chat\/completions|audio\/transcriptions)(?=\/?$)/.exec(address ?? '') ?? [];
    if (address === undefined || end === undefined) return [];
    const server = address.slice(0, address.lastIndexOf(end));
    return [`${key}.base_url ends in ${end}, which is added to it. Write "${server}".`];
  });
}

function unpricedModels({ models, budget }: Config): readonly string[] {
  const { money_per_run, money_per_person_per_day, money_per_day } = budget;
  if ([money_per_run, money_per_person_per_day, money_per_day].every((money) => money === undefined)) return [];
  if (Object.keys(models).length === 0) {
    return ['budget has a bound of money that counts nothing: models has no model with a price.'];
  }
  const unpriced = Object.entries(models).filter(([, { price }]) => price === undefined);
  return unpriced.map(([name]) => `models.${name} has no price: no budget of money counts what it takes.`);
}

function hookWarnings({ hooks, plugins }: Config): readonly string[] {
  if (plugins.enabled) return [];
  return Object.entries(hooks).flatMap(([kind, list]) =>
    list.flatMap(({ plugin }, index) =>
      plugin === undefined ? [] : [`hooks.${kind}[${index}] can ask no plugin: plugins.enabled is false.`],
    ),
  );
}

/** Trust in a plugged-in channel can be given only on another channel. */
function untrustableChannels({ channels, channel_plugins, gateway }: Config): readonly string[] {
  const isPlugin = (name: string): boolean => Object.hasOwn(channel_plugins, name);
  const on = Object.entries(channels).filter(([, block]) => isJsonObject(block) && block.enabled !== false);
  if (gateway.enabled || !on.some(([name]) => isPlugin(name)) || on.some(([name]) => !isPlugin(name))) return [];
  return [
    "only channels from channel_plugins are enabled: one that is new or has changed can't be trusted in any chat. Enable another.",
  ];
}

function openChannels({ channels }: Config): readonly string[] {
  return Object.entries(channels).flatMap(([name, block]) => {
    if (!isJsonObject(block) || block.enabled === false) return [];
    const groups = isJsonObject(block.groups) ? Object.entries(block.groups) : [];
    return [
      ...(isOpen(block) ? [`channels.${name}.allow_from has "*": everybody may talk to it there.`] : []),
      ...groups
        .filter(([, group]) => isOpen(group))
        .map(([id]) => `channels.${name}.groups["${id}"].allow_from has "*": everybody in that group may talk to it.`),
    ];
  });
}

function isOpen(block: unknown): boolean {
  return isJsonObject(block) && Array.isArray(block.allow_from) && block.allow_from.includes('*');
}

function placeWarnings(config: Config, path: string): readonly string[] {
  // The root folder itself would become empty.
  const root = config.workspace.replace(/\{.*$/, '').replace(/[\\/]+$/, '') || '/';
  const seen = [
    { what: 'the database', inside: contains(root, config.data_dir) },
    { what: 'the config and its .env', inside: isInWorkspace(config, path) },
  ].filter(({ inside }) => inside);
  if (config.workspace === config.data_dir) {
    return [`workspace and data_dir are the same folder, ${root}: tools can use no file in it. Give each its own.`];
  }
  return seen.map(
    ({ what }) =>
      `the workspace ${root} contains ${what}: file tools refuse it, but a command outside the sandbox could read it.${what.includes('config') ? ' An edit is read at a start and on SIGHUP only.' : ''}`,
  );
}

function programWarnings(config: Config): readonly string[] {
  return programsInWorkspace(config).map(
    ({ key, path }) =>
      `${key} runs ${path}, which lies where tools work: they are kept from that file, but not from what it loads there. Keep it elsewhere.`,
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
  const isOn = (name: string): boolean => {
    const block = channels[name];
    return name === 'device' ? gateway.enabled : isJsonObject(block) && block.enabled !== false;
  };
  const away = (list: readonly string[]): readonly string[] =>
    list.filter((id) => id !== 'owner' && !isOn(partsOf(id).channel));
  return [
    ...away(owners).map((owner) => `owners names ${owner}, but that channel is off: this owner can decide nothing.`),
    ...away(approval.approvers).map((id) => `approval.approvers names ${id}, but that channel is off.`),
    ...away(approval.forward_to).map((id) => `approval.forward_to names ${id}, but that channel is off.`),
  ];
}

/** Settings of custom tools that are allowed but hardly intended. */
function customToolWarnings({ custom_tools, tools }: Config): readonly string[] {
  return custom_tools.flatMap(({ command, parameters, env, timeout_secs }, index) => {
    const place = `custom_tools[${index}]`;
    const declared = parameterNames(parameters);
    const used = placeholdersIn(command).map(({ name }) => name);
    const idle = declared.filter((name) => !used.includes(name));
    const inVariables = Object.entries(env).filter(([, value]) =>
      placeholdersIn(value).some(({ name }) => declared.includes(name)),
    );
    return [
      ...idle.map(
        (name) => `${place}.parameters.${name}: the command does nothing with it; {{${name}}} would stand for it.`,
      ),
      ...inVariables.map(
        ([name]) => `${place}.env.${name}: only in the command are values filled in; here it stands as it is.`,
      ),
      ...(timeout_secs > tools.timeout_secs
        ? [`${place}.timeout_secs has no effect: tools.timeout_secs is shorter.`]
        : []),
    ];
  });
}

/** Warnings about the limits of commands, once the state of the sandbox is known. */
export function sandboxWarnings({ tools: { shell } }: Config, state: SandboxState): readonly string[] {
  if (!shell.enabled || state.holds) return [];
  const { sandbox, allow, allowed_domains } = shell;
  return [
    ...(sandbox === 'off'
      ? ['tools.shell.sandbox is "off": commands may read and change all that this user may.']
      : []),
    ...(sandbox === 'required' ? [`tools.shell.sandbox is "required": no command runs, since ${state.reason}.`] : []),
    ...(allow.length > 0 ? ['tools.shell.allow has no effect without a sandbox.'] : []),
    ...(allowed_domains.length > 0 && sandbox !== 'required'
      ? ['tools.shell.allowed_domains has no effect without a sandbox: commands reach all of the network.']
      : []),
  ];
}
