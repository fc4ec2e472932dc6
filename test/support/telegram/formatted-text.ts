import type { MessageEntity } from 'grammy/types';
import { badRequest } from './refusal.ts';

/** A text as a chat shows it. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

const mostEntities = 100;
const mostEntityBytes = 9_500;
const mostText = 4096;

/**
 * Does to a text what the server does before it counts it: checks every entity, drops the spaces around the text, and
 * keeps the first 100 entities without a word. Offsets and lengths are UTF-16 units. Throws refusals.
 */
export function formatText(text: string, entities: readonly MessageEntity[]): FormattedText {
  if (!text.isWellFormed()) throw badRequest('text must be encoded in UTF-8');
  for (const entity of entities) checkEntity(text, entity);

  const trimmed = text.trim();
  const skipped = text.length - text.trimStart().length;
  const kept = entities
    .slice(0, mostEntities)
    .map((entity) => shift(entity, skipped, trimmed.length))
    .filter(({ offset, length }) => trimmed.slice(offset, offset + length).trim() !== '');
  if (sum(kept.map(bytesOf)) > mostEntityBytes) throw badRequest('ENTITIES_TOO_LONG');
  return { text: trimmed, entities: kept };
}

/** The text of a message, which may be empty here. */
export function limitedText(text: string, entities: readonly MessageEntity[]): FormattedText {
  const content = formatText(text, entities);
  if (content.text.length > mostText) throw badRequest('message is too long');
  return content;
}

/** What it takes where it is stored: its kind, its place, and what it points to. */
function bytesOf(entity: MessageEntity): number {
  const pointsTo = (entity.type === 'text_link' && entity.url) || (entity.type === 'pre' && entity.language) || '';
  return 12 + (pointsTo === '' ? 0 : 4 + Buffer.byteLength(pointsTo));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function shift<Entity extends MessageEntity>(entity: Entity, skipped: number, size: number): Entity {
  const begin = Math.max(0, entity.offset - skipped);
  const end = Math.min(size, entity.offset + entity.length - skipped);
  return { ...entity, offset: begin, length: Math.max(0, end - begin) };
}

function checkEntity(text: string, { offset, length }: MessageEntity): void {
  const end = offset + length;
  if (offset < 0) throw badRequest(`receive an entity with incorrect offset ${offset}`);
  if (length < 0) throw badRequest(`receive an entity with incorrect length ${length}`);
  if (offset > text.length) throw badRequest(`entity begins after the end of the text at UTF-16 offset ${offset}`);
  if (end > text.length) {
    const where = `ends after the end of the text at UTF-16 offset ${end}`;
    throw badRequest(`entity beginning at UTF-16 offset ${offset} ${where}`);
  }
  if (splitsCharacter(text, offset)) {
    throw badRequest(`entity begins in a middle of a UTF-16 symbol at byte offset ${bytesUpTo(text, offset)}`);
  }
  if (splitsCharacter(text, end)) {
    const where = `ends in a middle of a UTF-16 symbol at byte offset ${bytesUpTo(text, end)}`;
    throw badRequest(`entity beginning at UTF-16 offset ${offset} ${where}`);
  }
}

/** Whether the offset lies between the two halves of a surrogate pair. */
function splitsCharacter(text: string, offset: number): boolean {
  return offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}

/** Counts the character that the offset splits, as the real server does. */
function bytesUpTo(text: string, offset: number): number {
  return Buffer.byteLength(text.slice(0, offset + 1));
}
