/* The stub: replaces a message that its platform refuses, says why, and has buttons to retry or drop the message. */

import type { Button } from '../contract.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../lib/plain-text.ts';
import { clockTime, dayWords, type Reader } from '../lib/time-words.ts';
import { formatSize } from '../tools/text.ts';
import type { OutgoingMessage, StoredMessage } from './message-parts.ts';

interface UnshownMessage extends OutgoingMessage {
  readonly conversationId: string;
  readonly refs: readonly unknown[];
  readonly deliveredRevision: number;
}

/** A press of a stub's button. */
export interface StubAction {
  readonly stubId: string;
  readonly verb: 'retry' | 'drop';
  /** It was pressed below a list, not on the stub itself. */
  readonly isListed: boolean;
}

/** Parses the action of a stub's button; anybody may have forged it. */
export function parseStubAction(actionId: string): StubAction | undefined {
  const [, stubId, verb, list] = /^stub:([a-z0-9]{1,20}):(retry|drop)(:list)?$/.exec(actionId) ?? [];
  if (stubId === undefined) return undefined;
  return { stubId, verb: verb === 'retry' ? 'retry' : 'drop', isListed: list !== undefined };
}

/** Buttons below a list of stubs, a row for each. */
export function listedButtons(stubIds: readonly string[]): readonly (readonly Button[])[] {
  const button = (id: string, verb: StubAction['verb'], label: string, key: number): Button => ({
    actionId: `stub:${id}:${verb}:list`,
    label: `${label} ${id}`,
    shortcut: String(key),
    style: 'plain',
  });
  return stubIds.map((id, row) => [
    button(id, 'retry', '🔁 Retry', 2 * row + 1),
    button(id, 'drop', '🗑 Drop', 2 * row + 2),
  ]);
}

/** The stub's text after the message could be shown without a press. */
export const shownAfterAll = '✅ What could not be shown here was shown after all.';

/** The stub for a message. `isBare`: without any of its words, which may be the reason of the refusal. */
export function stubOf(row: UnshownMessage, reason: string, id: string, isBare: boolean): StoredMessage {
  const what = isBare ? 'A message' : describeMessage(row);
  const why = isBare ? 'it was refused again and again' : reasonWords(reason);
  const markdown = `⚠️ ${what} could not be shown here: ${why}.\n\nIt waits. Or type ${inlineCode(`/retry ${id}`)}, ${inlineCode(`/drop ${id}`)}.`;
  return { id, kind: 'card', markdown, buttons: stubButtons(id), privateTo: row.message.privateTo };
}

/** The stub where a chat that has taken nothing, not even the first stub, takes messages again. */
export function offerOf(row: UnshownMessage, id: string, reader: Reader): StoredMessage {
  const at = `${clockTime(row.createdAt, reader)} on ${dayWords(row.createdAt, reader)}`;
  const markdown = `✉️ ${describeMessage(row)} of ${at} could not be delivered here. It waits. Or type ${inlineCode(`/retry ${id}`)}, ${inlineCode(`/drop ${id}`)}.`;
  return { id, kind: 'card', markdown, buttons: stubButtons(id, 'Show it'), privateTo: row.message.privateTo };
}

/** For owners who are not in that chat. */
export function ownersText(stubId: string, row: UnshownMessage, reason: string): string {
  return `⚠️ ${describeMessage(row)} could not be shown in ${inlineCode(row.conversationId)}: ${reasonWords(reason)}. It waits: ${inlineCode(`/retry ${stubId}`)}, ${inlineCode(`/drop ${stubId}`)}.`;
}

/** For owners, about a chat that refuses everything, even a stub. */
export function silenceText(lane: string, reason: string): string {
  return `⚠️ Nothing that I send to ${inlineCode(lane)} gets through: ${reasonWords(reason)}. Other chats may be fine: perhaps I was removed or blocked there.`;
}

function stubButtons(id: string, retry = 'Retry'): readonly (readonly Button[])[] {
  const button = (verb: StubAction['verb'], label: string, shortcut: string): Button => ({
    actionId: `stub:${id}:${verb}`,
    label,
    shortcut,
    style: 'plain',
  });
  return [[button('retry', `🔁 ${retry}`, 'r'), button('drop', '🗑 Drop', 'd')]];
}

function reasonWords(reason: string): string {
  return escapeMarkdown(oneLine(reason, 300)).replace(/\.$/, '');
}

export const kindNames = {
  reply: 'A reply',
  for_user: 'What a tool shows',
  card: 'A card',
  notice: 'A notice',
  status: 'What tools do',
} as const;

function describeMessage({ message, kind, refs, deliveredRevision }: UnshownMessage): string {
  const files = (message.files ?? []).map(({ name, size }) => `${inlineCode(oneLine(name, 80))} (${formatSize(size)})`);
  const length = message.markdown.trim().length;
  const size = length === 0 ? '' : ` (${length.toLocaleString('en')} characters)`;
  const with_ = files.length === 0 ? '' : ` with ${files.slice(0, 3).join(', ')}${files.length > 3 ? ' …' : ''}`;
  const part = deliveredRevision > 0 ? ', changed,' : refs.length > 0 ? ', in part,' : '';
  return `${kindNames[kind]}${size}${with_}${part}`;
}
