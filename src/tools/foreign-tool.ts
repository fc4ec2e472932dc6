import { hash } from 'node:crypto';
import { once } from '../lib/background.ts';
import { type JsonObject, type JsonValue, jsonCopy } from '../lib/json.ts';
import { inlineCode, oneLine, reveal } from '../lib/plain-text.ts';
import { type InLanguage, type Language, type Words, wordsIn } from '../lib/words.ts';
import { coveredBy, coveredByNamed, targetsOf } from './targets.ts';
import { type CallAuthoring, type Tool, toolOf } from './tool.ts';
import { toolsWords } from './words.ts';

/** A tool that was not written here: its parameters are a foreign JSON Schema. */
export interface ForeignToolAuthoring extends Omit<CallAuthoring<JsonObject>, 'describeCall'> {
  readonly description: string;
  /** The JSON Schema of an object, sent to the model unchanged. */
  readonly parameters: JsonObject;
  /** Default: the name and the arguments, cut to length. */
  describeCall?(args: JsonObject, reader: { readonly language: Language }): Words;
  /** The parameters that name a call's targets. Default: found by their names. */
  readonly targets?: readonly string[] | undefined;
  /** Whether who gets the arguments checks them as well. Then a schema that cannot be used here costs nothing. */
  readonly isCheckedElsewhere?: boolean;
  /** The parameters that are texts, worded by the model. Default: found by their names. */
  readonly freeText?: readonly string[] | undefined;
}

/**
 * Makes a tool from a JSON Schema. Arguments are repaired and validated before anything else sees them; an unusable
 * schema makes every call invalid, with the reason.
 */
export function foreignTool(authoring: ForeignToolAuthoring): Tool {
  const { name, description, parameters, targets, freeText, isCheckedElsewhere } = authoring;
  const compiled = once(async () =>
    (await import('./json-validator.ts')).jsonValidator(parameters, isCheckedElsewhere),
  );
  return toolOf<JsonObject>(
    {
      ...authoring,
      describeCall: (args, reader) => authoring.describeCall?.(args, reader) ?? callDescription(inlineCode(name), args),
      facets: async (args) => ({
        targets: targetsOf(parameters, args, targets),
        covers: targets === undefined ? coveredBy(parameters, args, freeText) : coveredByNamed(args, targets),
        freeText,
        ...(await authoring.facets?.(args)),
      }),
    },
    async () => ({ description, parameters }),
    async (args) => (await compiled())(args),
  );
}

/** A call in words: `what` is called, in markdown, with the two arguments that tell most, cut to length. */
export function callDescription(what: Words, args: JsonObject): InLanguage {
  const ranked = Object.entries(args)
    .filter(([, value]) => value !== null && value !== '')
    .map(([key, value], place) => ({ key, value, rank: rankOf(key) * 1_000 + place }))
    .sort((one, other) => one.rank - other.rank);
  const told = ranked.slice(0, 2).map(({ key, value }) => ({
    key: oneLine(key.replaceAll(/[^\p{L}\p{N}]+/gu, ' '), 40),
    value: inlineCode(shortly(value)),
  }));
  const more = ranked.length - told.length;
  return (language) => toolsWords[language].call({ what: wordsIn(language, what), args: told, more });
}

/** Names of arguments that say what a call is about, the most telling first. */
const telling =
  'path file filename source uri url to recipient recipients channel title subject name query command message text id';

function rankOf(key: string): number {
  const place = telling.split(' ').indexOf(key.toLowerCase().replaceAll(/[^a-z]/g, ''));
  return place < 0 ? 99 : place;
}

function shortly(value: JsonValue): string {
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value), 80);
}

/** No model accepts longer names. */
export const longestToolName = 64;
/** The length of the hash at the end of a name, in hex digits. */
const markLength = 8;

/** A unique name: it ends with a hash of what it stands for. */
export function markedName(plain: string, stands: string): string {
  const mark = hash('sha256', stands).slice(0, markLength);
  return `${plain.slice(0, longestToolName - markLength - 1)}_${mark}`;
}

/** The keywords of a schema that a model reads as words rather than as values. */
const worded: readonly string[] = ['title', 'description'];

/** A copy of a schema, with the hidden characters in its words revealed. */
export function revealedSchema(schema: JsonObject): JsonObject {
  return jsonCopy(schema, (key, part) => (typeof part === 'string' && worded.includes(key) ? reveal(part) : part));
}
