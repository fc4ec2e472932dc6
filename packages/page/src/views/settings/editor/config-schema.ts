/* What the schema of the config says of a place. */

import type { WireValue } from '../../../../../../src/features/page/wire/settings.ts';
import type { Path } from './json-place.ts';

export type Schema = { readonly [key: string]: WireValue };

/** The schemas that a value there may follow. */
function schemasAt(root: Schema, path: Path): readonly Schema[] {
  return path.reduce<readonly Schema[]>(
    (found, key) => found.flatMap((schema) => within(schema, key)),
    choicesOf(root),
  );
}

/** The keys that an object there may have, each with what is known of it. */
export function keysAt(root: Schema, path: Path): ReadonlyMap<string, Schema> {
  const known = schemasAt(root, path).flatMap(({ properties }) =>
    isSchema(properties)
      ? Object.entries(properties).flatMap(([name, one]) => (isSchema(one) ? [[name, one] as const] : []))
      : [],
  );
  return new Map(known);
}

/** What may stand there, where that is one of a few. */
export function valuesAt(root: Schema, path: Path): readonly WireValue[] {
  const values = schemasAt(root, path).flatMap((schema): readonly WireValue[] => {
    if (Array.isArray(schema.enum)) return schema.enum;
    if (schema.const !== undefined) return [schema.const];
    if (schema.type === 'boolean') return [true, false];
    return schema.default === undefined || typeof schema.default === 'object' ? [] : [schema.default];
  });
  return [...new Set(values)];
}

/** A sentence or two about it. */
export function descriptionOf({ description }: Schema): string {
  return typeof description === 'string' ? description : '';
}

/** What stands behind a new key until somebody writes its value. */
export function emptyValueOf(schema: Schema): string {
  const [{ type } = schema] = choicesOf(schema);
  switch (type) {
    case 'object':
      return '{}';
    case 'array':
      return '[]';
    case 'string':
      return '""';
    default:
      return '';
  }
}

function within(schema: Schema, key: string | number): readonly Schema[] {
  if (typeof key === 'number') return isSchema(schema.items) ? choicesOf(schema.items) : [];
  const own = isSchema(schema.properties) && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  if (isSchema(own)) return choicesOf(own);
  return isSchema(schema.additionalProperties) ? choicesOf(schema.additionalProperties) : [];
}

/** Itself; or what it lets choose from. */
function choicesOf(schema: Schema): readonly Schema[] {
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((name) => {
    const list = schema[name];
    return Array.isArray(list) ? list.filter(isSchema).flatMap(choicesOf) : [];
  });
  return choices.length === 0 ? [schema] : choices;
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
