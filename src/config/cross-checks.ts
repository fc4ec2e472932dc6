import { z } from 'zod';
import type { JsonObject } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import { oneOf } from '../lib/schema-problems.ts';
import { zoneSettingFault } from '../lib/time-zone-names.ts';
import { type Words, wordsIn } from '../lib/words.ts';
import { withFallbacks } from '../models/language-model.ts';
import { matchesAny } from '../tools/registry.ts';
import { jsonTypes, parameterNames } from '../tools/sources/parameters.ts';
import { type Finding, foundValue, type KeyPath, spellPath } from './config-error.ts';
import { enabledChannels } from './extension-settings.ts';
import { foreignModel } from './foreign-names.ts';
import type { Config } from './schema.ts';
import type { Around, Brought } from './settings-part.ts';
import { builtinNames } from './tool-rules.ts';
import { configWords } from './words.ts';

/** The value of `model` that chooses no language model. */
export const offlineName = 'offline';

/** Prefixes of ids that have, or will have, a meaning of their own. */
export const reservedChannels: readonly string[] = ['device', 'web', 'webhook', 'machine', 'owner', 'category'];

/** Faults between values that are each valid alone. */
export async function crossFaults({ config, brought }: Around): Promise<readonly Finding[]> {
  return [
    ...modelFaults(config),
    ...peopleFaults(config),
    ...groupFaults(config),
    ...nameFaults(config, brought),
    ...chatFaults(config),
    ...searchFaults(config),
    ...ownToolFaults(config),
    ...(await customFaults(config)),
  ];
}

/** A fault of the key itself. */
export function keyFault(path: KeyPath, text: Words): Finding {
  return { path, text, isKey: true };
}

function* modelFaults({ model, models, agents }: Config): Generator<Finding> {
  const names = Object.keys(models);
  if (Object.hasOwn(agents, 'defaults'))
    yield keyFault(['agents', 'defaults'], (language) => configWords[language].agentDefaults);
  if (names.includes(offlineName))
    yield keyFault(['models', offlineName], (language) => configWords[language].offlineIsNone);
  if (model === undefined && names.length > 1)
    yield { path: ['model'], text: (language) => configWords[language].whichModel({ known: oneOf(names, language) }) };
  yield* unknownModel(['model'], model, [...names, offlineName]);
  for (const [name, agent] of Object.entries(agents))
    yield* unknownModel(['agents', name, 'model'], agent.model, [...names, offlineName]);
  for (const [name, { fallback = [] }] of Object.entries(models)) {
    for (const [index, other] of fallback.entries()) {
      const path = ['models', name, 'fallback', index];
      yield* unknownModel(path, other, [...names.filter((each) => each !== name), ...(other === name ? [name] : [])]);
      if (other === name) yield { path, text: (language) => configWords[language].ownFallback };
      else if (withFallbacks([other], (each) => models[each]?.fallback ?? []).has(name))
        yield { path, text: (language) => configWords[language].fallbackCircle({ other, name }) };
    }
  }
}

function* chatFaults({ chats, models, agents }: Config): Generator<Finding> {
  const names = Object.keys(agents);
  for (const [chat, { model, agent }] of Object.entries(chats)) {
    yield* unknownModel(['chats', chat, 'model'], model, [...Object.keys(models), offlineName]);
    if (agent === undefined || names.includes(agent)) continue;
    const path = ['chats', chat, 'agent'];
    const meant = nearest(agent, names);
    yield {
      path,
      text: (language) => {
        const found = foundValue(agent, path, language);
        if (names.length === 0) return configWords[language].noAgents({ found });
        return configWords[language].noAgent({ found, known: oneOf(names, language), meant });
      },
    };
  }
}

function* unknownModel(path: KeyPath, name: string | undefined, known: readonly string[]): Generator<Finding> {
  if (name === undefined || known.includes(name)) return;
  const foreign = foreignModel(name);
  const meant = nearest(name, known);
  yield {
    path,
    text: (language) => {
      const found = foundValue(name, path, language);
      if (foreign !== undefined) return configWords[language].noModelDescribe({ found, ...foreign });
      if (known.length === 0) return configWords[language].noModel({ found });
      return configWords[language].noModelExpected({ found, known: oneOf(known, language), meant });
    },
  };
}

/** Time zones of groups that are none. The settings of channels cannot know. */
function* groupFaults({ channels }: Config): Generator<Finding> {
  for (const [channel, { groups }] of enabledChannels(channels))
    for (const [group, { time_zone: zone }] of Object.entries(groups)) {
      const text = zone === undefined ? undefined : zoneSettingFault(zone);
      if (text !== undefined) yield { path: ['channels', channel, 'groups', group, 'time_zone'], text };
    }
}

/** Accounts that `people` contains more than once. */
function* peopleFaults({ people }: Config): Generator<Finding> {
  const places = new Map<string, string>();
  for (const [name, person] of Object.entries(people)) {
    const [accounts, place] = Array.isArray(person) ? [person, []] : [person.accounts, ['accounts']];
    for (const [index, account] of accounts.entries()) {
      const path = ['people', name, ...place, index];
      const before = places.get(account);
      if (before !== undefined)
        yield { path, text: (language) => configWords[language].sameAccount({ place: before }) };
      else places.set(account, spellPath(path));
    }
  }
}

