import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** What a newcomer has to know. */
export interface GreetingFacts {
  readonly version: string;
  readonly configPath: string;
  readonly hasConfig: boolean;
  /** The file to copy where there is no config yet. */
  readonly exampleConfig: string;
  readonly model: string;
  readonly isOffline: boolean;
  readonly why: string;
  readonly workspace: string;
  readonly dataFolder: string;
  /** The channels, each with what is typed there before the name of a command. */
  readonly channels: readonly { readonly name: string; readonly commandPrefix: string }[];
  readonly policy: string;
  /** What keeps commands in their bounds. Left out where there are no commands. */
  readonly shell?: string;
  /** Where devices connect. Left out where they can't. */
  readonly devices?: string;
  /** Set while nobody owns this Keyturn, and a channel runs on which somebody can claim it. */
  readonly claimCode?: string;
  readonly isAtTerminal: boolean;
  readonly warnings: readonly string[];
}

/** The first lines that are printed: what runs, where to chat, and the one next thing to do. */
export function greeting(facts: GreetingFacts): string {
  const lines = [
    `Keyturn ${facts.version}`,
    '',
    `  Model     ${modelLine(facts)}`,
    `  Chat      ${facts.channels.map(({ name }) => chatWords(name, facts)).join(', ')}`,
    `  Files     ${facts.workspace}`,
    `  Data      ${facts.dataFolder}`,
    `  Approval  ${facts.policy}`,
    ...(facts.shell === undefined ? [] : [`  Shell     ${facts.shell}`]),
    ...(facts.devices === undefined ? [] : [`  Devices   ${facts.devices}`]),
    `  Config    ${facts.hasConfig ? facts.configPath : `none (copy ${facts.exampleConfig} to ${facts.configPath})`}`,
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

/** What of the machine is worth saying at start. `isUnbound`: commands run in a sandbox, as root. */
export function machineWarnings(workspace: string, isUnbound: boolean): readonly string[] {
  const root = dirname(`${workspace.replace(/\{.*$/, '')}/.`);
  return [
    ...(isUnbound
      ? ['Keyturn runs as root, for whom tools.shell.max_processes does not hold. Run it as a user of its own.']
      : []),
    ...(isOpenToOthers(root)
      ? [`other users of this machine can enter the workspace ${root}. If that is not meant: chmod 700 ${root}`]
      : []),
  ];
}

/** They can enter it, and each folder above it. */
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
