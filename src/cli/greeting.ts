import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import { ownVersion } from '../lib/own-version.ts';

/** What a new user needs to know, besides the config. */
export interface GreetingFacts {
  readonly loaded: LoadedConfig;
  /** The file to copy if there is no config. */
  readonly exampleConfig: string;
  readonly model: string;
  readonly isOffline: boolean;
  readonly why: string;
  /** Each channel with its prefix for commands. */
  readonly channels: readonly { readonly name: string; readonly commandPrefix: string }[];
  /** How shell commands are limited. */
  readonly shell: string;
  /** Set while Keyturn has no owner and a channel runs on which somebody can claim it. */
  readonly claimCode: string | undefined;
  readonly isAtTerminal: boolean;
  readonly warnings: readonly string[];
}

/** The first lines printed: what runs, where to chat, and the next step. */
export function greeting(facts: GreetingFacts): string {
  const { config, path, source } = facts.loaded;
  const { approval, gateway, tools } = config;
  const lines = [
    `Keyturn ${ownVersion()}`,
    '',
    `  Model     ${modelLine(facts)}`,
    `  Chat      ${facts.channels.map(({ name }) => chatWords(name, facts)).join(', ')}`,
    `  Files     ${config.workspace}`,
    `  Data      ${config.data_dir}`,
    `  Approval  ${approval.enabled ? approval.policy : 'off: nothing asks'}`,
    ...(tools.shell.enabled ? [`  Shell     ${facts.shell}`] : []),
    ...(gateway.enabled ? [`  Devices   http://${gateway.host}:${gateway.port}`] : []),
    `  Config    ${source === 'file' ? path : `none (copy ${facts.exampleConfig} to ${path})`}`,
    ...facts.warnings.map((warning) => `  Warning   ${warning}`),
    '',
    ...nextThing(facts),
  ];
  return `${lines.join('\n')}\n`;
}

function modelLine({ isOffline, model, why }: GreetingFacts): string {
  if (!isOffline) return `${model}: ${why}`;
  return `${model}. For a real one set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or configure an OpenAI-compatible server.`;
}

function chatWords(channel: string, { isAtTerminal }: GreetingFacts): string {
  if (channel !== 'terminal') return channel;
  return isAtTerminal ? 'here, in this terminal' : 'lines on the standard input';
}

/** Warnings about the machine. `isUnbound`: commands run in a sandbox, as root. */
export function machineWarnings(workspace: string, isUnbound: boolean): readonly string[] {
  const root = dirname(`${workspace.replace(/\{.*$/, '')}/.`);
  return [
    ...(isUnbound
      ? ['Keyturn runs as root, and tools.shell.max_processes does not apply to root. Run it as a user of its own.']
      : []),
    ...(isOpenToOthers(root)
      ? [`other users of this machine can enter the workspace ${root}. If that is not meant: chmod 700 ${root}`]
      : []),
  ];
}

/** Others can enter it, and each folder above it. */
function isOpenToOthers(folder: string): boolean {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o001) === 0) return false;
  return dirname(folder) === folder || isOpenToOthers(dirname(folder));
}

function nextThing({ claimCode, isOffline, isAtTerminal, channels }: GreetingFacts): readonly string[] {
  if (claimCode !== undefined) {
    const others = channels.filter(({ name }) => name !== 'terminal');
    const places = others.map(({ name, commandPrefix }) => `in ${name}:  ${commandPrefix}claim ${claimCode}`);
    return [`Next: make it yours. Write to your bot ${places.join('\n  or ')}`, ''];
  }
  if (isAtTerminal && isOffline) {
    return ['Next: type  list the files  and then  run `date`  to see it ask you first. ctrl-c twice ends it.', ''];
  }
  if (isAtTerminal) return ['Next: say what you want done. /help shows the commands; ctrl-c twice ends it.', ''];
  return [];
}
