import { isJsonObject, type JsonObject, type JsonValue, own } from '../../lib/json.ts';
import type { ToolDefinition } from '../../transcript.ts';
import { looseValue } from './loose-value.ts';

/** The tools that an answer may call. */
export interface KnownTools {
  readonly names: readonly string[];
  /** Its name as the tool is called, from the spelling of a model: `functions.Read_File:0`. Undefined if there is none. */
  find(written: string): string | undefined;
  /** A value that was written without JSON, as the tool's schema wants it. */
  typedAs(name: string, parameter: string, written: string): JsonValue;
  /** The parameter that a value without a name can only mean. Undefined if there are several, or none. */
  onlyParameter(name: string): string | undefined;
}

export function createKnownTools(tools: readonly ToolDefinition[]): KnownTools {
  return new Tools(tools);
}

class Tools implements KnownTools {
  readonly names: readonly string[];
  readonly #tools: readonly ToolDefinition[];
  readonly #byName: ReadonlyMap<string, ToolDefinition>;
  #bySound: ReadonlyMap<string, string> | undefined;

  constructor(tools: readonly ToolDefinition[]) {
    this.#tools = tools;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    this.names = [...this.#byName.keys()];
  }

  find(written: string): string | undefined {
    const name = bareName(written);
    if (this.#byName.has(name)) return name;
    this.#bySound ??= new Map(this.#tools.map((tool) => [soundOf(tool.name), tool.name]));
    return this.#bySound.get(soundOf(name));
  }

  typedAs(name: string, parameter: string, written: string): JsonValue {
    const properties = own(this.#byName.get(name)?.parameters ?? {}, 'properties');
    const schema = isJsonObject(properties) ? own(properties, parameter) : undefined;
    return typedValue(isJsonObject(schema) ? schema : {}, written);
  }

  onlyParameter(name: string): string | undefined {
    const parameters = this.#byName.get(name)?.parameters ?? {};
    const required = own(parameters, 'required');
    const names = Object.keys(own(parameters, 'properties') ?? {});
    const wanted = Array.isArray(required) && required.length > 0 ? required : names;
    return wanted.length === 1 ? String(wanted[0]) : undefined;
  }
}

/** Without what formats write around a name: `functions.`, `default_api.`, `:0`. */
export function bareName(written: string): string {
  return written
    .trim()
    .replace(/^(?:functions?|tools?|default_api|print)[.:]/i, '')
    .replace(/:\d{1,3}$|\.call$/, '');
}

function soundOf(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

/** A line break at either end belongs to the tag. */
function typedValue(schema: JsonObject, written: string): JsonValue {
  const text = written.replace(/^\r?\n/, '').replace(/\r?\n[ \t]*$/, '');
  const types = [own(schema, 'type')].flat();
  const isText = types.includes('string') || types.every((type) => type === undefined);
  if (isText && !types.some((type) => type === 'object' || type === 'array')) return text;
  const value = looseValue(`${text} `, 0);
  const isWhole = typeof value !== 'string' && text.slice(value.end).trim() === '';
  return isWhole ? value.value : text;
}
