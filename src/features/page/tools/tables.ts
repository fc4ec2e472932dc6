import type { Origin } from '../../../engine/message.ts';
import * as audit from '../../../store/audit.ts';
import * as conversations from '../../../store/conversations.ts';
import type { Transactions } from '../../../store/database.ts';
import * as inbox from '../../../store/inbox.ts';
import type { HandCall } from '../../../transcript.ts';
import { handCallEvent } from '../../../words/model-words.ts';

/** Stores that a person has called a tool, which is done in this conversation next. False: it was stored before. */
export function storeHandCall(database: Transactions, origin: Origin, call: HandCall, at: number): Promise<boolean> {
  const { key, conversationId, principal, name } = origin;
  return database.writeIncoming(async (sql) => {
    const text = handCallEvent(name, call);
    if (!(await inbox.addEvent(sql, { key, conversationId, principal, name, text, wantsAnswer: true, at })))
      return false;
    await conversations.hear(sql, origin, at, true);
    await audit.addBy(sql, 'called-by-hand', origin, at, { tool: call.name });
    return true;
  });
}
