import { marked } from '../../config/differences.ts';
import { isInWorkspace } from '../../config/workspace.ts';
import type { JsonValue } from '../../lib/json.ts';
import { type Language, wordsIn } from '../../lib/words.ts';
import type { LocalParts } from './local-parts.ts';

/** The config that is in force. */
export interface ConfigFacts {
  /** With all defaults; marks stand for what may be secret. */
  readonly config: JsonValue;
  /** Why the file as it is now is not in force. */
  readonly fault: string | undefined;
  /** Whether edits are noticed. In a workspace, only a person can have the file read. */
  readonly isFollowed: boolean;
}

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
