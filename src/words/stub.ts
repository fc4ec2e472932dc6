/* The stub: replaces a message that its platform refuses, says why, and has buttons to retry or drop the message. */

import type { Button } from '../contract.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../lib/plain-text.ts';
import type { Reader } from '../lib/time-words.ts';
import type { Language } from '../lib/words.ts';
import { formatSize } from '../tools/text.ts';
import type { OutgoingMessage, StoredMessage } from './message-parts.ts';
import { stubWords } from './words.ts';

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

/** What a stub is made of. `isBare`: without any words of its message, which may be the reason of the refusal. */
interface StubFacts {
  readonly id: string;
  readonly reason: string;
  readonly isBare: boolean;
}

/** The stub for a message. */
export function stubOf(row: UnshownMessage, { id, reason, isBare }: StubFacts, language: Language): StoredMessage {
  const words = stubWords[language];
  const what = isBare ? words.anyMessage : describeMessage(row, language);
  const why = isBare ? words.refusedAgain : reasonWords(reason);
  const buttons = stubButtons(id, words.buttonRetry, language);
  return { id, kind: 'card', markdown: words.unshown({ what, why, id }), buttons, ...readBy(row, language) };
}

/** The stub where a chat that has taken nothing, not even the first stub, takes messages again. */
export function offerOf(row: UnshownMessage, id: string, reader: Reader): StoredMessage {
  const { language } = reader;
  const words = stubWords[language];
  const markdown = words.undelivered({ what: describeMessage(row, language), at: row.createdAt, reader, id });
  const buttons = stubButtons(id, words.buttonShow, language);
  return { id, kind: 'card', markdown, buttons, ...readBy(row, language) };
}

function readBy({ message }: UnshownMessage, language: Language): Pick<StoredMessage, 'privateTo' | 'language'> {
  return { privateTo: message.privateTo, language };
}

/** For owners who are not in that chat. */
export function ownersText(id: string, row: UnshownMessage, reason: string, language: Language): string {
  const what = describeMessage(row, language);
  const conversation = inlineCode(row.conversationId);
  return stubWords[language].unshownElsewhere({ what, conversation, why: reasonWords(reason), id });
}

/** For owners, about a chat that refuses everything, even a stub. */
export function silenceText(lane: string, reason: string, language: Language): string {
  return stubWords[language].nothingGetsThrough({ chat: inlineCode(lane), why: reasonWords(reason) });
}

function stubButtons(id: string, retry: string, language: Language): readonly (readonly Button[])[] {
  const button = (verb: StubAction['verb'], label: string, shortcut: string): Button => ({
    actionId: `stub:${id}:${verb}`,
    label,
    shortcut,
    style: 'plain',
  });
  return [[button('retry', retry, 'r'), button('drop', stubWords[language].buttonDrop, 'd')]];
}

function reasonWords(reason: string): string {
  return escapeMarkdown(oneLine(reason, 300)).replace(/[.。]$/, '');
}

function describeMessage({ message, kind, refs, deliveredRevision }: UnshownMessage, language: Language): string {
  const files = (message.files ?? []).map(({ name, size }) => ({
    name: inlineCode(oneLine(name, 80)),
    size: formatSize(size),
  }));
  return stubWords[language].message({
    kind,
    size: message.markdown.trim().length,
    files: files.slice(0, 3),
    more: files.length > 3,
    shown: deliveredRevision > 0 ? 'before' : refs.length > 0 ? 'in part' : 'nothing',
  });
}
