import type { Quote } from '../../contract.ts';
import type { DaemonEvent, UserMessage } from '../../transcript.ts';
import type { Row } from '../row.ts';
import { picturesOf } from './picture-column.ts';

/** What the model reads, and whether attachments belong to it: they stand in a table of their own. */
export interface ReadRow {
  readonly entry: UserMessage | DaemonEvent;
  readonly hasAttachments: boolean;
}

export function toReadRow(row: Row): ReadRow {
  return { entry: toEntry(row), hasAttachments: row.integer('attachments') > 0 };
}

function toEntry(row: Row): UserMessage | DaemonEvent {
  const fields = { seq: row.integer('seq'), principal: row.text('principal'), text: row.text('text') };
  switch (row.word('kind', ['message', 'event'])) {
    case 'message':
      return { type: 'user', name: row.text('name'), ...fields, ...moreOf(row) };
    case 'event':
      return { type: 'event', wantsAnswer: row.flag('wants_answer'), ...fields, ...nameOf(row), ...picturesOf(row) };
  }
}

function nameOf(row: Row): Pick<DaemonEvent, 'name'> {
  const name = row.text('name');
  return name === '' ? {} : { name };
}

function moreOf(row: Row): Pick<UserMessage, 'messageId' | 'quote'> {
  const messageId = row.optionalText('message_id');
  return {
    ...(messageId === undefined ? {} : { messageId }),
    ...(row.optionalText('quote') === undefined ? {} : { quote: row.json<Quote>('quote') }),
  };
}
