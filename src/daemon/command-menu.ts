import { coreCommands } from '../conversation/commands/core-commands.ts';
import { type CommandDefinition, inMenuOrder } from '../conversation/commands/definition.ts';
import type { FeatureDefinition } from '../feature-points.ts';
import { features } from '../features/index.ts';

/** The definitions of all features that there are. */
export async function loadFeatures(): Promise<readonly FeatureDefinition[]> {
  return Promise.all(features.map((load) => load()));
}

/** All that may be typed in chats: the core's commands and those of features. Throws if two have the same name. */
export function commandMenu(definitions: readonly FeatureDefinition[]): readonly CommandDefinition[] {
  return inMenuOrder([...coreCommands.all, ...definitions.flatMap(({ commands = [] }) => commands)]);
}
