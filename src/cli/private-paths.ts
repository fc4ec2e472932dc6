/* Keyturn's own files around its config, and what is written for them. */

import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { editsFolderOf } from '../config/data-folder.ts';
import { envFileOf } from '../config/environment.ts';
import { draftsFolderOf } from '../lib/replace-whole.ts';
import { configBefore } from './place.ts';

/**
 * What no tool may read or change: the config, which is the first, what is kept of it beside it, the secrets, and what a
 * command that was killed has begun to write for one of them, also where a link leads to.
 */
export function privatePathsOf(config: string): readonly string[] {
  const files = [config, configBefore(config), envFileOf(dirname(config))];
  const drafts = files.flatMap((file) => [file, realOf(file)]).map(draftsFolderOf);
  return [...files, editsFolderOf(config), ...new Set(drafts)];
}

function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // Not there, or not to be entered: then nothing is written there.
    return resolve(file);
  }
}
