import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import { boundedPattern } from '../../tools/bounded-run.ts';
import type { AskPerson } from '../../tools/tool.ts';
import { formWords } from './words.ts';

interface FormAsker {
  readonly server: string;
  readonly ask: AskPerson;
  readonly timeout: number;
  /** What the person reads. */
  readonly language: Language;
}

/** Wrong answers to a field before the form is cancelled. */
const mostTries = 5;
/** With keep or skip, and decline, a question has no room for more. */
const mostButtons = 8;

type FormWords = (typeof formWords)[Language];

/** Asks a person for each field in turn. Declining one declines the form; no answer, or five wrong ones, cancel it. */
export async function fillForm(
  { message, ...request }: ElicitRequest['params'],
  asker: FormAsker,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const words = formWords[asker.language];
  const schema: unknown = 'requestedSchema' in request ? request.requestedSchema : undefined;
  if (!isJsonObject(schema)) return { action: 'cancel' };
  const server = inlineCode(asker.server);
  const head = words.head({ server, message: escapeMarkdown(oneLine(message, 1500)) });
  const fields = formFields(schema, words);
  if (fields.length === 0) return agree(head, asker, signal);
  const content: Record<string, FieldValue> = {};
  for (const [index, field] of fields.entries()) {
    const begin = index === 0 ? head : words.further({ server });
    const label = escapeMarkdown(field.label);
    const text = words.field({ head: begin, label, index: index + 1, count: fields.length });
    const answer = await askField(field, text, asker, signal);
    if (answer === 'decline' || answer === 'cancel') return { action: answer };
    if (answer !== 'skip') content[field.key] = answer.value;
  }
  return { action: 'accept', content };
}

async function agree(head: string, { ask, timeout, language }: FormAsker, signal: AbortSignal): Promise<ElicitResult> {
  const { buttonAccept, buttonDecline } = formWords[language];
  const answer = await ask({ text: head, options: [buttonAccept, buttonDecline], timeout }, signal);
  if (answer === undefined) return { action: 'cancel' };
  const isAccepted = answer === buttonAccept || /^(?:accept|yes|ok|接受|同意|好|好的|是|可以)$/i.test(answer.trim());
  return isAccepted ? { action: 'accept', content: {} } : { action: 'decline' };
}

type FieldAnswer = 'cancel' | 'decline' | 'skip' | { readonly value: FieldValue };

async function askField(
  field: FormField,
  head: string,
  { ask, timeout, language }: FormAsker,
  signal: AbortSignal,
): Promise<FieldAnswer> {
  const words = formWords[language];
  const { choices, description, hint, fallback, wantsText, isRequired } = field;
  const areButtons = choices.length > 0 && choices.length <= mostButtons && !field.isMultiple;
  const list = choices.map(({ label }, index) => `${index + 1}. ${escapeMarkdown(label)}`).join('\n');
  const wanted = hint === '' ? '' : words.wanted({ hint });
  const parts = [head, escapeMarkdown(description), areButtons ? '' : list, wanted];
  // A field with a default offers that in place of a skip.
  const keep = fallback === undefined ? undefined : keepWords(fallback, choices, words);
  const other = keep ?? (isRequired ? undefined : words.buttonSkip);
  const buttons = areButtons ? choices.map(({ label }) => label) : [];
  const options = [...buttons, ...(other === undefined ? [] : [other]), words.buttonDecline];
  let objection = '';
  for (let tries = 0; tries < mostTries; tries += 1) {
    const text = [objection, ...parts].filter((part) => part !== '').join('\n\n');
    const answer = await ask({ text, options, timeout, ...(!areButtons && { wantsText: true }) }, signal);
    if (answer === undefined) return 'cancel';
    // If any text can be an answer, or one of the choices says this, only the button declines.
    const declines =
      !wantsText && saysDecline.test(answer.trim()) && !choices.some(({ label }) => label === answer.trim());
    if (answer === words.buttonDecline || declines) return 'decline';
    if (fallback !== undefined && answer === keep) return { value: fallback };
    if (answer === other) return 'skip';
    const reading = field.read(answer);
    if ('value' in reading) return reading;
    objection = words.objection({ why: escapeMarkdown(reading.why) });
  }
  return 'cancel';
}

