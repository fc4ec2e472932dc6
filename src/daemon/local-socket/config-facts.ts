import type { HeldConfig } from '../../config/config-desk.ts';
import { marked } from '../../config/differences.ts';
import { isInWorkspace } from '../../config/workspace.ts';
import { type Language, wordsIn } from '../../lib/words.ts';
import type { LocalParts } from './local-parts.ts';

/** The config that is in force. */
export type ConfigFacts = HeldConfig;

export function configFacts(language: Language, { services }: Pick<LocalParts, 'services'>): ConfigFacts {
  const { setup, configState, privatePaths } = services;
  const { config } = setup.now;
  const [path] = privatePaths;
  return {
    config: marked(config),
    fault: configState.fault === undefined ? undefined : wordsIn(language, configState.fault),
    isFollowed: path === undefined || !isInWorkspace(config, path),
  };
}
