import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types';
import { z } from 'zod';
import { badRequest } from './refusal.ts';

/** What stands on a button, and what a press of it sends. */
export interface ShownButton {
  readonly label: string;
  /** Undefined for a button that sends nothing, such as a link. */
  readonly data: string | undefined;
}

const mostDataBytes = 64;
const looseMarkup = z.looseObject({ inline_keyboard: z.array(z.array(z.unknown())) });
const looseButton = z.looseObject({ text: z.string(), callback_data: z.string().optional() });
const actions = ['callback_data', 'url', 'web_app', 'login_url', 'switch_inline_query', 'copy_text', 'pay'];

/** Takes a `reply_markup` apart and checks each button. Undefined if it shows no inline keyboard. Throws refusals. */
export function readKeyboard(markup: unknown): InlineKeyboardMarkup | undefined {
  if (markup === undefined || !looseMarkup.safeParse(markup).success) return undefined;
  return z.custom<InlineKeyboardMarkup>((value) => checkMarkup(value)).parse(markup);
}

/** The buttons from left to right and from top to bottom. */
export function flatButtons(keyboard: InlineKeyboardMarkup | undefined): readonly ShownButton[] {
  return (keyboard?.inline_keyboard ?? []).flat().map((button) => ({ label: button.text, data: dataOf(button) }));
}

function dataOf(button: InlineKeyboardButton): string | undefined {
  return 'callback_data' in button ? button.callback_data : undefined;
}

function checkMarkup(markup: unknown): boolean {
  for (const button of looseMarkup.parse(markup).inline_keyboard.flat()) checkButton(button);
  return true;
}

function checkButton(value: unknown): void {
  const button = looseButton.safeParse(value);
  const because = "can't parse inline keyboard button:";
  if (!button.success) throw badRequest(`${because} Field "text" must be of type String`);
  if (button.data.text.trim() === '') throw badRequest(`${because} text must be non-empty`);
  if (!actions.some((action) => action in button.data)) {
    throw badRequest(`${because} Text buttons are unallowed in the inline keyboard`);
  }
  if (button.data.callback_data === undefined) return;
  const bytes = Buffer.byteLength(button.data.callback_data);
  if (bytes < 1 || bytes > mostDataBytes) throw badRequest('BUTTON_DATA_INVALID');
}