const saysDecline = /^(?:decline|拒绝)$/i;

function keepWords(fallback: FieldValue, choices: readonly Choice[], words: FormWords): string {
  const values = Array.isArray(fallback) ? fallback : [fallback];
  const labels = values.map((one) => choices.find(({ value }) => value === one)?.label ?? String(one));
  return oneLine(words.keep({ values: labels }), 100);
}

interface FormField extends FieldKind {
  readonly key: string;
  /** Plain text. */
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The default. */
  readonly fallback: FieldValue | undefined;
}

/** What may be answered to a field. */
interface FieldKind {
  /** Empty if the answer is text or a number. */
  readonly choices: readonly Choice[];
  readonly isMultiple?: true;
  readonly wantsText?: true;
  /** What may be answered, in a few words; empty if that is obvious. */
  readonly hint: string;
  /** The value, or what is wrong, as a sentence for the person. */
  read(answer: string): { readonly value: FieldValue } | { readonly why: string };
}

interface Choice {
  readonly value: string | boolean;
  /** Unique among the choices. */
  readonly label: string;
}

type FieldValue = string | number | boolean | string[];

/** The fields in order. Unknown schema keywords are left to the server. */
function formFields(schema: JsonObject, words: FormWords): readonly FormField[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([key, given]) => {
    const shape = isJsonObject(given) ? given : {};
    const { title, description } = shape;
    return {
      key,
      label: textOr(title, key),
      description: typeof description === 'string' ? oneLine(description, 500) : '',
      isRequired: required.includes(key),
      fallback: fallbackOf(shape.default),
      ...kindOf(shape, words),
    };
  });
}

function textOr(text: JsonValue | undefined, other: string): string {
  return oneLine(typeof text === 'string' && text.trim() !== '' ? text : other, 100);
}

function fallbackOf(given: JsonValue | undefined): FieldValue | undefined {
  if (Array.isArray(given)) return given.filter((one) => typeof one === 'string');
  return typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? given : undefined;
}

function kindOf(shape: JsonObject, words: FormWords): FieldKind {
  if (shape.type === 'array')
    return severalOf(choicesOf(isJsonObject(shape.items) ? shape.items : {}, words), shape, words);
  const choices = shape.type === 'boolean' ? yesOrNo(words) : choicesOf(shape, words);
  if (choices.length > 0) return oneOf(choices, words);
  return shape.type === 'number' || shape.type === 'integer' ? numberOf(shape, words) : textOf(shape, words);
}

function yesOrNo({ yes, no }: FormWords): readonly Choice[] {
  return [
    { value: true, label: yes },
    { value: false, label: no },
  ];
}

/** In all spellings: `enum`, with or without `enumNames`; `oneOf` or `anyOf` with titles. */
function choicesOf(shape: JsonObject, words: FormWords): readonly Choice[] {
  const titled = [shape.oneOf, shape.anyOf].find(Array.isArray) ?? [];
  const names = Array.isArray(shape.enumNames) ? shape.enumNames : [];
  const values = Array.isArray(shape.enum) ? shape.enum : [];
  const pairs = [
    ...titled.map((one: JsonValue) => (isJsonObject(one) ? [one.const, one.title] : [])),
    ...values.map((value: JsonValue, index) => [value, names[index]]),
  ];
  const choices = pairs.flatMap(([value, name]) =>
    typeof value === 'string' ? [{ value, label: textOr(name, value) }] : [],
  );
  const isPlain = new Set(choices.map(({ label }) => label.toLowerCase())).size === choices.length;
  if (isPlain) return choices;
  return choices.map(({ value, label }) => ({ value, label: oneLine(words.titled({ title: label, value }), 150) }));
}

