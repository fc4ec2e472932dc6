import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { withFallbacks } from '../models/language-model.ts';
import type { KeyPath } from './config-error.ts';
import { entriesIn, fallbacksIn } from './cross-checks.ts';
import type { ChannelSettings } from './schema.ts';

/** Whether anything depends on a place: false in a channel or server that is off, and in a model that is not used. */
export function neededPlaces(value: JsonValue, channels: ChannelSettings): (path: KeyPath) => boolean {
  const models = entriesIn(value, 'models');
  const model = isJsonObject(value) ? value.model : undefined;
  const ofAgents = Object.values(entriesIn(value, 'agents')).flatMap((agent) =>
    isJsonObject(agent) && typeof agent.model === 'string' ? [agent.model] : [],
  );
  const used = typeof model === 'string' ? withFallbacks([model, ...ofAgents], fallbacksIn(models)) : undefined;
  return ([first, second]) => {
    if (typeof second !== 'string') return true;
    if (first === 'models') return used === undefined || used.has(second);
    if (first === 'mcp_servers') return enabledIn(entriesIn(value, first), second) !== false;
    if (first !== 'channels') return true;
    // If unsure, it counts as on, and must be valid.
    const defaults: unknown = Object.hasOwn(channels, second) ? channels[second]?.safeParse({}).data : undefined;
    return (enabledIn(entriesIn(value, first), second) ?? (isJsonObject(defaults) && defaults.enabled)) !== false;
  };
}

function enabledIn(blocks: JsonObject, name: string): JsonValue | undefined {
  const block = Object.hasOwn(blocks, name) ? blocks[name] : undefined;
  return isJsonObject(block) ? block.enabled : undefined;
}

/** The config without the models, channels and servers that contain these places, on which nothing depends. */
export function withoutBlocks(value: JsonValue, places: readonly KeyPath[]): JsonValue {
  if (!isJsonObject(value)) return value;
  const parts = Object.entries(value).map(([key, blocks]): readonly [string, JsonValue] => {
    if (!['models', 'channels', 'mcp_servers'].includes(key) || !isJsonObject(blocks)) return [key, blocks];
    const kept = Object.entries(blocks).flatMap(([name, block]): readonly (readonly [string, JsonValue])[] => {
      if (!places.some(([first, second]) => first === key && second === name)) return [[name, block]];
      return key === 'channels' ? [[name, { enabled: false }]] : [];
    });
    return [key, Object.fromEntries(kept)];
  });
  return Object.fromEntries(parts);
}
