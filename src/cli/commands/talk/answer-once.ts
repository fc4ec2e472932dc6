/* `chat --once TEXT`: says one thing, and prints what is answered. */

import { randomBytes } from 'node:crypto';
import type { ChannelAdapter, MessageRef, OutboundMessage, RunFailure } from '../../../contract.ts';
import type { ChatOrder } from '../../../daemon/local-socket/chats/chat-protocol.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { type ChatState, chatHost, obeyOrder } from './chat-host.ts';
import { talkWords } from './words.ts';

/** What of the answer is for the standard output; the rest is for a person. */
interface Answered {
  readonly texts: string[];
  failure: RunFailure | undefined;
}

/** Shows what comes: to the daemon, a channel like the terminal's. */
export interface OnceListener {
  readonly answered: Answered;
  heard(order: ChatOrder): void;
}

/** Answers are printed as they were written; questions, notices and cards go to the standard error. */
export function onceListener(context: CommandContext, state: ChatState): OnceListener {
  const answered: Answered = { texts: [], failure: undefined };
  return { answered, heard: (order) => hear(order, { answered, context, state }) };
}

interface Listening {
  readonly answered: Answered;
  readonly context: CommandContext;
  readonly state: ChatState;
}

function hear(order: ChatOrder, listening: Listening): void {
  if (order.do === 'failure') listening.answered.failure = order.failure;
  const output: Pick<ChannelAdapter, 'send' | 'openStream'> = {
    send: async (_to, message) => take(message, listening),
    openStream: () => ({
      push() {},
      cancel: async () => {},
      finish: async (parts) => {
        for (const part of parts) take(part, listening);
      },
    }),
  };
  obeyOrder(order, output, listening.state);
}

function take({ id, kind, markdown }: OutboundMessage, { answered, context }: Listening): MessageRef {
  const { texts } = answered;
  const { asJson, print, complain } = context;
  if (kind !== 'reply' && kind !== 'for_user') {
    if (kind !== 'status') complain(withoutElements(markdown));
    return { id };
  }
  const text = withoutElements(markdown);
  texts.push(text);
  if (!asJson) print(text);
  return { id };
}

/** Markdown without the elements that chats show in their own way: of an instant, its words stay. */
function withoutElements(markdown: string): string {
  return markdown.replace(/<time datetime="[^"<>]*">([^<>]*)<\/time>/g, '$1');
}

/** Resolves with the exit code: 0 if it was answered, and nothing waits for a person. */
export async function sayOnce(
  text: string,
  { answered }: { readonly answered: Answered },
  { state, context }: { readonly state: ChatState; readonly context: CommandContext },
): Promise<number> {
  const { asJson, print, complain, language } = context;
  const host = chatHost(state, '', () => {});
  const key = `once-${randomBytes(12).toString('hex')}`;
  const by = { id: 'local', name: '', isPerson: true };
  const conversation = { channel: 'terminal', chatId: 'local', kind: 'direct' } as const;
  const { notice } = await host.receive({
    type: 'message',
    key,
    conversation,
    sender: by,
    text,
    addressed: true,
    sentAt: Date.now(),
  });
  if (notice !== undefined) complain(notice);
  await host.whenIdle(conversation);
  const { waiting } = state;
  const { texts, failure } = answered;
  if (asJson) print(JSON.stringify({ answers: texts, failure, waiting }, undefined, 2));
  if (waiting > 0) complain(talkWords[language].waits({ count: waiting }));
  return waiting > 0 || failure !== undefined ? exitCodes.failed : exitCodes.done;
}