/** A bound of the schema; without one, the other. */
function boundOf(bound: JsonValue | undefined, other: number): number {
  return typeof bound === 'number' ? bound : other;
}

function numberOf({ type, minimum, maximum }: JsonObject, words: FormWords): FieldKind {
  const isWhole = type === 'integer';
  const [least, most] = [boundOf(minimum, -Infinity), boundOf(maximum, Infinity)];
  const hint = words.number({ isWhole, least, most });
  return {
    choices: [],
    hint,
    read(answer) {
      const said = answer.trim();
      const value = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(said) ? Number(said) : Number.NaN;
      const fits = Number.isFinite(value) && value >= least && value <= most && (!isWhole || Number.isInteger(value));
      return fits ? { value } : { why: words.writeNumber({ hint }) };
    },
  };
}

type HintKey = 'email' | 'uri' | 'date' | 'dateTime';

const forms: Readonly<Record<string, readonly [hint: HintKey, form: z.ZodType]>> = {
  email: ['email', z.string().regex(/^[^\s@]+@[^\s@]+\.[^\s@.]+$/)],
  uri: ['uri', z.string().refine((text) => URL.canParse(text))],
  date: ['date', z.iso.date()],
  'date-time': ['dateTime', z.iso.datetime({ offset: true, local: true })],
};

function textOf({ format, minLength, maxLength, pattern }: JsonObject, words: FormWords): FieldKind {
  const [key, form] = Object.entries(forms).find(([name]) => name === format)?.[1] ?? [];
  const hint = key === undefined ? '' : words[key];
  const [least, most] = [boundOf(minLength, 0), boundOf(maxLength, Infinity)];
  const shape = typeof pattern === 'string' ? patternOf(pattern) : undefined;
  return {
    choices: [],
    wantsText: true,
    hint,
    read(answer) {
      const value = answer.trim();
      const length = [...value].length;
      if (form?.safeParse(value).success === false) return { why: words.write({ hint }) };
      if (length < least) return { why: words.tooShort({ least }) };
      if (length > most) return { why: words.tooLong({ most, length }) };
      return (shape?.(value) ?? true) ? { value } : { why: words.otherForm };
    },
  };
}

/** Undefined if the pattern is invalid: the server then checks it. */
function patternOf(source: string): ReturnType<typeof boundedPattern> | undefined {
  try {
    return boundedPattern(source, 'u');
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

function oneOf(choices: readonly Choice[], words: FormWords): FieldKind {
  return {
    choices,
    hint: '',
    read(answer) {
      const meant = choiceMeant(choices, answer);
      return meant === undefined ? { why: words.noChoice } : { value: meant.value };
    },
  };
}

function severalOf(choices: readonly Choice[], { minItems, maxItems }: JsonObject, words: FormWords): FieldKind {
  const [least, most] = [boundOf(minItems, 0), boundOf(maxItems, choices.length)];
  return {
    choices,
    isMultiple: true,
    hint: words.several({ least, most, count: choices.length }),
    read(answer) {
      const whole = choiceMeant(choices, answer);
      const said = answer.split(/[,;，；、]/).filter((part) => part.trim() !== '');
      const meant = whole === undefined ? said.map((part) => choiceMeant(choices, part)) : [whole];
      const chosen = new Set(meant.flatMap((choice) => (choice === undefined ? [] : [String(choice.value)])));
      if (meant.includes(undefined)) return { why: words.someNoChoice };
      if (chosen.size < least) return { why: words.tooFew({ least }) };
      return chosen.size > most ? { why: words.tooMany({ most }) } : { value: [...chosen] };
    },
  };
}

/** Matches a choice by its label, its value or its number. */
function choiceMeant(choices: readonly Choice[], answer: string): Choice | undefined {
  const said = answer.trim().toLowerCase();
  const [, number] = /^(\d{1,3})[.)]?$/.exec(said) ?? [];
  return (
    choices.find(({ label }) => label.toLowerCase() === said) ??
    choices.find(({ value }) => String(value).toLowerCase() === said) ??
    choices[Number(number) - 1]
  );
}
