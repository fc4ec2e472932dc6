/*
 * The config of a service that was given its tokens and no config, as a container is: it is written once, with the names of
 * the variables and none of their values. From then on the file counts, as any other does.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readEnvironment } from '../config/environment.ts';
import { wasKept } from '../config/last-good.ts';
import type { LoadOptions } from '../config/load.ts';
import { replaceWhole } from '../lib/replace-whole.ts';

/** The variables that a channel needs, by the keys of its config. */
const tokens: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  telegram: { token: 'TELEGRAM_BOT_TOKEN' },
  slack: { bot_token: 'SLACK_BOT_TOKEN', app_token: 'SLACK_APP_TOKEN' },
  discord: { token: 'DISCORD_BOT_TOKEN' },
};
const ownerVariable = 'KEYTURN_OWNER_ID';

/**
 * Writes the config if there is none, there never was one, and the environment, or `.env`, has the tokens of a channel. Gives
 * the names of the channels that are on in it; undefined if nothing was written.
 */
export async function writeFirstConfig(place: LoadOptions): Promise<readonly string[] | undefined> {
  const { path: name, explicit, env, cwd = process.cwd() } = place;
  const path = resolve(cwd, name);
  if (explicit || existsSync(path)) return undefined;
  const { environment } = await readEnvironment(dirname(path), env, (file) => readFile(file));
  const config = firstConfig(environment);
  if (config === undefined || (await wasKept(place))) return undefined;
  const text = `${JSON.stringify(config, undefined, 2)}\n`;
  // A person may write one just now: then that one counts.
  const { type } = await replaceWhole(path, text, { unchangedFrom: { bytes: undefined } });
  return type === 'written' ? Object.keys(config.channels) : undefined;
}

export interface FirstConfig {
  readonly owners?: readonly string[];
  readonly channels: Readonly<Record<string, Readonly<Record<string, string | boolean>>>>;
}

/** With each channel whose tokens are all there. Undefined if there is none. */
export function firstConfig(environment: Readonly<Record<string, string | undefined>>): FirstConfig | undefined {
  const given = (variable: string): boolean => (environment[variable] ?? '') !== '';
  const complete = Object.entries(tokens).filter(([, needs]) => Object.values(needs).every(given));
  if (complete.length === 0) return undefined;
  const channels = Object.fromEntries(
    complete.map(([channel, needs]) => {
      const named = Object.entries(needs).map(([key, variable]) => [key, `\${${variable}}`] as const);
      return [channel, { enabled: true, ...Object.fromEntries(named) }] as const;
    }),
  );
  return given(ownerVariable) ? { owners: [`\${${ownerVariable}}`], channels } : { channels };
}
