import type { MessageEntity } from 'grammy/types';
import { z } from 'zod';
import type { Chats } from './chats.ts';
import { limitedText } from './formatted-text.ts';
import { entityList, integer, read } from './parameters.ts';
import { badRequest } from './refusal.ts';
import type { ApiRequest } from './request-body.ts';

/** What a person sees below the messages of a direct chat while the bot writes. */
export interface ShownDraft {
  readonly id: number;
  /** Empty where only that something is being written is shown. */
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  /** Whether the person has a button to stop it. */
  readonly canStop: boolean;
}

const lifetime = 30_000;

const draftParameters = z.object({
  chat_id: integer,
  message_thread_id: integer.optional(),
  draft_id: integer,
  text: z.string().default(''),
  entities: entityList,
  can_stop: z.stringbool().or(z.boolean()).default(false),
});

/** The drafts that the bot shows: one in each direct chat, for 30 s or until a message of the bot comes. */
export class Drafts {
  readonly #chats: Chats;
  readonly #now: () => number;
  readonly #drafts = new Map<number, { readonly draft: ShownDraft; readonly until: number }>();

  constructor({ chats, now }: { readonly chats: Chats; readonly now: () => number }) {
    this.#chats = chats;
    this.#now = now;
  }

  sendMessageDraft({ params }: ApiRequest): true {
    const { chat_id, message_thread_id, draft_id: id, text, entities, can_stop } = read(draftParameters, params);
    const chat = this.#chats.find(chat_id);
    if (chat === undefined) throw badRequest('chat not found');
    if (chat.type !== 'private') throw badRequest('drafts can be sent to private chats only');
    if (id === 0) throw badRequest('draft_id must be non-zero');
    if (message_thread_id !== undefined && !this.#chats.hasTopic(chat_id, message_thread_id))
      throw badRequest('message thread not found');
    const content = limitedText(text, entities);
    this.#drafts.set(chat_id, { draft: { id, ...content, canStop: can_stop }, until: this.#now() + lifetime });
    return true;
  }

  shown(chatId: number): ShownDraft | undefined {
    const entry = this.#drafts.get(chatId);
    return entry !== undefined && entry.until > this.#now() ? entry.draft : undefined;
  }

  /** A message of the bot has come. */
  clear(chatId: number): void {
    this.#drafts.delete(chatId);
  }
}
