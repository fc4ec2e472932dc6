/* A user of another program, with its files, who gives `keyturn migrate`. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { daemonEntry } from '../../support/daemon-process.ts';
import { newFolder } from '../../support/new-folder.ts';
import { rowsOf } from '../../support/store-setting.ts';
import { type FormerFiles, formerHomes, writeFormer, writeZeroclawData } from './former-homes.ts';

export const names = ['openclaw', 'hermes', 'zeroclaw', 'zeptoclaw', 'nanobot'] as const;

/** The home of a user who has other programs, and a place for Keyturn. */
export interface Machine {
  readonly home: string;
  readonly keyturn: string;
}

export async function newMachine(): Promise<Machine> {
  const root = await newFolder();
  const [home, keyturn] = [join(root, 'Heim 家'), join(root, 'key turn')];
  for (const folder of [home, keyturn]) mkdirSync(folder);
  return { home, keyturn };
}

export function settle(machine: Machine, name: (typeof names)[number]): string {
  const folder = join(machine.home, `.${name}`);
  writeFormer(folder, formerHomes[name]);
  if (name === 'zeroclaw') writeZeroclawData(folder);
  return folder;
}

/** A machine with one program that has these files beside its own, or in their place. */
export async function machineWith(name: (typeof names)[number], files: FormerFiles = {}) {
  const machine = await newMachine();
  const folder = settle(machine, name);
  writeFormer(folder, files);
  return { ...machine, folder };
}

/** `around`: a program that runs it. */
export function keyturn(
  { home, keyturn: cwd }: Machine,
  args: readonly string[],
  lang = 'en_GB.UTF-8',
  around: readonly string[] = [],
) {
  const env = { PATH: process.env.PATH, HOME: home, KEYTURN_HOME: cwd, LANG: lang, TZ: 'Europe/Berlin' };
  const [program = '', ...words] = [...around, process.execPath, daemonEntry(), ...args];
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** What a run left out, by its name. */
export function leftOf(stdout: string): ReadonlyMap<string, string> {
  const { left } = JSON.parse(stdout);
  return new Map(left.map(({ what, why }: { readonly what: string; readonly why: string }) => [what, why]));
}

export const configOf = ({ keyturn: folder }: Machine) => parse(readFileSync(join(folder, 'config.json'), 'utf8'));
/** The text of `.env`, empty if there is none. */
export const variablesOf = ({ keyturn: folder }: Machine) =>
  existsSync(join(folder, '.env')) ? readFileSync(join(folder, '.env'), 'utf8') : '';
export const memoriesOf = ({ keyturn: folder }: Machine) =>
  rowsOf(join(folder, 'data/keyturn.db'), 'SELECT principal, text, taint_sources FROM memories ORDER BY seq');
export const tasksOf = ({ keyturn: folder }: Machine) =>
  rowsOf(
    join(folder, 'data/keyturn.db'),
    'SELECT principal, conversation_id AS chat, label, cron, time_zone AS zone FROM schedules ORDER BY label',
  );
