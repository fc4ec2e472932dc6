/* The desk at which the running Keyturn works with its own config, as the commands of the program do. What it does is loaded when it is used. */

import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { ConfigDesk } from '../../config/config-desk.ts';
import { type DeskParts, Turns } from './desk-parts.ts';

export function createConfigDesk(given: Pick<DeskParts, 'place' | 'program' | 'entry'>): ConfigDesk {
  const parts: DeskParts = { ...given, key: randomBytes(32), turns: new Turns() };
  const { place, turns } = parts;
  const commands = new Turns();
  const files = () => import('./desk-file.ts');
  const versions = () => import('./desk-versions.ts');
  const setup = () => import('./desk-setup.ts');
  return {
    file: resolve(place.cwd, place.path),
    text: async (language) => (await files()).readText(parts, language),
    check: async (text, language) => (await files()).checkDeskText(text, parts, language),
    edited: async (edits, language) => (await files()).editedText(edits, parts, language),
    save: (wish) => turns.take(async () => (await files()).saveText(wish, parts)),
    versions: async () => (await versions()).listVersions(parts),
    version: async (number, language) => (await versions()).versionText(number, parts, language),
    restore: (number, wish) => turns.take(async () => (await versions()).restoreVersion(number, wish, parts)),
    keepSecret: (secret, language) =>
      turns.take(async () => (await import('./desk-secret.ts')).keepSecret(secret, parts, language)),
    setup: {
      platforms: async (language) => (await setup()).listPlatforms(parts, language),
      tryPlatform: async (name, typed, language) => (await setup()).tryPlatform(name, typed, { parts, language }),
      models: async (language) => (await setup()).foundModels(parts, language),
      tryModel: async (wish, language) => (await setup()).tryModel(wish, parts, language),
    },
    schema: async () => (await files()).configJsonSchema(),
    run: (words, language, signal) =>
      commands.take(async () => (await import('./desk-command.ts')).runOwnCommand(words, parts, { language, signal })),
  };
}
