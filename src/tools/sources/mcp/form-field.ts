import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { Choice, FieldReader, FieldValue } from './field-reader.ts';
import { readChoice, readChoices } from './read-choices.ts';
import { readNumber } from './read-number.ts';
import { readText } from './read-text.ts';

/** One field of a form that a server wants to have filled in. */
export interface FormField extends FieldReader {
  readonly key: string;
  /** What people call it, and what the server says of it: plain text. */
  readonly label: string;
  readonly description?: string;
  readonly isRequired: boolean;
  /** What counts where the person says nothing else. */
  readonly fallback?: FieldValue;
  /** Empty where the answer is a text or a number. */
  readonly choices: readonly Choice[];
  /** Several of the choices can be meant. */
  readonly isMultiple: boolean;
  /** Any text may be the answer. */
  readonly wantsText: boolean;
}

/** The fields of a form in their order. What a schema says that we do not know is left to the server. */
export function formFields(schema: JsonObject): readonly FormField[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([key, shape]) =>
    fieldOf(key, isJsonObject(shape) ? shape : {}, required.includes(key)),
  );
}

function fieldOf(key: string, shape: JsonObject, isRequired: boolean): FormField {
  const { title, description } = shape;
  const fallback = fallbackOf(shape.default);
  return {
    key,
    label: oneLine(typeof title === 'string' && title.trim() !== '' ? title : key, 100),
    ...(typeof description === 'string' ? { description: oneLine(description, 500) } : {}),
    isRequired,
    ...(fallback === undefined ? {} : { fallback }),
    ...kindOf(shape),
  };
}

type Kind = Pick<FormField, 'choices' | 'isMultiple' | 'wantsText' | 'hint' | 'read'>;

function kindOf(shape: JsonObject): Kind {
  if (shape.type === 'array') {
    const choices = choicesOf(isJsonObject(shape.items) ? shape.items : {});
    return { choices, isMultiple: true, wantsText: false, ...readChoices(choices, shape) };
  }
  const choices = shape.type === 'boolean' ? yesOrNo : choicesOf(shape);
  if (choices.length > 0) return { choices, isMultiple: false, wantsText: false, ...readChoice(choices) };
  const isNumber = shape.type === 'number' || shape.type === 'integer';
  return { choices, isMultiple: false, wantsText: !isNumber, ...(isNumber ? readNumber(shape) : readText(shape)) };
}

const yesOrNo: readonly Choice[] = [
  { value: true, label: 'Yes' },
  { value: false, label: 'No' },
];

/** In all the spellings that there are: `enum`, with `enumNames`, `oneOf` or `anyOf` with titles. */
function choicesOf(shape: JsonObject): readonly Choice[] {
  const titled = [shape.oneOf, shape.anyOf].find(Array.isArray) ?? [];
  const names = Array.isArray(shape.enumNames) ? shape.enumNames : [];
  const values = Array.isArray(shape.enum) ? shape.enum : [];
  const pairs = [
    ...titled.map((one: JsonValue) => (isJsonObject(one) ? [one.const, one.title] : [])),
    ...values.map((value: JsonValue, index) => [value, names[index]]),
  ];
  const choices = pairs.flatMap(([value, name]) =>
    typeof value === 'string' ? [{ value, label: wordsOf(name, value) }] : [],
  );
  const labels = choices.map(({ label }) => label.toLowerCase());
  const isPlain = new Set(labels).size === labels.length;
  return isPlain ? choices : choices.map(({ value, label }) => ({ value, label: oneLine(`${label} (${value})`, 150) }));
}

function wordsOf(name: JsonValue | undefined, value: string): string {
  return oneLine(typeof name === 'string' && name.trim() !== '' ? name : value, 100);
}

function fallbackOf(given: JsonValue | undefined): FieldValue | undefined {
  if (Array.isArray(given)) return given.filter((one) => typeof one === 'string');
  return typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? given : undefined;
}
