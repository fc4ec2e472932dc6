import { z } from 'zod';
import { ChannelError, type Conversation } from '../../../src/contract.ts';
import type { SlackApi } from '../web-api/api.ts';

/** Slack's clock may differ from ours by so much, in seconds. */
const clockSkew = 60;
const newest = 20;
/** The answers in a thread come with the oldest first. */
const mostAnswers = 200;

const messagesShape = z.object({ messages: z.array(z.unknown()).catch([]) });

/**
 * What was said in a place since then: the newest 20 messages, or the first 200 of a thread. Nothing where the bot may not
 * read it. Throws `ChannelError` if that can be tried again.
 */
export async function recentMessages(
  { chatId, threadId }: Conversation,
  since: number,
  { api }: { readonly api: Pick<SlackApi, 'call'> },
): Promise<readonly unknown[]> {
  const range = { channel: chatId, oldest: (since / 1000 - clockSkew).toFixed(6), include_all_metadata: true };
  try {
    const answer = await (threadId
      ? api.call('conversations.replies', { ...range, ts: threadId, limit: mostAnswers }, { repeatable: true })
      : api.call('conversations.history', { ...range, limit: newest }, { repeatable: true }));
    return messagesShape.safeParse(answer).data?.messages ?? [];
  } catch (error) {
    if (error instanceof ChannelError && error.fault.type === 'permanent') return [];
    throw error;
  }
}
