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
import { breakRows, textWidth } from '../lib/text-width.ts';
import { type Language, type Words, wordsIn } from '../lib/words.ts';
import type { OpenSetup } from './open-setup.ts';
import { cliWords } from './words.ts';

type CliWords = (typeof cliWords)['en'];

export interface GreetingFacts {
  readonly language: Language;
  readonly opened: OpenSetup;
  readonly daemon: Pick<Daemon, 'isUnclaimed' | 'letIn'>;
  readonly claimCode: string;
  readonly isAtTerminal: boolean;
  /** Whether anybody can write to the standard input. */
  readonly hasInput: boolean;
  readonly isRoot: boolean;
  /** Why another config than that of the file is used. */
  readonly warnings: readonly Words[];
  /** The terminal that shows it. Undefined: it goes into a log, or to a program. */
  readonly screen: GreetingScreen | undefined;
}

export interface GreetingScreen {
  readonly columns: number;
  readonly hasColor: boolean;
}

/**
 * The first lines printed: what runs, where to chat, the next step, and last what a person should know. On a terminal, no row
 * is longer than the screen is wide, and none breaks inside a word; the usual start has at most twelve at 80 columns.
 */
export function greeting(asked: GreetingFacts): string {
  const { language, opened, daemon, isRoot, screen } = asked;
  const say = cliWords[language];
  const { labels } = say;
  const { loaded, setup } = opened;
  const { config, path, source } = loaded;
  const { tools, workspace } = config;
  const warnings = [
    ...asked.warnings,
    ...loaded.warnings,
    ...sandboxWarnings(config, setup.sandbox),
    ...sharingWarnings(config, daemon.letIn),
    ...machineWarnings(workspace, tools.shell.enabled && setup.sandbox.holds && isRoot, language),
  ];
  const facts: readonly Fact[] = [
    { label: labels.model, text: modelLine(opened, language) },
    { label: labels.chat, text: say.channels({ channels: chatChannels(asked) }) },
    { label: labels.files, text: workspace },
    { label: labels.data, text: config.data_dir },
    { label: labels.approval, text: approvalWords(opened, say) },
    ...untrustedLine(config, say),
    ...(tools.shell.enabled ? [{ label: labels.shell, text: shellWords(setup, language, say) }] : []),
    ...networkLines(loaded.network, language),
    ...loaded.brought.listeners.map(({ host, port }) => ({
      label: labels.devices,
      text: say.listens({ address: `http://${host}:${port}` }),
    })),
    { label: labels.config, text: source === 'file' ? path : say.noConfig({ path }) },
  ];
  const rows = [
    `Keyturn ${ownVersion()}`,
    ...facts.flatMap((fact) => factRows(fact, screen)),
    '',
    ...nextStep(asked).flatMap((line) => rowsOf(line, 0, screen)),
    ...warnings.flatMap((warning) => warningRows(wordsIn(language, warning), labels.warning, screen)),
    ...(warnings.length === 0 ? [] : ['']),
  ];
  return `${rows.join('\n')}\n`;
}

interface Fact {
  readonly label: string;
  readonly text: string;
}

/** In columns: where the texts behind the labels begin. */
const margin = 12;

function factRows({ label, text }: Fact, screen: GreetingScreen | undefined): readonly string[] {
  const head = `  ${label}${' '.repeat(Math.max(1, margin - 2 - textWidth(label)))}`;
  const rows = text.split('\n').flatMap((line) => rowsOf(line, margin, screen));
  return rows.map((row, index) => `${index === 0 ? head : ' '.repeat(margin)}${row}`);
}

/** A path alone is not broken: people copy it. */
function rowsOf(line: string, indent: number, screen: GreetingScreen | undefined): readonly string[] {
  if (screen === undefined || indent + textWidth(line) <= screen.columns || !line.includes(' ')) return [line];
  return breakRows(line, screen.columns, indent);
}

function warningRows(text: string, label: string, screen: GreetingScreen | undefined): readonly string[] {
  const rows = factRows({ label, text }, screen);
  return screen?.hasColor === true ? rows.map((row) => `${yellow}${row}${noColor}`) : rows;
}

const yellow = '\u001b[33m';
const noColor = '\u001b[39m';

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
function networkLines({ proxies, certificates }: OpenSetup['loaded']['network'], language: Language): readonly Fact[] {
  const say = cliWords[language];
  const words = proxyWords(proxies, language);
  const trusted = say.certificates({ count: certificates.length });
  return [
    ...(words === undefined ? [] : [{ label: say.labels.proxy, text: words }]),
    ...(certificates.length === 0 ? [] : [{ label: say.labels.trusts, text: trusted }]),
  ];
}

/** What counts as written by strangers: people do not expect it of documents that they send themselves. */
function untrustedLine(
  { security: { taint }, attachments }: OpenSetup['loaded']['config'],
  say: CliWords,
): readonly Fact[] {
  if (taint === 'off') return [];
  const values = { byAll: !attachments.trust_owners, asks: taint === 'ask' };
  return [{ label: say.labels.untrusted, text: say.untrusted(values) }];
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
