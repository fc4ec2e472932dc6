import { isJsonObject, type JsonObject, type JsonValue, own } from '../lib/json.ts';
import type { ToolDefinition } from '../transcript.ts';

/**
 * A tool told in short: the first sentence of its description, and its parameters by name and type, with the required
 * ones marked. Calls with right arguments are as valid as before; `find_tools` gives the rest.
 */
export function shortDefinition({ name, description, parameters }: ToolDefinition): ToolDefinition {
  const properties = own(parameters, 'properties');
  const required = own(parameters, 'required');
  const isRequired = (key: string): boolean => Array.isArray(required) && required.includes(key);
  const all = isJsonObject(properties) ? Object.entries(properties) : [];
  const named = all.filter(([key], index) => index < mostNames || isRequired(key));
  const marked = named.map(([key]) => key).filter(isRequired);
  return {
    name,
    description: firstSentence(description),
    parameters: {
      type: 'object',
      properties: Object.fromEntries(named.map(([key, schema]) => [key, shortSchema(schema)])),
      ...(marked.length === 0 ? {} : { required: marked }),
    },
  };
}

/** Its first sentence or line, cut to length. */
export function firstSentence(description: string): string {
  const sentence = /^[\s\S]*?(?:[.!?](?=\s+[^\sa-z])|[.!?]$|[。！？]|(?=\n))/.exec(description.trim());
  const first = sentence?.[0] ?? description.trim();
  return first.length <= longestSentence ? first : `${first.slice(0, longestSentence).toWellFormed()}…`;
}

/** A type, the items of a list, and few values: what cannot be guessed from a name. Anything else is tried out. */
function shortSchema(schema: JsonValue, depth = 0): JsonObject {
  if (!isJsonObject(schema)) return {};
  const [type, values, items] = [own(schema, 'type'), own(schema, 'enum'), own(schema, 'items')];
  return {
    ...(typeof type === 'string' || Array.isArray(type) ? { type } : {}),
    ...(Array.isArray(values) && JSON.stringify(values).length <= longestValues ? { enum: values } : {}),
    ...(items === undefined || depth > 1 ? {} : { items: shortSchema(items, depth + 1) }),
  };
}

/** In characters. */
const [longestSentence, longestValues] = [160, 80];
const mostNames = 30;
