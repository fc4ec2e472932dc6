/*
 * Buttons that stand for commands. `cmd:LINE` is obeyed as if the person who presses it had typed `/LINE` there. Below a
 * list, the action also names the list: `lst:ID:LINE` puts the answer in its place, unless the person may not do it;
 * `lst:ID:LINE>AGAIN` tells the answer to that person alone, and puts the answer of `/AGAIN`, the list as it is then, in its
 * place. Anybody can forge an action, so it can do no more than the same person could by typing.
 */

import type { Button } from '../contract.ts';
import { oneLine } from '../lib/plain-text.ts';
import { textWidth } from '../lib/text-width.ts';

/** The longest action that every platform takes, in bytes. */
const longestAction = 64;

/** A pressed command, without its slash. */
export interface PressedCommand {
  readonly line: string;
  /** The message with the list below which it was pressed. */
  readonly listId?: string;
  /** The command that shows the list again. */
  readonly again?: string;
}

/** Parses the action of a button that stands for a command; anybody may have forged it. */
export function parseCommandAction(actionId: string): PressedCommand | undefined {
  if (actionId.startsWith('cmd:')) return { line: actionId.slice('cmd:'.length) };
  const [, listId, line, again] = /^lst:([a-z0-9]{1,25}):([^>]+)(?:>(.+))?$/s.exec(actionId) ?? [];
  return listId === undefined || line === undefined ? undefined : { line, listId, again };
}

/** A button that is obeyed as the typed command `/line`: at most 60 bytes. */
function commandButton(label: string, line: string, style: Button['style'] = 'plain'): Button {
  return { actionId: `cmd:${line}`, label, shortcut: `/${line}`, style };
}

/** A label that a phone shows whole, cut in the middle. */
export function labelOf(text: string): string {
  for (let length = mostCells; length > 1; length -= 1) {
    const label = oneLine(text, length);
    if (textWidth(label) <= mostCells) return label;
  }
  return '…';
}

/** What a button holds on a phone, in cells of a terminal. */
const mostCells = 30;

/**
 * `acts`: its outcome is told to the person who presses it, and the list is shown again · `leads`: shows something in place
 * of the list · `adds`: shows something beside it.
 */
export interface ListButton {
  readonly how: 'acts' | 'leads' | 'adds';
  readonly button: Button;
}

/** A command below a list that changes what is listed. */
export function actingButton(label: string, line: string, style: Button['style'] = 'plain'): ListButton {
  return { how: 'acts', button: commandButton(label, line, style) };
}

/** A command below a list that shows something else in its place: more of it, or a question. */
export function leadingButton(label: string, line: string, style: Button['style'] = 'plain'): ListButton {
  return { how: 'leads', button: commandButton(label, line, style) };
}

/** A command below a list whose answer is a message of its own. */
export function addingButton(label: string, line: string, style: Button['style'] = 'plain'): ListButton {
  return { how: 'adds', button: commandButton(label, line, style) };
}

/** A list: what it says, and the commands below it. */
export interface ListAnswer {
  readonly markdown: string;
  /** The command that shows it again, without its slash. */
  readonly again: string;
  /** At most five rows of at most five: platforms take no more. */
  readonly rows: readonly (readonly ListButton[])[];
}

/** The buttons of the list that is shown as the message with this id. One that is too long for an action is left out. */
export function buttonsOfList(listId: string, { again, rows }: ListAnswer): readonly (readonly Button[])[] {
  return rows
    .map((row) => row.map((one) => inList(one, listId, again)).filter((button) => fits(button.actionId)))
    .filter((row) => row.length > 0);
}

function inList({ how, button }: ListButton, listId: string, again: string): Button {
  const [, line] = /^cmd:([^>]+)$/s.exec(button.actionId) ?? [];
  if (line === undefined || how === 'adds') return button;
  const leads = `lst:${listId}:${line}`;
  const actionId = how === 'leads' ? leads : `${leads}>${again}`;
  return fits(actionId) ? { ...button, actionId } : button;
}

function fits(actionId: string): boolean {
  return Buffer.byteLength(actionId) <= longestAction;
}

/** The buttons of a list's entries in at most four rows, so that there is room for one more. */
export function inRows(buttons: readonly ListButton[], least = 2): readonly (readonly ListButton[])[] {
  const perRow = Math.max(least, Math.ceil(buttons.length / mostRows));
  return Array.from({ length: Math.ceil(buttons.length / perRow) }, (_, row) =>
    buttons.slice(row * perRow, (row + 1) * perRow),
  );
}

const mostRows = 4;
