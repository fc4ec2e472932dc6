import type { Effect } from '../conversation/effects.ts';
import type { PinnedFact } from '../engine/journal.ts';
import * as conversations from './conversations.ts';
import type { Database } from './database.ts';
import type { Sql } from './sql.ts';

/** `known`: the same text is already pinned, under this number · `full`: the limit is reached. */
export type Pinning =
  | { readonly type: 'pinned'; readonly number: number }
  | { readonly type: 'known'; readonly number: number }
  | { readonly type: 'full' };

/** The facts pinned in conversations. */
export interface PinStore {
  /** Pins a fact for the person, unless it is pinned already or the limit is reached. */
  pin(text: string): Effect<Pinning>;
  /** Unpins the fact with this number, or all if no number is given. Results in what was unpinned. */
  unpin(number: number | undefined): Effect<readonly PinnedFact[]>;
}

export function createPinStore({ sql }: Database): PinStore {
  return {
    pin: (text) => ({
      name: 'pin',
      apply({ origin: { conversationId, principal, name }, at }) {
        const facts = pinnedIn(sql, conversationId);
        const pinning = pinningOf(text, facts);
        if (pinning.type === 'pinned') {
          const fact = { number: pinning.number, text, principal, name, at };
          sql.run(setPinned, [...facts, fact], conversationId);
        }
        return pinning;
      },
    }),
    unpin: (number) => ({
      name: 'unpin',
      apply({ origin: { conversationId } }) {
        const { unpinned = [], kept = [] } = Object.groupBy(pinnedIn(sql, conversationId), (fact) =>
          number === undefined || fact.number === number ? 'unpinned' : 'kept',
        );
        if (unpinned.length > 0) sql.run(setPinned, kept, conversationId);
        return unpinned;
      },
    }),
  };
}

function pinnedIn(sql: Sql, conversationId: string): readonly PinnedFact[] {
  return conversations.find(sql, conversationId)?.pinned ?? [];
}

const setPinned = 'UPDATE conversations SET pinned = ? WHERE id = ?';

/** The limit of pinned facts per conversation. */
export const mostPinned = 20;

/** Decides whether a further fact can be pinned. Its number is higher than all existing ones. */
function pinningOf(text: string, facts: readonly PinnedFact[]): Pinning {
  const known = facts.find((fact) => fact.text === text);
  if (known !== undefined) return { type: 'known', number: known.number };
  if (facts.length >= mostPinned) return { type: 'full' };
  return { type: 'pinned', number: Math.max(0, ...facts.map(({ number }) => number)) + 1 };
}
