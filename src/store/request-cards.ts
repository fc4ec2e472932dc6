import type { OutboxDraft } from '../engine/message.ts';
import { type InLanguage, languages } from '../lib/words.ts';
import * as outbox from './outbox.ts';
import type { Sql } from './sql.ts';

/** Adds the cards of a request to the owners. */
export async function addCards(sql: Sql, requestId: string, cards: readonly OutboxDraft[], at: number): Promise<void> {
  await outbox.addAll(sql, cards, at, { requestId });
}

/**
 * Ends all cards of a request with this text, each in its language. What nobody has seen is not shown any more: see `isSettled` of the outbox. Returns the
 * conversations with something new to show.
 */
export async function endCards(
  sql: Sql,
  requestId: string | undefined,
  textOf: InLanguage,
): Promise<readonly string[]> {
  if (requestId === undefined) return [];
  const places: string[] = [];
  for (const language of languages)
    places.push(...(await sql.texts(endIn, textOf(language), requestId, 'en', language)));
  return places;
}

/** A new revision starts without failures. */
const endIn = `UPDATE outbox SET markdown = ?, buttons = NULL, revision = revision + 1, state = 'queued',
    failures = 0, failing_since = NULL, parked_at = NULL, kills = 0
  WHERE request_id = ? AND buttons IS NOT NULL AND coalesce(language, ?) = ? RETURNING conversation_id`;
