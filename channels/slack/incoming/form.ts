import { z } from 'zod';
import { parseJson } from '../../../src/lib/json.ts';
import type { SlackSubmission } from './payload.ts';

/** What a form is for: which button it belongs to, and where that stands. */
export interface Form {
  readonly actionId: string;
  readonly teamId: string;
  readonly chatId: string;
  readonly threadId?: string;
}

const callbackId = 'ask';
const longestText = 500;

const askShape = z.object({ id: z.string().min(1).max(64), asks: z.string().trim().min(1).max(150) });

const formShape = z.object({
  actionId: z.string().min(1).max(64),
  teamId: z.string().min(1),
  chatId: z.string().regex(/^[A-Z][A-Z0-9]+$/),
  threadId: z
    .string()
    .regex(/^\d+\.\d+$/)
    .optional(),
});

const valuesShape = z.record(z.string(), z.record(z.string(), z.object({ value: z.string().nullish() })));

/** What stands in a button that asks for a text: its action, and the words above the text. */
export function readAsk(value: string): z.output<typeof askShape> | undefined {
  return askShape.safeParse(parseJson(value)).data;
}

/** The modal that asks for a text of at most 500 characters. */
export function formView(asks: string, form: Form): object {
  return {
    type: 'modal',
    callback_id: callbackId,
    private_metadata: JSON.stringify(form),
    title: plain('Keyturn'),
    submit: plain('Send'),
    close: plain('Cancel'),
    blocks: [
      {
        type: 'input',
        block_id: 'answer',
        label: plain(asks),
        element: { type: 'plain_text_input', action_id: 'text', multiline: true, max_length: longestText },
      },
    ],
  };
}

/** What a form that comes back is for. Undefined if it is none of ours. */
export function readForm({ callback_id, private_metadata }: SlackSubmission['view']): Form | undefined {
  const { data } = formShape.safeParse(parseJson(private_metadata));
  if (data === undefined || callback_id !== callbackId) return undefined;
  const { threadId, ...form } = data;
  return { ...form, ...(threadId !== undefined && { threadId }) };
}

/** What the person wrote; empty if that is nothing. */
export function readSubmitted({ state }: SlackSubmission['view']): string {
  const { data } = valuesShape.safeParse(state.values);
  return data?.answer?.text?.value?.slice(0, longestText) ?? '';
}

function plain(text: string): object {
  return { type: 'plain_text', text };
}
