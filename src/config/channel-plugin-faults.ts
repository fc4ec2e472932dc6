import type { Node } from 'jsonc-parser';
import { isJsonObject, type JsonValue } from '../lib/json.ts';
import type { PlacedFault } from './placed-fault.ts';
import { keyOffsetOf } from './source.ts';

/** Names that have, or will have, a meaning of their own before the colon of an id. */
const reserved: readonly string[] = ['device', 'web', 'owner', 'category'];

/** Channels from elsewhere that would take the name of one that there is already. */
export function channelPluginFaults(
  value: JsonValue,
  builtin: readonly string[],
  tree: Node | undefined,
): readonly PlacedFault[] {
  const plugins = isJsonObject(value) && isJsonObject(value.channel_plugins) ? value.channel_plugins : {};
  const taken = Object.keys(plugins).filter((name) => builtin.includes(name) || reserved.includes(name));
  return taken.map((name) => {
    const path = ['channel_plugins', name];
    return { offset: keyOffsetOf(tree, path), path, text: "this name is Keyturn's own. Give the channel another." };
  });
}
