/* What a JSON Schema asks for, as far as a form can show it. What is more than that is typed as JSON. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export type Schema = Readonly<Record<string, unknown>>;

/** How a value is asked for. */
export type Shape =
  | { readonly type: 'text'; readonly isLong: boolean }
  | { readonly type: 'number'; readonly isWhole: boolean }
  | { readonly type: 'yes-no' }
  | { readonly type: 'choice'; readonly options: readonly Json[] }
  | { readonly type: 'list'; readonly of: Schema }
  | { readonly type: 'group'; readonly fields: readonly GroupField[] }
  | { readonly type: 'json' };

export interface GroupField {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** From how many characters on a text has several lines. */
const longText = 300;

export function shapeOf(given: Schema): Shape {
  const schema = withoutNull(given);
  if (Array.isArray(schema.enum)) return { type: 'choice', options: schema.enum.filter(isJson) };
  if ('const' in schema && isJson(schema.const)) return { type: 'choice', options: [schema.const] };
  switch (schema.type) {
    case 'string':
      return {
        type: 'text',
        isLong: !(typeof schema.maxLength === 'number' && schema.maxLength <= longText) && !schema.format,
      };
    case 'number':
    case 'integer':
      return { type: 'number', isWhole: schema.type === 'integer' };
    case 'boolean':
      return { type: 'yes-no' };
    case 'array':
      return isSchema(schema.items) ? { type: 'list', of: schema.items } : { type: 'json' };
    case 'object':
      return groupOf(schema);
  }
  return { type: 'json' };
}

/** The same without the possibility of nothing: then it is left out. */
function withoutNull(schema: Schema): Schema {
  const { type } = schema;
  if (Array.isArray(type)) {
    const others = type.filter((one) => one !== 'null');
    return others.length === 1 ? { ...schema, type: others[0] } : schema;
  }
  const either = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(either)) return schema;
  const others = either.filter(isSchema).filter((one) => one.type !== 'null');
  const [only] = others;
  if (others.length === 1 && only !== undefined) return { ...schema, anyOf: undefined, oneOf: undefined, ...only };
  const constants = others.flatMap((one) => ('const' in one && isJson(one.const) ? [one.const] : []));
  return constants.length === others.length && constants.length > 0 ? { ...schema, enum: constants } : schema;
}

function groupOf({ properties, required }: Schema): Shape {
  if (!isSchema(properties) || Object.keys(properties).length === 0) return { type: 'json' };
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: isSchema(schema) ? schema : {},
    isRequired: needed.includes(name),
  }));
  return { type: 'group', fields: fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired)) };
}

/** The fields of a tool's arguments. */
export function fieldsOf(schema: Schema): readonly GroupField[] {
  const shape = groupOf(schema);
  return shape.type === 'group' ? shape.fields : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJson(value: unknown): value is Json {
  return value !== undefined && typeof value !== 'function';
}

export function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined: it is no JSON. */
export function jsonIn(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

export function descriptionOf({ description }: Schema): string | undefined {
  return typeof description === 'string' && description !== '' ? description : undefined;
}
