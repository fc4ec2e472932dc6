import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { type Expected, oneOf, type Problem, problemsIn } from '../lib/schema-problems.ts';
import type { Language } from '../lib/words.ts';
import { withFallbacks } from '../models/language-model.ts';
import { knownKeys } from '../tools/arguments.ts';
import { type Finding, foundValue, holdsSecret, type KeyPath } from './config-error.ts';
import { crossFaults } from './cross-checks.ts';
import type { Substitution } from './environment.ts';
import { foreignKey, foreignProvider } from './foreign-names.ts';
import { configSchema } from './join-settings.ts';
import type { ChannelSettings } from './schema.ts';
import type { SettingsContext } from './setting-kinds.ts';
import { type Around, broughtBy, type SettingsPart } from './settings-part.ts';
import { repeatedKeys, type Source } from './source.ts';
import { configWords } from './words.ts';

/** What a config is read as. */
interface ConfigForm extends Omit<SettingsContext, 'channels'> {
  /** Our own. */
  readonly channels: ChannelSettings;
  /** The settings of the features. */
  readonly parts: readonly SettingsPart[];
}

/**
 * The config of a file, or its faults: those of single values, or if there are none, those between values that are each
 * right alone.
 */
export async function validate(
  source: Source,
  { value, unset }: Substitution,
  { channels: ownChannels, parts, ...place }: ConfigForm,
): Promise<{ valid: true; around: Around } | { valid: false; findings: readonly Finding[] }> {
  const plugged = parts.map((part) => part.channels(value));
  const channels = { ...Object.assign({}, ...plugged), ...ownChannels };
  const isNeeded = neededPlaces(value, channels, parts);
  const schema = configSchema(channels, parts, place);
  const result = schema.safeParse(value);
  // Where a variable is not set, there is nothing to validate.
  const isUnset = (path: readonly PropertyKey[]): boolean =>
    unset.some((place) => place.path.every((segment, index) => segment === path[index]));
  const issues = result.success ? [] : result.error.issues.filter(({ path }) => !isUnset(path));
  const missing = unset.filter(({ path }) => isNeeded(path));
  const findings = [...repeatedKeys(source), ...missing, ...explainIssues(issues, schema, source.value)];
  if (findings.length > 0) return { valid: false, findings };
  const config = result.success ? result.data : schema.parse(withoutBlocks(value, unset));
  const brought = broughtBy(parts, config);
  const around = { config, brought, environment: place.environment, ownChannels: Object.keys(ownChannels) };
  const between = [...(await crossFaults(around)), ...parts.flatMap((part) => part.faults(config, around))];
  return between.length > 0 ? { valid: false, findings: between } : { valid: true, around };
}

/** Whether anything depends on a place: false in a channel, or an entry of a feature's, that is off, and in a model that is not used. */
function neededPlaces(
  value: JsonValue,
  channels: ChannelSettings,
  parts: readonly SettingsPart[],
): (path: KeyPath) => boolean {
  const switched = ['channels', ...parts.flatMap((part) => part.switched)];
  const users = ['agents', 'chats'].flatMap((name) => Object.values(objectAt(value, [name])));
  const models = users.map((user) => valueAt(user, ['model']));
  const named = [valueAt(value, ['model']), ...models].filter((model) => typeof model === 'string');
  const used = withFallbacks(named, (name) => {
    const fallback = valueAt(value, ['models', name, 'fallback']);
    return Array.isArray(fallback) ? fallback.filter((model) => typeof model === 'string') : [];
  });
  // The only model is used without being named.
  const isAnyUsed = typeof valueAt(value, ['model']) !== 'string';
  return ([block = '', name]) => {
    if (typeof name !== 'string') return true;
    if (block === 'models') return isAnyUsed || used.has(name);
    if (!switched.some((key) => key === block)) return true;
    const enabled = valueAt(value, [block, name, 'enabled']);
    if (block !== 'channels' || enabled !== undefined) return enabled !== false;
    // If unsure, it counts as on, and must be valid.
    const defaults: unknown = Object.hasOwn(channels, name) ? channels[name]?.safeParse({}).data : undefined;
    return !isJsonObject(defaults) || defaults.enabled !== false;
  };
}

/** The config without the models, channels and servers that contain these places, on which nothing depends. */
function withoutBlocks(value: JsonValue, places: readonly Finding[]): JsonObject {
  const left = { ...objectAt(value, []) };
  for (const { path } of places) {
    const [block = '', name = ''] = path;
    const { [name]: _unused, ...others } = objectAt(left, [block]);
    left[block] = block === 'channels' ? { ...others, [name]: { enabled: false } } : others;
  }
  return left;
}

