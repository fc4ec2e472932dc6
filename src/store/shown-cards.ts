import { endOfApproved } from '../approval/cards.ts';
import type { CardText } from '../engine/journal.ts';
import { type InLanguage, type Language, languages } from '../lib/words.ts';
import { columns, json, oneOf, optional, type Sql } from './sql.ts';

// Cards that are shown already, and get another text: each statement queues them again, to be edited.

/** A new revision starts without failures. */
const unfailed = 'failures = 0, failing_since = NULL, parked_at = NULL, kills = 0';

/** Sets the text of all cards of the approval, each in its language, and removes their buttons. */
export async function changeCards(sql: Sql, approvalId: string, textOf: CardText): Promise<void> {
  for (const { conversationId: place, language } of await sql.list(toCardPlace, cardPlaces, approvalId)) {
    const where = 'AND conversation_id = ? AND coalesce(language, ?) = ?';
    await sql.run(`${changeCardsOf} ${where}`, ...[textOf(language, place), approvalId, place, 'en', language]);
  }
}
const toCardPlace = columns({ conversationId: 'text', language: oneOf(...languages) });
const cardPlaces = `SELECT DISTINCT conversation_id, coalesce(language, 'en') AS language FROM outbox WHERE approval_id = ? AND kind = 'card'`;
const changeCardsOf = `UPDATE outbox SET markdown = ?, buttons = NULL, revision = revision + 1, state = 'queued', ${unfailed}
  WHERE approval_id = ? AND kind = 'card'`;

/**
 * Adds to the approved cards of a call what came of it, on a numbered line if they cover several. Returns their conversations.
 * `saysWhat`: on the card of one call, the note stands in place of what was asked for.
 */
export async function addCardNote(
  sql: Sql,
  callId: string,
  noteIn: InLanguage,
  saysWhat = false,
): Promise<readonly string[]> {
  const card = await sql.find(toNotedCard, cardOfCall, callId);
  if (card === undefined) return [];
  const { approvalId, number } = card;
  const of = number === undefined ? ' · ' : `\n(${number}) `;
  const notes = languages.map((language) => {
    const replaced = saysWhat && number === undefined ? endOfApproved(card, language) : '';
    return [language, [replaced, `${of}${noteIn(language)}`]] as const;
  });
  return await sql.texts(noteOnCards, { notes: JSON.stringify(Object.fromEntries(notes)), approvalId });
}
/** The number is that on the card, whatever has become of the other calls. */
const cardOfCall = `SELECT approvals.id AS approval_id, approvals.description, approvals.otherwise, iif(asked ->> '$.others' IS NULL, NULL,
    coalesce((SELECT key + 2 FROM json_each(asked, '$.others') WHERE value ->> 'callId' = calls.id), 1)) AS number
  FROM calls JOIN approvals ON approvals.id = calls.approval_id AND approvals.state = 'approved' WHERE calls.id = ?`;
const toNotedCard = columns({
  approvalId: 'text',
  description: 'text',
  otherwise: optional(json<Partial<Record<Language, string>>>()),
  number: 'integer?',
});
/** Of the notes by language, what a card in its language loses at its end, and what it gets. */
const replaced = `((@notes -> coalesce(language, 'en')) ->> 0)`;
const noted = `((@notes -> coalesce(language, 'en')) ->> 1)`;
const isReplaced = `${replaced} <> '' AND substr(markdown, -length(${replaced})) = ${replaced}`;
const noteOnCards = `UPDATE outbox
  SET markdown = iif(${isReplaced}, substr(markdown, 1, length(markdown) - length(${replaced})), markdown) || ${noted},
    revision = revision + 1, state = 'queued', ${unfailed}
  WHERE approval_id = @approvalId AND kind = 'card' AND buttons IS NULL AND ${noted} IS NOT NULL
  RETURNING conversation_id`;
