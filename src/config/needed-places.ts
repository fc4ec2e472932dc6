import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import type { KeyPath } from './config-error.ts';
import type { ChannelSettings } from './schema.ts';

/** Tells whether anything depends on a place: not on a channel or a server that is off, nor on a model that is not used. */
export function neededPlaces(value: JsonValue, channels: ChannelSettings): (path: KeyPath) => boolean {
  const root = isJsonObject(value) ? value : {};
  const used = usedModels(root);
  return ([first, second]) => {
    if (typeof second !== 'string') return true;
    if (first === 'models') return used.includes(second);
    if (first === 'mcp_servers') return !isSwitchedOff(root.mcp_servers, second);
    return first !== 'channels' || isOn(root.channels, second, channels);
  };
}

/** The same config without the blocks that these places are in: nothing depends on them. */
export function withoutBlocks(value: JsonValue, places: readonly KeyPath[]): JsonValue {
  if (!isJsonObject(value)) return value;
  const models = blockNames(places, 'models');
  const channels = blockNames(places, 'channels');
  const servers = blockNames(places, 'mcp_servers');
  return {
    ...value,
    ...changed(value, 'models', (block, name) => (models.includes(name) ? undefined : block)),
    ...changed(value, 'channels', (block, name) => (channels.includes(name) ? { enabled: false } : block)),
    ...changed(value, 'mcp_servers', (block, name) => (servers.includes(name) ? undefined : block)),
  };
}

function usedModels({ model, models, agents }: JsonObject): readonly string[] {
  if (typeof model !== 'string') return isJsonObject(models) ? Object.keys(models) : [];
  const ofAgents = Object.values(isJsonObject(agents) ? agents : {}).flatMap((agent) =>
    isJsonObject(agent) && typeof agent.model === 'string' ? [agent.model] : [],
  );
  const used = new Set([model, ...ofAgents]);
  for (const name of used) for (const fallback of fallbacksOf(models, name)) used.add(fallback);
  return [...used];
}

/** Those that have to stand in for a model. */
function fallbacksOf(models: JsonValue | undefined, name: string): readonly string[] {
  const block = isJsonObject(models) && Object.hasOwn(models, name) ? models[name] : undefined;
  const names = isJsonObject(block) && Array.isArray(block.fallback) ? block.fallback : [];
  return names.filter((fallback) => typeof fallback === 'string');
}

/** By what stands in the block, or by the channel's default. In doubt it is on: then all of it has to be right. */
function isOn(blocks: JsonValue | undefined, name: string, channels: ChannelSettings): boolean {
  const block = isJsonObject(blocks) ? blocks[name] : undefined;
  if (isJsonObject(block) && block.enabled !== undefined) return block.enabled !== false;
  const defaults: unknown = Object.hasOwn(channels, name) ? channels[name]?.safeParse({}).data : undefined;
  return !isJsonObject(defaults) || defaults.enabled !== false;
}

function isSwitchedOff(blocks: JsonValue | undefined, name: string): boolean {
  const block = isJsonObject(blocks) && Object.hasOwn(blocks, name) ? blocks[name] : undefined;
  return isJsonObject(block) && block.enabled === false;
}

function blockNames(places: readonly KeyPath[], parent: string): readonly (string | number | undefined)[] {
  return places.filter(([first]) => first === parent).map(([, second]) => second);
}

function changed(
  root: JsonObject,
  key: string,
  change: (block: JsonValue, name: string) => JsonValue | undefined,
): JsonObject {
  const blocks = root[key];
  if (!isJsonObject(blocks)) return {};
  const kept = Object.entries(blocks).flatMap(([name, block]) => {
    const after = change(block, name);
    return after === undefined ? [] : [[name, after] as const];
  });
  return { [key]: Object.fromEntries(kept) };
}
