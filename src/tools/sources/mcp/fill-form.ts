import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { isJsonObject } from '../../../lib/json.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { PersonQuestion } from '../../facets.ts';
import type { AskPerson } from '../../tool.ts';
import type { FieldReading, FieldValue } from './field-reader.ts';
import { type FormField, formFields } from './form-field.ts';

export interface FormAsker {
  /** The operator's name of the server. */
  readonly server: string;
  readonly ask: AskPerson;
  /** How long each question stands, in milliseconds. */
  readonly timeout: number;
}

/** Somebody who does not get it right does not want to. */
const mostTries = 5;
/** With those below them, they are all buttons that a question may have. */
const mostButtons = 8;

/** Nobody calls a choice so. */
const decline = '✋ Decline';
const skip = '⏭️ Skip this';

/**
 * Has a person fill in a form, one field after the other. What he declines is declined; a question that he leaves
 * unanswered, or answers wrongly five times, cancels all of it.
 */
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

type FieldAnswer = Extract<FieldReading, { valid: true }> | 'skip' | 'decline' | 'cancel';

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
    if (isDeclined(answer, field)) return 'decline';
    if (answer === skip && mayBeSkipped(field)) return 'skip';
    if (field.fallback !== undefined && answer === keep(field)) return { valid: true, value: field.fallback };
    const reading = field.read(answer);
    if (reading.valid) return reading;
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

/** Where any text can be an answer, only the button declines. */
function isDeclined(answer: string, { wantsText }: FormField): boolean {
  return answer === decline || (!wantsText && answer.trim().toLowerCase() === 'decline');
}

/** What is left out counts as the default, if there is one. */
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
