import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '../../src/lib/json.ts';
import { settingUpEntry } from '../support/daemon-process.ts';
import { newFolder } from '../support/new-folder.ts';
import { type OnTerminal, startOnTerminal } from './on-terminal.ts';

/** What a set-up finds, in place of what may run on this machine. */
export interface Around {
  readonly servers?: readonly { readonly name: string; readonly baseUrl: string }[];
  readonly channels?: Readonly<Record<string, JsonObject>>;
}

export interface SettingUp extends Around {
  /** A new one if not set. */
  readonly folder?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What the person types into the shell. Default: the program itself. */
  readonly shellCommand?: string;
}

/** Keys of a terminal. */
export const keys = { enter: '\r', down: '\u001b[B', cancel: '\u0003' } as const;

/** A person at a terminal, who sets Keyturn up. The questions are those of the catalogue, one after the other. */
export async function personSettingUp({
  folder: given,
  args = [],
  env = {},
  servers = [],
  channels = {},
  shellCommand,
}: SettingUp) {
  const folder = given ?? (await newFolder());
  const surroundings = JSON.stringify({ servers, channels });
  const terminal = startOnTerminal({
    folder,
    columns: 200,
    entry: settingUpEntry(),
    args,
    shellCommand,
    env: { KEYTURN_SURROUNDINGS: surroundings, ...env },
  });
  const asked: string[] = [];
  let typed = 0;
  let from = 0;

  /** Waits until something is said that was not there at the last answer. */
  async function hears(wanted: string): Promise<void> {
    await terminal.shows((written) => written.includes(wanted, from), wanted);
  }

  return {
    ...terminal,
    folder,
    hears,
    /** The questions that were answered so far. */
    asked: asked as readonly string[],
    /** How many keys were pressed so far; what was pasted counts as one. */
    get keysPressed(): number {
      return typed;
    },
    files: () => readdirSync(folder).toSorted(),
    /** Waits for a question, and presses these keys. */
    async answers(question: string, ...pressed: readonly string[]): Promise<void> {
      await hears(`${active}${question}`);
      asked.push(question);
      from = terminal.written().length;
      typed += pressed.length;
      terminal.type(pressed.join(''));
    },
  };
}

/** Stands before the question that is open. */
const active = '\u001b[36m◆\u001b[39m  ';

/** The code of the link that is printed once the bot can be claimed. */
export async function codeShown(terminal: OnTerminal): Promise<string> {
  return terminal.shows((written) => /\?start=([a-z\d]+) /.exec(written)?.[1], 'the link with the code');
}

export interface ScriptSettingUp extends SettingUp {
  readonly input?: string;
}

/** A script that sets Keyturn up, without a terminal. */
export async function scriptSettingUp({
  folder: given,
  args = [],
  env = {},
  servers = [],
  channels = {},
  input = '',
}: ScriptSettingUp) {
  const folder = given ?? (await newFolder());
  const surroundings = JSON.stringify({ servers, channels });
  const child = spawn(process.execPath, [settingUpEntry(), 'setup', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', KEYTURN_SURROUNDINGS: surroundings, ...env },
  });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { folder, code: child.exitCode, stdout, stderr };
}