function objectAt(value: JsonValue, path: KeyPath): JsonObject {
  const found = valueAt(value, path);
  return isJsonObject(found) ? found : {};
}

/** Each costs a search in the text, and nobody reads more. */
const mostProblems = 200;

/** The keys that the schema knows at a place. */
type KeysAt = (path: KeyPath) => readonly string[];

/** Issues of zod in words for the operator: of each value the last, which is the most specific. */
function explainIssues(issues: readonly z.core.$ZodIssue[], schema: z.ZodType, written: JsonValue): readonly Finding[] {
  let shape: JsonObject | undefined;
  const keysAt: KeysAt = (path) => {
    shape ??= shapeOf(schema);
    return knownKeys(shape, path).filter((name) => name !== '$schema');
  };
  // The same in each language, and only so many.
  const found = issues.flatMap((issue) => problemsIn(issue)).slice(0, mostProblems);
  const problems = { en: found, zh: issues.flatMap((issue) => problemsIn(issue, 'zh')).slice(0, mostProblems) };
  const findings = found.map((problem, index) => {
    const text = (language: Language) => explain(problems[language][index] ?? problem, keysAt, written, language);
    return { path: pathOf(problem), isKey: problem.type !== 'unexpected', text };
  });
  return [...new Map(findings.map((finding) => [JSON.stringify(finding.path), finding])).values()];
}

function shapeOf(schema: z.ZodType): JsonObject {
  const shape: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return isJsonObject(shape) ? shape : {};
}

function pathOf({ path }: Problem): KeyPath {
  return path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment));
}

function explain(problem: Problem, keysAt: KeysAt, written: JsonValue, language: Language): string {
  const path = pathOf(problem);
  switch (problem.type) {
    case 'unknown-key':
      return unknownKey(path, keysAt, language);
    case 'bad-key': {
      const { text, isSentence } = problem.expected;
      const say = configWords[language];
      return isSentence ? say.badKey({ text }) : say.badKeyExpected({ expected: text });
    }
    case 'unexpected':
      return unexpected(path, problem.expected, written, language);
  }
}

/** A longer list hides what it says. */
const mostListed = 8;

function unknownKey(path: KeyPath, keysAt: KeysAt, language: Language): string {
  const say = configWords[language];
  const key = String(path.at(-1));
  const known = keysAt(path.slice(0, -1));
  const foreign = foreignKey(path, known);
  if (foreign !== undefined) return say.unknownKeyElsewhere({ advice: foreign(language) });
  const meant = nearest(key, known) ?? (path.length === 1 ? keyFurtherDown(key, known, keysAt) : undefined);
  if (meant !== undefined) return say.unknownKeyMeant({ meant });
  if (known.length > mostListed) return say.unknownKeyOfMany;
  return known.length > 0 ? say.unknownKeyExpected({ known: oneOf(known, language) }) : say.unknownKey;
}

/** The place of a key that belongs into one of the blocks: `channels.telegram`. Undefined if several blocks know it. */
function keyFurtherDown(key: string, blocks: readonly string[], keysAt: KeysAt): string | undefined {
  const [found, ...others] = blocks.filter((block) => keysAt([block]).includes(key));
  return found === undefined || others.length > 0 ? undefined : `${found}.${key}`;
}

function unexpected(path: KeyPath, expected: Expected, written: JsonValue, language: Language): string {
  const say = configWords[language];
  const { text, isSentence, isContainer, options, advice } = expected;
  if (isSentence) return say.sentence({ text });
  const value = valueAt(written, path);
  if (value === undefined) return say.missing({ expected: text, advice: listed(advice) });
  const isText = typeof value === 'string';
  const foreign = isText && path.at(-1) === 'provider' ? foreignProvider(value) : undefined;
  // If an object or list is expected, a string may be anything, even an API key, so it is not shown.
  const found = foreign === undefined && isText && isContainer ? say.aString : foundValue(value, path, language);
  const isGuessed = foreign === undefined && isText && !holdsSecret(path);
  const meant = isGuessed ? nearest(value, options) : undefined;
  return say.found({ expected: text, found, meant, advice: [...listed(foreign?.(language)), ...listed(advice)] });
}

function listed(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [text];
}
