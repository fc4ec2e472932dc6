import type { RawApi } from 'grammy';
import type { MessageMark } from '../../src/contract.ts';

type Reaction = NonNullable<Parameters<RawApi['setMessageReaction']>[0]['reaction']>[number];

/** One of those that bots may react with. */
export type ReactionEmoji = Extract<Reaction, { readonly type: 'emoji' }>['emoji'];

/** How each mark is shown below a message. */
export const markEmoji = { seen: '👀', working: '✍', done: '👌' } as const satisfies Record<MessageMark, ReactionEmoji>;
