import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { boundedPattern } from '../../../tools/bounded-run.ts';
import type { AskPerson } from '../../../tools/tool.ts';

interface FormAsker {
  readonly server: string;
  readonly ask: AskPerson;
  readonly timeout: number;
}

/** Wrong answers to a field before the form is cancelled. */
const mostTries = 5;
/** With keep or skip, and decline, a question has no room for more. */
const mostButtons = 8;

/** Unlikely labels for a choice. */
const decline = '✋ Decline';
const skip = '⏭️ Skip this';

/** Asks a person for each field in turn. Declining one declines the form; no answer, or five wrong ones, cancel it. */
export async function fillForm(
  { message, ...request }: ElicitRequest['params'],
  asker: FormAsker,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const schema: unknown = 'requestedSchema' in request ? request.requestedSchema : undefined;
  if (!isJsonObject(schema)) return { action: 'cancel' };
  const server = inlineCode(asker.server);
  const words = escapeMarkdown(oneLine(message, 1500));
  const head = `The MCP server ${server} asks you for something, and gets what you answer: no passwords.\n\n> ${words}`;
  const fields = formFields(schema);
  if (fields.length === 0) return agree(head, asker, signal);
  const content: Record<string, FieldValue> = {};
  for (const [index, field] of fields.entries()) {
    const begin = index === 0 ? head : `The MCP server ${server} asks further.`;
    const place = fields.length === 1 ? '' : `${index + 1} of ${fields.length}: `;
    const answer = await askField(field, `${begin}\n\n**${place}${escapeMarkdown(field.label)}**`, asker, signal);
    if (answer === 'decline' || answer === 'cancel') return { action: answer };
    if (answer !== 'skip') content[field.key] = answer.value;
  }
  return { action: 'accept', content };
}

async function agree(head: string, { ask, timeout }: FormAsker, signal: AbortSignal): Promise<ElicitResult> {
  const answer = await ask({ text: head, options: ['Accept', decline], timeout }, signal);
  if (answer === undefined) return { action: 'cancel' };
  return /^(?:accept|yes|ok)$/i.test(answer.trim()) ? { action: 'accept', content: {} } : { action: 'decline' };
}

async function askField(field: FormField, head: string, { ask, timeout }: FormAsker, signal: AbortSignal) {
  const { choices, description, hint, fallback, wantsText, isRequired } = field;
  const areButtons = choices.length > 0 && choices.length <= mostButtons && !field.isMultiple;
  const list = choices.map(({ label }, index) => `${index + 1}. ${escapeMarkdown(label)}`).join('\n');
  const parts = [head, escapeMarkdown(description), areButtons ? '' : list, hint === '' ? '' : `Wanted is ${hint}.`];
  // A field with a default offers that in place of a skip.
  const keep = fallback === undefined ? undefined : keepWords(fallback, choices);
  const other = keep ?? (isRequired ? undefined : skip);
  const buttons = areButtons ? choices.map(({ label }) => label) : [];
  const options = [...buttons, ...(other === undefined ? [] : [other]), decline];
  let objection = '';
  for (let tries = 0; tries < mostTries; tries += 1) {
    const text = [objection, ...parts].filter((part) => part !== '').join('\n\n');
    const answer = await ask({ text, options, timeout, ...(!areButtons && { wantsText: true }) }, signal);
    if (answer === undefined) return 'cancel';
    // If any text can be an answer, only the button declines.
    if (answer === decline || (!wantsText && answer.trim().toLowerCase() === 'decline')) return 'decline';
    if (fallback !== undefined && answer === keep) return { value: fallback };
    if (answer === other) return 'skip';
    const reading = field.read(answer);
    if ('value' in reading) return reading;
    objection = `⚠️ ${escapeMarkdown(reading.why)}`;
  }
  return 'cancel';
}

function keepWords(fallback: FieldValue, choices: readonly Choice[]): string {
  const values = Array.isArray(fallback) ? fallback : [fallback];
  const words = values.map((one) => choices.find(({ value }) => value === one)?.label ?? String(one));
  return oneLine(`↩️ Keep: ${words.join(', ')}`, 100);
}

type FormField = ReturnType<typeof fieldOf>;

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
function formFields(schema: JsonObject): readonly FormField[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([key, shape]) =>
    fieldOf(key, isJsonObject(shape) ? shape : {}, required.includes(key)),
  );
}

function fieldOf(key: string, shape: JsonObject, isRequired: boolean) {
  const { title, description } = shape;
  return {
    key,
    /** Plain text. */
    label: textOr(title, key),
    description: typeof description === 'string' ? oneLine(description, 500) : '',
    isRequired,
    /** The default. */
    fallback: fallbackOf(shape.default),
    ...kindOf(shape),
  };
}

function textOr(text: JsonValue | undefined, other: string): string {
  return oneLine(typeof text === 'string' && text.trim() !== '' ? text : other, 100);
}

