import type { Node } from 'jsonc-parser';
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { type Expected, oneOf, type Problem, problemsIn } from '../lib/schema-problems.ts';
import { withFallbacks } from '../models/language-model.ts';
import { knownKeys } from '../tools/arguments.ts';
import { foundValue, holdsSecret, type KeyPath, type PlacedFault } from './config-error.ts';
import { crossFaults, fallbacksIn, objectIn } from './cross-checks.ts';
import type { Substitution } from './environment.ts';
import { withPluggedChannels } from './extension-settings.ts';
import { type ChannelSettings, type Config, configSchema } from './schema.ts';
import { faultAt, faultAtKey, nodeAt } from './source.ts';

/**
 * The config of a parsed file, and its faults but those of its syntax and of tools. Where there are faults, the config
 * is the valid part, for further checks; undefined if too little is valid.
 */
export function validate(
  { value, unset, missing, faults: ofVariables }: Substitution,
  tree: Node | undefined,
  channels: ChannelSettings,
): { readonly config: Config | undefined; readonly faults: readonly PlacedFault[] } {
  const known = withPluggedChannels(channels, value);
  const isNeeded = neededPlaces(value, known);
  const found = [
    ...ofVariables,
    ...missing.filter(({ path }) => isNeeded(path)),
    ...crossFaults(value, tree, Object.keys(channels)),
  ];
  const schema = configSchema(known);
  const result = schema.safeParse(value);
  const issues = result.success ? [] : result.error.issues.filter((issue) => !isUnset(issue.path, unset));
  const faults = [...found, ...onePerKey(explainIssues(issues.slice(0, mostIssues), schema, tree))];
  if (result.success) return { config: result.data, faults };
  const used = withoutBlocks(value, unset);
  const config = schema.safeParse(used).data ?? schema.safeParse(withoutKeys(used, result.error.issues)).data;
  return { config, faults };
}

/** Each costs a search in the text, and nobody reads more. */
const mostIssues = 200;

/** Keeps the last fault of each value: the most specific. */
function onePerKey(faults: readonly PlacedFault[]): readonly PlacedFault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault.path), fault])).values()];
}

function isUnset(path: readonly PropertyKey[], unset: readonly KeyPath[]): boolean {
  return unset.some((place) => place.every((segment, index) => segment === path[index]));
}

/** Without the top-level keys that have issues; undefined if the tools can't be understood without them. */
function withoutKeys(value: JsonValue, issues: z.ZodError['issues']): JsonValue | undefined {
  const keys = new Set(
    issues.flatMap((issue) => issue.path[0] ?? (issue.code === 'unrecognized_keys' ? issue.keys : [])),
  );
  if (['tools', 'custom_tools', 'composed_tools'].some((key) => keys.has(key)) || !isJsonObject(value))
    return undefined;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key)));
}

/** Whether anything depends on a place: false in a channel or server that is off, and in a model that is not used. */
function neededPlaces(value: JsonValue, channels: ChannelSettings): (path: KeyPath) => boolean {
  const model = isJsonObject(value) ? value.model : undefined;
  const ofAgents = Object.values(objectIn(value, 'agents')).flatMap((agent) =>
    isJsonObject(agent) && typeof agent.model === 'string' ? [agent.model] : [],
  );
  const fallbacksOf = fallbacksIn(objectIn(value, 'models'));
  const used = typeof model === 'string' ? withFallbacks([model, ...ofAgents], fallbacksOf) : undefined;
  return ([first, second]) => {
    if (typeof second !== 'string') return true;
    if (first === 'models') return used === undefined || used.has(second);
    if (first !== 'mcp_servers' && first !== 'channels') return true;
    const { enabled } = objectIn(objectIn(value, first), second);
    if (first === 'mcp_servers' || enabled !== undefined) return enabled !== false;
    // If unsure, it counts as on, and must be valid.
    const defaults: unknown = Object.hasOwn(channels, second) ? channels[second]?.safeParse({}).data : undefined;
    return !isJsonObject(defaults) || defaults.enabled !== false;
  };
}

