/*
 * The chats at this machine as a channel. What is for a chat goes to all who have it open; it is shown when the first of them
 * has shown it. While nobody has it open, it waits, without retries.
 */

import {
  type ChannelAdapter,
  ChannelError,
  type ChannelHost,
  type Conversation,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../../../contract.ts';
import { untilAborted } from '../../../lib/clock.ts';
import { type Signal, signal } from '../../../lib/live.ts';
import { machineSender, machineUser } from '../machine.ts';
import { localWords } from '../words.ts';
import type { ChatCall, ChatOrder } from './chat-protocol.ts';
import type { Seat } from './seat.ts';

/** The chats that are open. */
export interface Seats {
  readonly all: Set<Seat>;
  /** Somebody has opened a chat. */
  readonly taken: Signal<Seat>;
  /** Cards that wait for an answer, by chat and by the id of their message: who opens the chat later sees them, too. */
  readonly cards: Map<string, Map<string, OutboundMessage>>;
  /** While the channel runs. */
  host: ChannelHost | undefined;
  stopped: AbortController;
  streams: number;
}

export function createSeats(): Seats {
  const stopped = new AbortController();
  return { all: new Set(), taken: signal(), cards: new Map(), host: undefined, stopped, streams: 0 };
}

export function machineAdapter(seats: Seats): ChannelAdapter {
  return {
    capabilities: {
      maxLength: 1_000_000,
      forms: false,
      maxFileBytes: 0,
      editPause: { direct: 0, group: 0 },
      history: false,
    },
    localOwner: { id: machineSender, name: machineUser(), isPerson: true },
    measure: (markdown) => markdown.length,
    async start(host) {
      seats.stopped = new AbortController();
      seats.host = host;
      host.reportHealth({ status: 'connected', account: machineUser() });
    },
    async stop() {
      seats.stopped.abort();
      seats.host = undefined;
      seats.cards.clear();
    },
    send: (to, message) => send(to, message, seats),
    edit: async (to, ref, message) => {
      await show(to, { do: 'edit', ref, message }, seats);
      noteCard(to, ref.id, message, seats);
    },
    showTyping: async (to) => tell(to, { do: 'typing' }, seats),
    showStatus: (to, status) => tell(to, { do: 'status', status }, seats),
    showFailure: (to, failure) => tell(to, { do: 'failure', failure }, seats),
    openStream: (to) => (seatsOf(to, seats).length === 0 ? undefined : openStream(to, seats)),
  };
}

async function send(to: Conversation, message: OutboundMessage, seats: Seats): Promise<MessageRef> {
  await show(to, { do: 'send', message }, seats);
  return { id: message.id };
}

/** Before it is shown: who opens the chat meanwhile sees it, too, and nobody twice. */
function noteSent(to: Conversation, message: OutboundMessage, open: readonly Seat[], seats: Seats): void {
  noteCard(to, message.id, message, seats);
  if (message.kind === 'card') for (const seat of open) seat.sent.add(message.id);
}

function noteCard({ chatId }: Conversation, id: string, message: OutboundMessage, { cards }: Seats): void {
  const { kind, buttons = [] } = message;
  const ofChat = cards.get(chatId) ?? new Map<string, OutboundMessage>();
  cards.set(chatId, ofChat);
  if (kind === 'card' && buttons.flat().length > 0) ofChat.set(id, message);
  else ofChat.delete(id);
}

function seatsOf({ chatId }: Conversation, { all }: Seats): readonly Seat[] {
  return [...all].filter((seat) => seat.chatId === chatId);
}

function tell(to: Conversation, order: ChatOrder, seats: Seats): void {
  for (const seat of seatsOf(to, seats)) seat.tell(order);
}

async function show(to: Conversation, order: ChatCall, seats: Seats): Promise<void> {
  const open = await whenOpen(to, seats);
  if (order.do === 'send') noteSent(to, order.message, open, seats);
  try {
    await Promise.any(open.map((seat) => seat.call(order)));
  } catch (cause) {
    throw new ChannelError({ type: 'transient' }, (language) => localWords[language].chatClosed, { cause });
  }
}

/** Those who have the chat open, once there is one. Rejects with `ChannelError` if the channel is stopped before. */
async function whenOpen(to: Conversation, seats: Seats): Promise<readonly Seat[]> {
  const { stopped, taken } = seats;
  while (!stopped.signal.aborted && seatsOf(to, seats).length === 0) {
    const opened = Promise.withResolvers<void>();
    const leave = taken.listen(() => opened.resolve());
    await untilAborted(opened.promise, stopped.signal);
    leave();
  }
  if (!stopped.signal.aborted) return seatsOf(to, seats);
  throw new ChannelError({ type: 'transient', isUnsent: true }, (language) => localWords[language].chatClosed);
}

/** A reply that grows before everybody's eyes. */
function openStream(to: Conversation, seats: Seats): ReplyStream {
  seats.streams += 1;
  const stream = seats.streams;
  return {
    push: (delta) => tell(to, { do: 'push', stream, delta }, seats),
    async finish(parts, shown) {
      await show(to, { do: 'finish', stream, parts }, seats);
      for (const { id } of parts) await shown({ id });
    },
    async cancel() {
      await Promise.allSettled(seatsOf(to, seats).map((seat) => seat.call({ do: 'cancel', stream })));
    },
  };
}
