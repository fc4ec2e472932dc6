import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { channelLoaders as loaders, channelSettings as settings } from '../../../channels/index.ts';
import { createConfigDesk } from '../../../src/cli/desk/config-desk.ts';
import type { Surroundings } from '../../../src/cli/setup/surroundings.ts';
import type { ConfigDesk, HeldConfig } from '../../../src/config/config-desk.ts';
import { daemonEntry } from '../../support/daemon-process.ts';
import { newFolder } from '../../support/new-folder.ts';

/** A config in a folder of its own, and the desk for it. */
export interface DeskSetting {
  readonly folder: string;
  readonly file: string;
  readonly desk: ConfigDesk;
  /** What stands in the file now. */
  written(): string;
}

export interface DeskSettingOptions {
  readonly text?: string | Uint8Array;
  readonly variables?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly surroundings?: Surroundings;
  /** How the config is named: by an absolute path by default. */
  readonly path?: string;
}

export async function deskSetting({
  text,
  variables,
  env = {},
  surroundings,
  path,
}: DeskSettingOptions = {}): Promise<DeskSetting> {
  const folder = await newFolder();
  const file = join(folder, 'config.json');
  if (text !== undefined) writeFileSync(file, text);
  if (variables !== undefined) writeFileSync(join(folder, '.env'), variables);
  return { folder, file, desk: deskFor(folder, env, surroundings, path), written: () => readFileSync(file, 'utf8') };
}

/** Another one for the same files, as after a restart. */
export function deskFor(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  surroundings: Surroundings = { servers: [], channels: {} },
  path = join(folder, 'config.json'),
): ConfigDesk {
  const all = { PATH: process.env.PATH ?? '', HOME: folder, ...env };
  const place = { path, explicit: true, cwd: folder, home: folder, env: all };
  const program = { process, channels: async () => ({ loaders, settings }), surroundings };
  return createConfigDesk({ place, program, entry: daemonEntry() });
}

/** Of a Keyturn that takes over at once whatever is written. */
export function holding(...configs: readonly HeldConfig['config'][]) {
  let asked = 0;
  return (): HeldConfig => {
    const config = configs[Math.min(asked, configs.length - 1)] ?? {};
    asked += 1;
    return { config, fault: undefined, isFollowed: false };
  };
}
