import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { enabledChannels } from '../config/extension-settings.ts';
import { consequences } from '../config/loose-settings.ts';
import { sandboxWarnings, sharingWarnings } from '../config/warnings.ts';
import { configWords } from '../config/words.ts';
import { boundsWords } from '../conversation/commands/reports/status.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { proxyWords } from '../lib/network/proxy-settings.ts';
import { ownVersion } from '../lib/own-version.ts';
import { textWidth } from '../lib/text-width.ts';
import { type Language, type Words, wordsIn } from '../lib/words.ts';
import type { OpenSetup } from './open-setup.ts';
import { cliWords } from './words.ts';

type CliWords = (typeof cliWords)['en'];

export interface GreetingFacts {
  readonly language: Language;
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
  readonly warnings: readonly Words[];
}

/** The first lines printed: what runs, where to chat, and the next step. */
export function greeting(facts: GreetingFacts): string {
  const { language, opened, daemon, exampleConfig, isRoot } = facts;
  const say = cliWords[language];
  const { labels } = say;
  const { loaded, setup } = opened;
  const { config, path, source } = loaded;
  const { tools, workspace } = config;
  const warnings = [
    ...facts.warnings,
    ...loaded.warnings,
    ...sandboxWarnings(config, setup.sandbox),
    ...sharingWarnings(config, daemon.letIn),
    ...machineWarnings(workspace, tools.shell.enabled && setup.sandbox.holds && isRoot, language),
  ];
  const lines = [
    `Keyturn ${ownVersion()}`,
    '',
    line(labels.model, modelLine(opened, language)),
    line(labels.chat, say.channels({ channels: chatChannels(facts) })),
    line(labels.files, workspace),
    line(labels.data, config.data_dir),
    line(labels.approval, approvalWords(opened, say)),
    ...untrustedLine(config, say),
    ...(tools.shell.enabled ? [line(labels.shell, shellWords(setup, language, say))] : []),
    ...networkLines(loaded.network, language),
    ...loaded.brought.listeners.map(({ host, port }) =>
      line(labels.devices, say.listens({ address: `http://${host}:${port}` })),
    ),
    line(labels.config, source === 'file' ? path : say.noConfig({ example: exampleConfig, path })),
    ...warnings.map((warning) => line(labels.warning, wordsIn(language, warning))),
    '',
    ...nextStep(facts),
  ];
  return `${lines.join('\n')}\n`;
}

function line(label: string, text: string): string {
  return `  ${label}${' '.repeat(Math.max(1, 10 - textWidth(label)))}${text}`;
}

function shellWords(setup: OpenSetup['setup'], language: Language, say: CliWords): string {
  const bounds = boundsWords(setup, language);
  return setup.shell === undefined ? bounds : say.shellAnd({ shell: setup.shell.name, bounds });
}

function modelLine({ setup, madeOf }: OpenSetup, language: Language): string {
  const { label } = setup.models.of(undefined);
  if (!isOffline(madeOf))
    return cliWords[language].modelBecause({ label, why: configWords[language].whyModel(madeOf.models.why) });
  return cliWords[language].offlineModel({ label });
}

/** The proxies, without their passwords, and how many certificates are trusted beside the usual ones. */
function networkLines(
  { proxies, certificates }: OpenSetup['loaded']['network'],
  language: Language,
): readonly string[] {
  const say = cliWords[language];
  const words = proxyWords(proxies, language);
  return [
    ...(words === undefined ? [] : [line(say.labels.proxy, words)]),
    ...(certificates.length === 0 ? [] : [line(say.labels.trusts, say.certificates({ count: certificates.length }))]),
  ];
}

/** What counts as written by strangers: people do not expect it of documents that they send themselves. */
function untrustedLine(
  { security: { taint }, attachments }: OpenSetup['loaded']['config'],
  say: CliWords,
): readonly string[] {
  if (taint === 'off') return [];
  const values = { byAll: !attachments.trust_owners, asks: taint === 'ask' };
  return [line(say.labels.untrusted, say.untrusted(values))];
}

function isOffline({ models: { models, defaultName } }: OpenSetup['madeOf']): boolean {
  return models.get(defaultName)?.provider === 'offline';
}

/** Which tools ask. Those of plugins, files and devices are not known yet. */
function approvalWords({ loaded: { config, brought }, setup }: OpenSetup, say: CliWords): string {
  const found = consequences(config, brought, setup.sandbox.holds);
  const [asking = [], free = []] = [found.get('ask'), found.get('allow')].map((calls) =>
    calls?.map(({ name }) => name),
  );
  if (found.size === 0) return say.harmless;
  if (asking.length > 0) return say.asksBefore({ asking, free });
  if (free.length === 0) return say.onlyReads({ mode: config.agent.mode });
  return say.nothingAsks({ untilUntrusted: config.security.taint !== 'off' });
}

/** Where people can talk to it. */
function chatChannels({ language, opened, isAtTerminal, hasInput }: GreetingFacts): readonly string[] {
  const say = cliWords[language];
  const { config, brought } = opened.loaded;
  const names = [...enabledChannels(config.channels).keys()].filter((name) => name !== 'terminal' || hasInput);
  const here = isAtTerminal ? say.here : say.standardInput;
  const shown = names.map((name) => (name === 'terminal' ? here : name));
  return shown.length === 0 && brought.channels.length > 0 ? [say.pairedDevices] : shown;
}

/** Warnings about the machine. `isUnbound`: commands run in a sandbox, as root. */
export function machineWarnings(workspace: string, isUnbound: boolean, language: Language = 'en'): readonly string[] {
  const say = cliWords[language];
  const root = dirname(`${workspace.replace(/\{.*$/, '')}/.`);
  return [...(isUnbound ? [say.runsAsRoot] : []), ...(isOpenToOthers(root) ? [say.openFolder({ folder: root })] : [])];
}

/** Others can enter it, and each folder above it. */
function isOpenToOthers(folder: string): boolean {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o001) === 0) return false;
  return dirname(folder) === folder || isOpenToOthers(dirname(folder));
}

function nextStep({ language, opened, daemon, claimCode, isAtTerminal }: GreetingFacts): readonly string[] {
  const say = cliWords[language];
  const others = [...opened.channels.made].filter(([, { localOwner }]) => localOwner === undefined);
  if (daemon.isUnclaimed && others.length > 0) {
    const claims = others.map(([channel, { capabilities }]) => ({
      channel,
      command: `${capabilities.commandPrefix ?? '/'}claim ${claimCode}`,
    }));
    return [say.claim({ claims }), ''];
  }
  if (!isAtTerminal) return [];
  return [isOffline(opened.madeOf) ? say.tryIt : say.sayIt, ''];
}
