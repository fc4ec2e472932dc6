import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { enabledChannels } from '../config/extension-settings.ts';
import { consequences } from '../config/loose-settings.ts';
import { sandboxWarnings, sharingWarnings } from '../config/warnings.ts';
import { boundsWords } from '../conversation/commands/reports.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { proxyWords } from '../lib/network/proxy-settings.ts';
import { ownVersion } from '../lib/own-version.ts';
import type { OpenSetup } from './open-setup.ts';

export interface GreetingFacts {
  readonly opened: OpenSetup;
  readonly daemon: Pick<Daemon, 'isUnclaimed' | 'letIn'>;
  /** The file to copy if there is no config. */
  readonly exampleConfig: string;
  readonly claimCode: string;
  readonly isAtTerminal: boolean;
  /** Whether anybody can write to the standard input. */
  readonly hasInput: boolean;
  readonly isRoot: boolean;
  /** Why another config than that of the file is used. */
  readonly warnings: readonly string[];
}

/** The first lines printed: what runs, where to chat, and the next step. */
export function greeting(facts: GreetingFacts): string {
  const { opened, daemon, exampleConfig, isRoot } = facts;
  const { loaded, setup } = opened;
  const { config, path, source } = loaded;
  const { tools, workspace } = config;
  const warnings = [
    ...facts.warnings,
    ...loaded.warnings,
    ...sandboxWarnings(config, setup.sandbox),
    ...sharingWarnings(config, daemon.letIn),
    ...machineWarnings(workspace, tools.shell.enabled && setup.sandbox.holds && isRoot),
  ];
  const lines = [
    `Keyturn ${ownVersion()}`,
    '',
    `  Model     ${modelLine(opened)}`,
    `  Chat      ${chatWords(facts).join(', ')}`,
    `  Files     ${workspace}`,
    `  Data      ${config.data_dir}`,
    `  Approval  ${approvalWords(opened)}`,
    ...untrustedLine(config),
    ...(tools.shell.enabled
      ? [`  Shell     ${setup.shell === undefined ? '' : `${setup.shell.name}, `}${boundsWords(setup)}`]
      : []),
    ...networkLines(loaded.network),
    ...loaded.brought.listeners.map(({ host, port }) => `  Devices   at http://${host}:${port}, if the port is free`),
    `  Config    ${source === 'file' ? path : `none (copy ${exampleConfig} to ${path})`}`,
    ...warnings.map((warning) => `  Warning   ${warning}`),
    '',
    ...nextStep(facts),
  ];
  return `${lines.join('\n')}\n`;
}

function modelLine({ setup, madeOf }: OpenSetup): string {
  const { label } = setup.models.of(undefined);
  if (!isOffline(madeOf)) return `${label}: ${madeOf.models.why}`;
  return `${label}. For a real one set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or configure an OpenAI-compatible server.`;
}

/** The proxies, without their passwords, and how many certificates are trusted beside the usual ones. */
function networkLines({ proxies, certificates }: OpenSetup['loaded']['network']): readonly string[] {
  const words = proxyWords(proxies);
  return [
    ...(words === undefined ? [] : [`  Proxy     ${words}`]),
    ...(certificates.length === 0
      ? []
      : [`  Trusts    ${certificates.length} certificates of authorities that Node does not bring`]),
  ];
}

/** What counts as written by strangers: people do not expect it of documents that they send themselves. */
function untrustedLine({ security: { taint }, attachments }: OpenSetup['loaded']['config']): readonly string[] {
  if (taint === 'off') return [];
  const whose = attachments.trust_owners ? 'by others than owners' : 'by anybody, owners too';
  const then = taint === 'ask' ? 'ask' : 'are refused';
  return [`  Untrusted web pages, and documents sent ${whose}: after them, changes ${then}`];
}

function isOffline({ models: { models, defaultName } }: OpenSetup['madeOf']): boolean {
  return models.get(defaultName)?.provider === 'offline';
}

/** Which tools ask. Those of plugins, files and devices are not known yet. */
function approvalWords({ loaded: { config, brought }, setup }: OpenSetup): string {
  const found = consequences(config, brought, setup.sandbox.holds);
  const [asking = [], free = []] = [found.get('ask'), found.get('allow')].map((calls) =>
    calls?.map(({ name }) => name),
  );
  if (found.size === 0) return 'no tool that could do harm is on';
  const until = config.security.taint === 'off' ? '' : ' until untrusted content was read';
  if (asking.length === 0) return free.length === 0 ? `${config.agent.mode}: it only reads` : `nothing asks${until}`;
  return `asks before ${asking.join(', ')}${free.length === 0 ? '' : `; not before ${free.join(', ')}`}`;
}

/** Where people can talk to it. */
function chatWords({ opened, isAtTerminal, hasInput }: GreetingFacts): readonly string[] {
  const { config, brought } = opened.loaded;
  const names = [...enabledChannels(config.channels).keys()].filter((name) => name !== 'terminal' || hasInput);
  const here = isAtTerminal ? 'here, in this terminal' : 'lines on the standard input';
  const places = names.map((name) => (name === 'terminal' ? here : name));
  return places.length === 0 && brought.channels.length > 0 ? ['paired devices'] : places;
}

/** Warnings about the machine. `isUnbound`: commands run in a sandbox, as root. */
export function machineWarnings(workspace: string, isUnbound: boolean): readonly string[] {
  const root = dirname(`${workspace.replace(/\{.*$/, '')}/.`);
  return [
    ...(isUnbound
      ? ['Keyturn runs as root, and tools.shell.max_processes does not apply to root. Run it as a user of its own.']
      : []),
    ...(isOpenToOthers(root)
      ? [`other users of this machine can enter the workspace ${root}. To prevent that: chmod 700 ${root}`]
      : []),
  ];
}

/** Others can enter it, and each folder above it. */
function isOpenToOthers(folder: string): boolean {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o001) === 0) return false;
  return dirname(folder) === folder || isOpenToOthers(dirname(folder));
}

function nextStep({ opened, daemon, claimCode, isAtTerminal }: GreetingFacts): readonly string[] {
  const others = [...opened.channels.made].filter(([, { localOwner }]) => localOwner === undefined);
  if (daemon.isUnclaimed && others.length > 0) {
    const places = others.map(([name, { capabilities }]) => {
      return `in ${name}:  ${capabilities.commandPrefix ?? '/'}claim ${claimCode}`;
    });
    return [`Next: make it yours. Write to your bot ${places.join('\n  or ')}`, ''];
  }
  if (!isAtTerminal) return [];
  if (isOffline(opened.madeOf))
    return ['Next: type  list the files  and then  run `date`  to see it ask you first. ctrl-c twice ends it.', ''];
  return ['Next: say what you want done. /help shows the commands; ctrl-c twice ends it.', ''];
}
