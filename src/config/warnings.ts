import { relative, sep } from 'node:path';
import { isJsonObject } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { customToolWarnings } from './custom-tool-warnings.ts';
import type { Config } from './schema.ts';

/** What is allowed, and worth saying loudly at start. The paths of the config are absolute. */
export function warningsOf(config: Config, path: string): readonly string[] {
  return [
    ...approvalWarnings(config),
    ...openChannels(config),
    ...untrustableChannels(config),
    ...placeWarnings(config, path),
    ...toolWarnings(config),
    ...hookWarnings(config),
    ...customToolWarnings(config),
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

/** What waits for trust needs a chat in which an owner can give it. */
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
  // Nothing is left of the root of the disk itself.
  const root = config.workspace.replace(/\{.*$/, '').replace(/[\\/]+$/, '') || '/';
  const seen = [
    { what: 'the database', inside: contains(root, config.data_dir) },
    { what: 'the config and its .env', inside: contains(root, path) },
  ].filter(({ inside }) => inside);
  if (config.workspace === config.data_dir) {
    return [`workspace and data_dir are the same folder, ${root}: tools can use no file in it. Give each its own.`];
  }
  return seen.map(
    ({ what }) =>
      `the workspace ${root} contains ${what}: file tools refuse it, but a command outside the sandbox could read it.`,
  );
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

function toolWarnings({ tools, approval, custom_tools, composed_tools }: Config): readonly string[] {
  const builtins = Object.entries(tools).flatMap(([name, block]) => (isJsonObject(block) ? [name] : []));
  const names = [...builtins, ...[...custom_tools, ...composed_tools].map(({ name }) => name)];
  const lists = {
    'tools.disabled': tools.disabled,
    'approval.dangerous_tools': approval.dangerous_tools,
    'approval.require_for': approval.require_for,
  };
  const unknown = Object.entries(lists).flatMap(([key, patterns]) => unknownTools(key, patterns, names));
  const late = tools.shell.timeout_secs > tools.timeout_secs;
  return late ? [...unknown, 'tools.shell.timeout_secs has no effect: tools.timeout_secs is shorter.'] : unknown;
}

function unknownTools(key: string, patterns: readonly string[], names: readonly string[]): readonly string[] {
  const unknown = patterns.filter((pattern) => !pattern.includes('*') && !names.includes(pattern));
  return unknown.map((name) => {
    const guess = nearest(name, names);
    return `${key}: there is no tool "${name}".${guess === undefined ? '' : ` Did you mean "${guess}"?`}`;
  });
}
