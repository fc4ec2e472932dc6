import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { normaliseSchema } from '../schema/normalise-schema.ts';

/**
 * The parameters of a tool as a Markdown list: name, type, whether it must be there, default, allowed values, description,
 * with what objects and lists hold below them. Has no more than 120 lines, and goes no more than 5 levels deep.
 */
export function describeParameters(schema: JsonObject): readonly string[] {
  const lines: string[] = [];
  for (const line of inner(normaliseSchema(schema, 'conservative'), 0)) {
    if (lines.length === mostLines) return [...lines, '- … (more that is not shown here)'];
    lines.push(line);
  }
  return lines;
}

/** What an object or a list holds, a line each. */
function* inner(schema: JsonValue | undefined, depth: number): Generator<string> {
  if (depth >= deepest || !isJsonObject(schema)) return;
  const required = strings(schema.required);
  for (const [name, property] of Object.entries(isJsonObject(schema.properties) ? schema.properties : {})) {
    yield `${indent(depth)}- \`${oneLine(name, longestName)}\` ${summary(property, required.includes(name))}`;
    yield* inner(property, depth + 1);
  }
  for (const item of itemsOf(schema)) {
    yield* headed(`${indent(depth)}- each ${summary(item, false)}`, inner(item, depth + 1));
  }
  for (const [index, variant] of variantsOf(schema).entries()) {
    yield* headed(`${indent(depth)}- either way ${index + 1} ${summary(variant, false)}`, inner(variant, depth + 1));
  }
}

/** The lines below their heading, if there are any. */
function* headed(heading: string, lines: Iterable<string>): Generator<string> {
  let isFirst = true;
  for (const line of lines) {
    if (isFirst) yield heading;
    isFirst = false;
    yield line;
  }
}

function indent(depth: number): string {
  return '  '.repeat(depth);
}

/** `(string, required, default "a"): What it is.` */
function summary(written: JsonValue | undefined, isRequired: boolean): string {
  const schema = isJsonObject(written) ? written : {};
  const facts = [
    typeOf(schema),
    ...(isRequired ? ['required'] : []),
    ...(schema.default === undefined ? [] : [`default ${short(schema.default)}`]),
  ];
  const description = typeof schema.description === 'string' ? oneLine(schema.description, longestDescription) : '';
  return `(${facts.join(', ')})${description === '' ? '' : `: ${description}`}`;
}

function typeOf(written: JsonValue | undefined, depth = 0): string {
  if (!isJsonObject(written) || depth >= deepest) return 'any';
  if (Array.isArray(written.enum)) return `one of ${listed(written.enum.map(short))}`;
  const variants = variantsOf(written);
  if (variants.length > 0) return [...new Set(variants.map((variant) => typeOf(variant, depth + 1)))].join(' or ');
  const types = typeof written.type === 'string' ? [written.type] : strings(written.type);
  if (types.length === 0) return isJsonObject(written.properties) ? 'object' : 'any';
  return types.map((type) => (type === 'array' ? listType(written, depth) : type)).join(' or ');
}

function listType(schema: JsonObject, depth: number): string {
  const [item] = itemsOf(schema);
  return item === undefined ? 'list' : `list of ${typeOf(item, depth + 1)}`;
}

function itemsOf({ items, prefixItems }: JsonObject): readonly JsonValue[] {
  if (isJsonObject(items)) return [items];
  return [...(Array.isArray(items) ? items : []), ...(Array.isArray(prefixItems) ? prefixItems : [])].slice(
    0,
    mostVariants,
  );
}

function variantsOf({ anyOf, oneOf }: JsonObject): readonly JsonValue[] {
  return [anyOf, oneOf].flatMap((variants) => (Array.isArray(variants) ? variants : [])).slice(0, mostVariants);
}

function strings(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function listed(values: readonly string[]): string {
  const shown = values.slice(0, mostValues).join(', ');
  return values.length <= mostValues ? shown : `${shown}, … (${values.length - mostValues} more)`;
}

function short(value: JsonValue): string {
  return oneLine(JSON.stringify(value), longestValue);
}

const mostLines = 120;
const deepest = 5;
const mostVariants = 8;
const mostValues = 40;
const longestName = 64;
const longestValue = 100;
const longestDescription = 500;
