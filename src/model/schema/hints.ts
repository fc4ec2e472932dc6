/** Says in words what a provider's schemas can't say. Each is short, and together they stay short. */
import type { JsonValue } from '../../lib/json.ts';
import { isNull, type Shape, type TypeName, typesOf } from './shape.ts';

const longestHint = 120;
const longestOfAll = 300;

/** The description with the hints behind it. */
export function describe(description: string | undefined, hints: readonly string[]): string | undefined {
  const said: string[] = [];
  let room = longestOfAll;
  for (const hint of new Set(hints)) {
    const short = hint.replaceAll(/\s+/g, ' ').trim();
    if (short === '' || short.length > Math.min(longestHint, room)) continue;
    said.push(short);
    room -= short.length + 2;
  }
  if (said.length === 0) return description;
  const text = said.join('; ');
  return description === undefined
    ? text.charAt(0).toUpperCase() + text.slice(1)
    : `${description.trimEnd()} (${text})`;
}

/** What a limit means. Nothing where it can't be said briefly. */
export function limitHint(name: string, value: JsonValue): string {
  const word = limitWords.get(name);
  return word === undefined ? '' : word.replace('#', () => String(value)).replace(/^(.* 1 \w+)s$/, '$1');
}

const limitWords: ReadonlyMap<string, string> = new Map([
  ['minLength', 'at least # characters'],
  ['maxLength', 'at most # characters'],
  ['pattern', 'matches #'],
  ['format', 'format: #'],
  ['minimum', 'at least #'],
  ['maximum', 'at most #'],
  ['exclusiveMinimum', 'more than #'],
  ['exclusiveMaximum', 'less than #'],
  ['multipleOf', 'a multiple of #'],
  ['minItems', 'at least # items'],
  ['maxItems', 'at most # items'],
  ['uniqueItems', 'no item twice'],
  ['minProperties', 'at least # names'],
  ['maxProperties', 'at most # names'],
]);

/** The values that are allowed, as many as there is room for. */
export function valuesHint(values: readonly JsonValue[]): string {
  const [only, second] = values;
  if (only !== undefined && second === undefined) return `always ${JSON.stringify(only)}`;
  let text = 'one of ';
  for (const [index, value] of values.entries()) {
    const next = `${index === 0 ? '' : ', '}${JSON.stringify(value)}`;
    if (text.length + next.length > longestHint - 3) return index === 0 ? '' : `${text}, …`;
    text += next;
  }
  return text;
}

/** As many of the names as there is room for. */
export function listed(names: readonly string[]): string {
  const some = names.slice(0, 8).join(', ');
  return names.length > 8 ? `${some}, …` : some;
}

/** What an object needs in each variant of a union, if that tells them apart. */
export function alternativesHint(variants: readonly Shape[]): string | undefined {
  const needed = variants.map(({ required = [], properties }) =>
    required.map((name) => {
      const [value, other] = properties?.get(name)?.values ?? [];
      return typeof value === 'string' && other === undefined ? `${name} ${JSON.stringify(value)}` : name;
    }),
  );
  if (variants.length > 8) return undefined;
  const texts = [...new Set(needed.map((names) => names.join(' and ')))];
  if (texts.length < 2 || texts.includes('')) return undefined;
  return `give ${texts.join(', or ')}`;
}

/** The types in words: "a string or an array of numbers". */
export function typesHint(shape: Shape): string {
  const types = typesOf(shape)?.filter((type) => type !== 'null') ?? [];
  return types.map((type) => typeHint(type, shape)).join(' or ');
}

function typeHint(type: TypeName, { items, properties }: Shape): string {
  if (type === 'object' && properties !== undefined) return `an object with ${listed([...properties.keys()])}`;
  const [only, second] = type === 'array' ? (items?.types ?? []) : [];
  if (only !== undefined && second === undefined) return `an array of ${only}s`;
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** The members of a tuple, in their order. */
export function tupleHint(prefix: readonly Shape[]): string {
  return `in this order: ${listed(prefix.map((item) => item.description ?? shortType(item)))}`;
}

/** What may stand under names that are not listed. */
export function additionalHint(additional: Shape): string {
  return `any names, each with ${withArticle(shortType(additional))}`;
}

function shortType(shape: Shape): string {
  return isNull(shape) ? 'null' : (typesOf(shape)?.join(' or ') ?? 'any value');
}

function withArticle(text: string): string {
  return text === 'any value' || text === 'null' ? text : `${/^[aio]/.test(text) ? 'an' : 'a'} ${text}`;
}