/** Faults where the config names tools: a name that matches none would protect or limit nothing. */
function* nameFaults(config: Config, brought: Brought): Generator<Finding> {
  const { enabled, policy, require_for } = config.approval;
  if (enabled && policy === 'require_for_tools' && require_for.length === 0)
    yield keyFault(['approval', 'policy'], (language) => configWords[language].asksNothing);
  for (const [list, rules] of [...listsOf(config), ...brought.toolLists])
    for (const [index, rule] of rules.entries()) yield* unknownTool([...list, index], rule, config, brought);
  for (const rule of Object.keys(config.tools.rate_limits))
    for (const fault of unknownTool(['tools', 'rate_limits', rule], rule, config, brought))
      yield { ...fault, isKey: true };
}

/** Every list of tool names and patterns, except for tools that a server or device names. */
function* listsOf({ approval, tools, agents }: Config): Generator<readonly [KeyPath, readonly string[]]> {
  yield [['approval', 'dangerous_tools'], approval.dangerous_tools];
  yield [['approval', 'require_for'], approval.require_for];
  for (const [path, { disabled, only }] of [
    [['tools'], tools] as const,
    ...Object.entries(tools.per_chat).map(([place, lists]) => [['tools', 'per_chat', place], lists] as const),
  ]) {
    yield [[...path, 'disabled'], disabled];
    yield [[...path, 'only'], only];
  }
  for (const [name, agent] of Object.entries(agents)) yield [['agents', name, 'tools'], agent.tools];
}

/** A rule that matches no tool. A category always matches. */
function* unknownTool(path: KeyPath, rule: string, config: Config, brought: Brought): Generator<Finding> {
  const { custom_tools } = config;
  const { toolNames, unknownTools } = brought;
  // What a server brings is not known, so it is no guess either.
  const named = toolNames.filter((name) => !name.endsWith('_*'));
  const known = [...builtinNames(config), ...custom_tools.map(({ name }) => name), ...named];
  const servers = toolNames.filter((name) => name.endsWith('_*')).map((name) => name.slice(0, -2));
  // Tools of a server begin with its name.
  const isKnown = known.some((name) => matchesAny([rule], name)) || servers.some((name) => rule.startsWith(`${name}_`));
  if (isKnown || rule.includes(':')) return;
  // The config then allows tools whose names it does not know.
  const isUnsure = servers.length > 0 || unknownTools.length > 0;
  const isPattern = rule.includes('*');
  const meant = isPattern ? undefined : nearest(rule, known);
  if (isUnsure && meant === undefined) return;
  yield {
    path,
    text: (language) => {
      const say = configWords[language];
      return isPattern ? say.noToolMatches({ rule }) : say.noTool({ rule, meant, isUnsure });
    },
  };
}

function* searchFaults({ tools: { web_search } }: Config): Generator<Finding> {
  const { enabled, engine, api_key } = web_search;
  const needed = engine === 'searxng' ? 'base_url' : 'api_key';
  const isUseless = engine === 'duckduckgo' && api_key !== '';
  const isLacking = engine !== 'duckduckgo' && (web_search[needed] ?? '') === '';
  if (!enabled || !(isUseless || isLacking)) return;
  yield {
    path: ['tools', 'web_search', 'engine'],
    text: (language) =>
      isUseless ? configWords[language].noSearchKey : configWords[language].searchNeeds({ engine, key: needed }),
  };
}

/** Custom tools of one name. One may replace a builtin tool. */
function* ownToolFaults({ custom_tools: tools }: Config): Generator<Finding> {
  yield* twinFaults(
    'custom_tools',
    tools.map(({ name }) => name),
  );
}

/** Tools of one list with the same name. */
export function* twinFaults(list: string, names: readonly string[]): Generator<Finding> {
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index)
      yield { path: [list, index, 'name'], text: (language) => configWords[language].sameToolName };
}

/** Commands are parsed as a shell does; the parser is loaded only if there are any. */
async function customFaults({ custom_tools: tools }: Config): Promise<readonly Finding[]> {
  if (tools.length === 0) return [];
  const { readTemplate } = await import('../tools/sources/custom/command-template.ts');
  const faults: Finding[] = [];
  for (const [index, { command, parameters }] of tools.entries()) {
    const blame = (key: string, text: Words) => faults.push({ path: ['custom_tools', index, key], text });
    const unusable = await schemaFaultOf(parameters);
    if (unusable !== undefined)
      blame('parameters', (language) => configWords[language].noSchema({ fault: wordsIn(language, unusable) }));
    const reading = readTemplate(command, parameterNames(parameters));
    if (!reading.valid) for (const text of reading.faults) blame('command', text);
  }
  return faults;
}

/** Schemas made from the short form are always valid, and the validator is slow to load. */
async function schemaFaultOf(schema: JsonObject): Promise<string | undefined> {
  if (shortForm.safeParse(schema).success) return undefined;
  return (await import('../tools/json-validator.ts')).schemaFault(schema);
}

const shortForm = z.strictObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.strictObject({ type: z.enum(jsonTypes), description: z.optional(z.string()) })),
  required: z.array(z.string()),
  additionalProperties: z.literal(false),
});
