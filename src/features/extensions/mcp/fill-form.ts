import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { boundedPattern } from '../../../tools/bounded-run.ts';
import type { AskPerson, PersonQuestion } from '../../../tools/tool.ts';

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
  const fields = formFields(schema);
  const head = introduction(asker.server, message);
  if (fields.length === 0) return agree(head, asker, signal);
  const content: Record<string, FieldValue> = {};
  for (const [index, field] of fields.entries()) {
    const begin = index === 0 ? head : `The MCP server ${inlineCode(asker.server)} asks further.`;
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

type FieldAnswer = { readonly value: FieldValue } | 'skip' | 'decline' | 'cancel';

async function askField(
  field: FormField,
  head: string,
  { ask, timeout }: FormAsker,
  signal: AbortSignal,
): Promise<FieldAnswer> {
  let objection = '';
  for (let tries = 0; tries < mostTries; tries += 1) {
    const answer = await ask(questionOf(field, `${objection}${head}`, timeout), signal);
    if (answer === undefined) return 'cancel';
    // If any text can be an answer, only the button declines.
    if (answer === decline || (!field.wantsText && answer.trim().toLowerCase() === 'decline')) return 'decline';
    if (answer === skip && mayBeSkipped(field)) return 'skip';
    if (field.fallback !== undefined && answer === keep(field)) return { value: field.fallback };
    const reading = field.read(answer);
    if ('value' in reading) return reading;
    objection = `⚠️ ${escapeMarkdown(reading.why)}\n\n`;
  }
  return 'cancel';
}

function questionOf(field: FormField, head: string, timeout: number): PersonQuestion {
  const { choices, description, hint, isMultiple } = field;
  const areButtons = choices.length > 0 && choices.length <= mostButtons && !isMultiple;
  const list = areButtons ? [] : choices.map(({ label }, index) => `${index + 1}. ${escapeMarkdown(label)}`);
  const text = [
    head,
    ...(description === undefined ? [] : [escapeMarkdown(description)]),
    ...(list.length === 0 ? [] : [list.join('\n')]),
    ...(hint === '' ? [] : [`Wanted is ${hint}.`]),
  ].join('\n\n');
  const others = [
    ...(field.fallback === undefined ? [] : [keep(field)]),
    ...(mayBeSkipped(field) ? [skip] : []),
    decline,
  ];
  if (areButtons) return { text, options: [...choices.map(({ label }) => label), ...others], timeout };
  return { text, options: others, wantsText: true, timeout };
}

/** A field with a default offers that instead. */
function mayBeSkipped({ isRequired, fallback }: FormField): boolean {
  return !isRequired && fallback === undefined;
}

function keep({ fallback, choices }: FormField): string {
  const values = Array.isArray(fallback) ? fallback : [fallback];
  const words = values.map((one) => choices.find(({ value }) => value === one)?.label ?? String(one));
  return oneLine(`↩️ Keep: ${words.join(', ')}`, 100);
}

function introduction(server: string, message: string): string {
  const words = escapeMarkdown(oneLine(message, 1500));
  return `The MCP server ${inlineCode(server)} asks you for something, and gets what you answer: no passwords.\n\n> ${words}`;
}

interface FormField extends FieldKind {
  readonly key: string;
  /** Plain text. */
  readonly label: string;
  readonly description?: string;
  readonly isRequired: boolean;
  /** The default. */
  readonly fallback?: FieldValue;
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
function formFields(schema: JsonObject): readonly FormField[] {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([key, shape]) =>
    fieldOf(key, isJsonObject(shape) ? shape : {}, required.includes(key)),
  );
}

function fieldOf(key: string, shape: JsonObject, isRequired: boolean): FormField {
  const { title, description } = shape;
  return {
    key,
    label: oneLine(typeof title === 'string' && title.trim() !== '' ? title : key, 100),
    description: typeof description === 'string' ? oneLine(description, 500) : undefined,
    isRequired,
    fallback: fallbackOf(shape.default),
    ...kindOf(shape),
  };
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

function numberOf({ type, minimum, maximum }: JsonObject): FieldKind {
  const isWhole = type === 'integer';
  const least = typeof minimum === 'number' ? minimum : Number.NEGATIVE_INFINITY;
  const most = typeof maximum === 'number' ? maximum : Number.POSITIVE_INFINITY;
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

const forms = [
  ['email', 'an e-mail address', (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(text)],
  ['uri', 'a complete URL', (text: string) => URL.canParse(text)],
  ['date', 'a date as 2026-03-31', isDate],
  ['date-time', 'a date and time as 2026-03-31T09:00:00Z', isDateTime],
] as const;

function textOf({ format, minLength, maxLength, pattern }: JsonObject): FieldKind {
  const [, hint = '', fits = () => true] = forms.find(([name]) => name === format) ?? [];
  const least = typeof minLength === 'number' ? minLength : 0;
  const most = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  const shape = typeof pattern === 'string' ? patternOf(pattern) : undefined;
  return {
    choices: [],
    wantsText: true,
    hint,
    read(answer) {
      const value = answer.trim();
      const length = [...value].length;
      if (!fits(value)) return { why: `Write ${hint}.` };
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

function isDate(text: string): boolean {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [day = ''] = text.split(/[Tt ]/);
  return isDate(day) && /^.{10}[Tt ]\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text));
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
  const least = typeof minItems === 'number' ? minItems : 0;
  const most = typeof maxItems === 'number' ? maxItems : choices.length;
  return {
    choices,
    isMultiple: true,
    hint: `several of them, with commas between them${countWords(least, most, choices.length)}`,
    read(answer) {
      const said = answer.split(/[,;]/).filter((part) => part.trim() !== '');
      const whole = choiceMeant(choices, answer);
      const meant = whole === undefined ? said.map((part) => choiceMeant(choices, part)) : [whole];
      const values = meant.flatMap((choice) => (choice === undefined ? [] : [String(choice.value)]));
      if (values.length < meant.length) return { why: 'One of these is none of the choices.' };
      const chosen = [...new Set(values)];
      if (chosen.length < least) return { why: `Choose at least ${least}.` };
      return chosen.length > most ? { why: `Choose at most ${most}.` } : { value: chosen };
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
    (number === undefined ? undefined : choices[Number(number) - 1])
  );
}

function countWords(least: number, most: number, all: number): string {
  if (least > 0) return most < all ? `: ${least} to ${most}` : `: at least ${least}`;
  return most < all ? `: at most ${most}` : '';
}
