import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { withFallbacks } from '../models/model-description.ts';
import type { KeyPath } from './config-error.ts';
import { entriesIn, fallbacksIn } from './cross-checks.ts';
import type { ChannelSettings } from './schema.ts';

/** Tells whether anything depends on a place: not on a channel or a server that is off, nor on a model that is not used. */
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
    // In doubt it is on: then all of it has to be right.
    const defaults: unknown = Object.hasOwn(channels, second) ? channels[second]?.safeParse({}).data : undefined;
    return (enabledIn(entriesIn(value, first), second) ?? (isJsonObject(defaults) && defaults.enabled)) !== false;
  };
}

function enabledIn(blocks: JsonObject, name: string): JsonValue | undefined {
  const block = Object.hasOwn(blocks, name) ? blocks[name] : undefined;
  return isJsonObject(block) ? block.enabled : undefined;
}

/** The same config without the models, channels and servers that these places are in: nothing depends on them. */
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
