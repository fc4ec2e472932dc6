import type { SettingsPart } from '../config/settings-part.ts';
import type { FeatureDefinition } from '../feature-points.ts';

/** All features, in the order in which they are made. Each is a folder and a line here; both can be left out. */
export const features: readonly (() => Promise<FeatureDefinition>)[] = [
  async () => (await import('./planning/index.ts')).planning,
  async () => (await import('./memory/index.ts')).memory,
  async () => (await import('./linking/index.ts')).linking,
  async () => (await import('./agents/index.ts')).agents,
  async () => (await import('./composed/index.ts')).composed,
  async () => (await import('./trust/index.ts')).trust,
  async () => (await import('./mcp/index.ts')).mcp,
  async () => (await import('./modules/index.ts')).modules,
  async () => (await import('./plugins/index.ts')).plugins,
  async () => (await import('./devices/index.ts')).devices,
  async () => (await import('./webhooks/index.ts')).webhooks,
  async () => (await import('./page/index.ts')).page,
  async () => (await import('./speech/index.ts')).speech,
  async () => (await import('./undo/index.ts')).undo,
  async () => (await import('./evidence/index.ts')).evidence,
  async () => (await import('./rules/index.ts')).rules,
  async () => (await import('./data/index.ts')).data,
  async () => (await import('./metrics/index.ts')).metrics,
  async () => (await import('./traces/index.ts')).traces,
  async () => (await import('./edits/index.ts')).edits,
];

/** The settings of all features: what the config is read with. */
export async function settingsOfFeatures(): Promise<readonly SettingsPart[]> {
  const definitions = await Promise.all(features.map((load) => load()));
  return definitions.flatMap(({ settings = [] }) => settings);
}
