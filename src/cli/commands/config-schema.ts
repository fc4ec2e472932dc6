import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '../../lib/own-version.ts';
import { type CommandContext, exitCodes } from './command.ts';

/** `config schema`: the one of this version, as `$schema` in a config names it. */
export async function configSchema({ print }: CommandContext): Promise<number> {
  print(readFileSync(join(ownFolder(), 'config.schema.json'), 'utf8').trimEnd());
  return exitCodes.done;
}