/** The config without the models, channels and servers that contain these places, on which nothing depends. */
function withoutBlocks(value: JsonValue, places: readonly KeyPath[]): JsonValue {
  if (!isJsonObject(value)) return value;
  const left = { ...value };
  for (const [key = '', name = ''] of places) {
    if (key !== 'models' && key !== 'channels' && key !== 'mcp_servers') continue;
    const { [name]: _unused, ...others } = objectIn(left, key);
    left[key] = key === 'channels' ? { ...others, [name]: { enabled: false } } : others;
  }
  return left;
}

/** More faults of one kind are useless, and each costs a search for a similar key. */
const mostOfAnIssue = 60;

/** The keys that the schema knows at a place. */
type KeysAt = (path: KeyPath) => readonly string[];

/** Issues of zod in words for the operator, at the places in the file that must change. */
function explainIssues(
  issues: readonly z.core.$ZodIssue[],
  schema: z.core.$ZodType,
  tree: Node | undefined,
): readonly PlacedFault[] {
  let shape: JsonObject | undefined;
  const keysAt: KeysAt = (path) => {
    shape ??= shapeOf(schema);
    return knownKeys(shape, path).filter((name) => name !== '$schema');
  };
  return issues
    .flatMap((issue) => problemsIn(issue).slice(0, mostOfAnIssue))
    .flatMap((problem) => explain(problem, keysAt, tree));
}

function shapeOf(schema: z.core.$ZodType): JsonObject {
  const written: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return isJsonObject(written) ? written : {};
}

function explain(problem: Problem, keysAt: KeysAt, tree: Node | undefined): readonly PlacedFault[] {
  const path = problem.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment));
  switch (problem.type) {
    case 'unknown-key':
      // The parser has already reported this one.
      return path.at(-1) === '__proto__' ? [] : [faultAtKey(tree, path, unknownKey(path, keysAt))];
    case 'bad-key': {
      const { text, isSentence } = problem.expected;
      return [faultAtKey(tree, path, `this key is invalid: ${isSentence ? text : `expected ${text}.`}`)];
    }
    case 'unexpected':
      return [faultAt(tree, path, unexpected(path, problem.expected, tree))];
  }
}

function unknownKey(path: KeyPath, keysAt: KeysAt): string {
  const key = String(path.at(-1));
  const known = keysAt(path.slice(0, -1));
  const meant = nearest(key, known) ?? (path.length === 1 ? keyFurtherDown(key, known, keysAt) : undefined);
  if (meant !== undefined) return `unknown key. Did you mean "${meant}"?`;
  return known.length > 0 ? `unknown key. Expected ${oneOf(known)}.` : 'unknown key.';
}

/** The place of a key that belongs into one of the blocks: `channels.telegram`. Undefined if several blocks know it. */
function keyFurtherDown(key: string, blocks: readonly string[], keysAt: KeysAt): string | undefined {
  const [found, ...others] = blocks.filter((block) => keysAt([block]).includes(key));
  return found === undefined || others.length > 0 ? undefined : `${found}.${key}`;
}

function unexpected(path: KeyPath, { text, isSentence, options }: Expected, tree: Node | undefined): string {
  if (isSentence) return /[.!?]$/.test(text) ? text : `${text}.`;
  const node = nodeAt(tree, path);
  if (node === undefined) return `missing. Expected ${text}.`;
  const guess = node.type === 'string' && !holdsSecret(path) ? nearest(String(node.value), options) : undefined;
  const hint = guess === undefined ? '' : ` Did you mean "${guess}"?`;
  // If an object or list is expected, a string may be anything, even an API key, so it is not shown.
  const isHidden = node.type === 'string' && (text === 'an object' || text === 'a list');
  return `expected ${text}, but found ${isHidden ? 'a string' : foundValue(node, path)}.${hint}`;
}
