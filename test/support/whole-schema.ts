import { configSchema } from '../../src/config/join-settings.ts';
import type { ChannelSettings, Config } from '../../src/config/schema.ts';
import { type Around, broughtBy } from '../../src/config/settings-part.ts';
import { warningsOf } from '../../src/config/warnings.ts';
import { settingsOfFeatures } from '../../src/features/index.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { type Language, wordsIn } from '../../src/lib/words.ts';

/** The settings of all features that are there. */
export const featureParts = await settingsOfFeatures();

/** The schema of the whole config, with these channels. */
export const wholeSchema = (channels: ChannelSettings = {}) => configSchema(channels, featureParts);

/** Our own channels, and those that these plugins bring. */
export function withPluggedChannels(own: ChannelSettings, plugins: JsonObject): ChannelSettings {
  const plugged = featureParts.map((part) => part.channels({ channel_plugins: plugins }));
  return { ...Object.assign({}, ...plugged), ...own };
}

/** What the parts of a config see of each other. */
export function aroundOf(config: Config, ownChannels: readonly string[] = []): Around {
  return { config, brought: broughtBy(featureParts, config), environment: {}, ownChannels };
}

/** What is warned of in a config that stands there. */
export function allWarnings(config: Config, path: string, language: Language = 'en'): readonly string[] {
  const around = aroundOf(config);
  const found = [...warningsOf(around, path), ...featureParts.flatMap((part) => part.warnings(config, around))];
  return found.map((warning) => wordsIn(language, warning));
}