function fallbackOf(given: JsonValue | undefined): FieldValue | undefined {
  if (Array.isArray(given)) return given.filter((one) => typeof one === 'string');
  return typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? given : undefined;
}

function kindOf(shape: JsonObject): FieldKind {
  if (shape.type === 'array') return severalOf(choicesOf(isJsonObject(shape.items) ? shape.items : {}), shape);
  const choices = shape.type === 'boolean' ? yesOrNo : choicesOf(shape);
  if (choices.length > 0) return oneOf(choices);
  return shape.type === 'number' || shape.type === 'integer' ? numberOf(shape) : textOf(shape);
}

const yesOrNo: readonly Choice[] = [
  { value: true, label: 'Yes' },
  { value: false, label: 'No' },
];

/** In all spellings: `enum`, with or without `enumNames`; `oneOf` or `anyOf` with titles. */
function choicesOf(shape: JsonObject): readonly Choice[] {
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
  return isPlain ? choices : choices.map(({ value, label }) => ({ value, label: oneLine(`${label} (${value})`, 150) }));
}

/** A bound of the schema; without one, the other. */
function boundOf(bound: JsonValue | undefined, other: number): number {
  return typeof bound === 'number' ? bound : other;
}

function numberOf({ type, minimum, maximum }: JsonObject): FieldKind {
  const isWhole = type === 'integer';
  const [least, most] = [boundOf(minimum, -Infinity), boundOf(maximum, Infinity)];
  const hint = `${isWhole ? 'a whole number' : 'a number'}${boundsWords(least, most)}`;
  return {
    choices: [],
    hint,
    read(answer) {
      const said = answer.trim();
      const value = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(said) ? Number(said) : Number.NaN;
      const fits = Number.isFinite(value) && value >= least && value <= most && (!isWhole || Number.isInteger(value));
      return fits ? { value } : { why: `Write ${hint}, in digits.` };
    },
  };
}

function boundsWords(least: number, most: number): string {
  if (Number.isFinite(least)) return Number.isFinite(most) ? ` from ${least} to ${most}` : ` from ${least} on`;
  return Number.isFinite(most) ? ` up to ${most}` : '';
}

const forms: Readonly<Record<string, readonly [hint: string, form: z.ZodType]>> = {
  email: ['an e-mail address', z.string().regex(/^[^\s@]+@[^\s@]+\.[^\s@.]+$/)],
  uri: ['a complete URL', z.string().refine((text) => URL.canParse(text))],
  date: ['a date as 2026-03-31', z.iso.date()],
  'date-time': ['a date and time as 2026-03-31T09:00:00Z', z.iso.datetime({ offset: true, local: true })],
};

function textOf({ format, minLength, maxLength, pattern }: JsonObject): FieldKind {
  const [hint = '', form] = Object.entries(forms).find(([name]) => name === format)?.[1] ?? [];
  const [least, most] = [boundOf(minLength, 0), boundOf(maxLength, Infinity)];
  const shape = typeof pattern === 'string' ? patternOf(pattern) : undefined;
  return {
    choices: [],
    wantsText: true,
    hint,
    read(answer) {
      const value = answer.trim();
      const length = [...value].length;
      if (form?.safeParse(value).success === false) return { why: `Write ${hint}.` };
      if (length < least) return { why: `Write at least ${least} characters.` };
      if (length > most) return { why: `Write at most ${most} characters: these are ${length}.` };
      return (shape?.(value) ?? true) ? { value } : { why: 'The server wants it in another form.' };
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

function oneOf(choices: readonly Choice[]): FieldKind {
  return {
    choices,
    hint: '',
    read(answer) {
      const meant = choiceMeant(choices, answer);
      return meant === undefined ? { why: 'That is none of the choices.' } : { value: meant.value };
    },
  };
}

function severalOf(choices: readonly Choice[], { minItems, maxItems }: JsonObject): FieldKind {
  const [least, most] = [boundOf(minItems, 0), boundOf(maxItems, choices.length)];
  return {
    choices,
    isMultiple: true,
    hint: `several of them, with commas between them${countWords(least, most, choices.length)}`,
    read(answer) {
      const whole = choiceMeant(choices, answer);
      const said = answer.split(/[,;]/).filter((part) => part.trim() !== '');
      const meant = whole === undefined ? said.map((part) => choiceMeant(choices, part)) : [whole];
      const chosen = new Set(meant.flatMap((choice) => (choice === undefined ? [] : [String(choice.value)])));
      if (meant.includes(undefined)) return { why: 'One of these is none of the choices.' };
      if (chosen.size < least) return { why: `Choose at least ${least}.` };
      return chosen.size > most ? { why: `Choose at most ${most}.` } : { value: [...chosen] };
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

function countWords(least: number, most: number, all: number): string {
  if (least > 0) return most < all ? `: ${least} to ${most}` : `: at least ${least}`;
  return most < all ? `: at most ${most}` : '';
}
