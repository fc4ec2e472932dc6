import type { MessageEntity } from '@grammyjs/types';
import { badRequest } from './parameters.ts';

/** A text as a chat shows it. */
export interface FormattedText {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

const mostEntities = 100;
const mostEntityBytes = 9_500;

/**
 * Does to a text what the server does before it counts it: checks every entity, drops the spaces around the text, and
 * keeps the first 100 entities without a word. Offsets and lengths are UTF-16 units. Throws refusals.
 */
export function formatText(text: string, entities: readonly MessageEntity[], most = 4096): FormattedText {
  if (!text.isWellFormed()) throw badRequest('text must be encoded in UTF-8');
  for (const entity of entities) {
    const { offset, length } = entity;
    checkKind(entity);
    const isWithin = offset >= 0 && length >= 0 && offset + length <= text.length;
    if (!isWithin || splitsCharacter(text, offset) || splitsCharacter(text, offset + length))
      throw badRequest(`entity at UTF-16 offset ${offset} with length ${length} is not within the text`);
  }
  const trimmed = text.trim();
  if (trimmed.length > most) throw badRequest('message is too long');
  const skipped = text.length - text.trimStart().length;
  const kept = entities
    .slice(0, mostEntities)
    .map((entity) => shift(entity, skipped, trimmed.length))
    .filter(({ offset, length }) => trimmed.slice(offset, offset + length).trim() !== '');
  if (kept.reduce((sum, entity) => sum + bytesOf(entity), 0) > mostEntityBytes) throw badRequest('ENTITIES_TOO_LONG');
  return { text: trimmed, entities: kept };
}

const bareKinds: ReadonlySet<string> = new Set([
  ...['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'blockquote', 'expandable_blockquote', 'code', 'pre'],
  ...['text_link', 'mention', 'hashtag', 'cashtag', 'bot_command', 'url', 'email', 'phone_number'],
]);

/** An instant says when it is, and how it is written: core.telegram.org/bots/api#messageentity */
function checkKind(entity: MessageEntity): void {
  const { type } = entity;
  if (bareKinds.has(type)) return;
  if (entity.type !== 'date_time') throw badRequest(`can't parse MessageEntity: unsupported type "${type}"`);
  const { unix_time: at, date_time_format: format } = entity;
  if (!Number.isSafeInteger(at) || at <= 0 || !/^(?:r|w?[dD]?[tT]?)$/.test(format))
    throw badRequest("can't parse MessageEntity: wrong date_time");
}

/** What it takes where it is stored: its kind, its place, and what it points to. */
function bytesOf(entity: MessageEntity): number {
  const pointsTo = (entity.type === 'text_link' && entity.url) || (entity.type === 'pre' && entity.language) || '';
  return 12 + (pointsTo === '' ? 0 : 4 + Buffer.byteLength(pointsTo));
}

function shift<Entity extends MessageEntity>(entity: Entity, skipped: number, size: number): Entity {
  const begin = Math.max(0, entity.offset - skipped);
  const end = Math.min(size, entity.offset + entity.length - skipped);
  return { ...entity, offset: begin, length: Math.max(0, end - begin) };
}

/** Whether the offset lies between the two halves of a surrogate pair. */
function splitsCharacter(text: string, offset: number): boolean {
  return offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}
