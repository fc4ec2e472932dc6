/*
 * Chats at this machine (`keyturn chat`): a connection of the local socket that stays open. The first one adds the channel
 * `machine`, and the last one removes it, so that nothing is sent where nobody reads.
 */

import type { ChannelHost, Conversation, InboundEvent } from '../../../contract.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import type { Language } from '../../../lib/words.ts';
import type { Channels } from '../../channels.ts';
import type { Services } from '../../services.ts';
import { machineChannel, machineSender, machineUser } from '../machine.ts';
import {
  type LocalAnswer,
  type LocalConnection,
  type LocalRequest,
  protocolVersion,
  RefusedRequest,
  readRequest,
} from '../protocol.ts';
import { localWords } from '../words.ts';
import { type ChatReceipt, type ChatRest, chatNames, type OpenedChat } from './chat-protocol.ts';
import { createSeats, machineAdapter, type Seats } from './machine-adapter.ts';
import { createSeat, type Seat } from './seat.ts';

export interface MachineChats {
  /** Makes the connection a chat. Rejects with `RefusedRequest`. */
  open(request: LocalRequest, connection: LocalConnection): Promise<OpenedChat>;
}

interface ChatsParts {
  readonly channels: Pick<Channels, 'attach' | 'detach' | 'watch'>;
  readonly store: Pick<Services['store'], 'approvals' | 'outbox'>;
  readonly deliver: Services['deliver'];
  readonly log: Log;
}

interface ChatsState extends ChatsParts {
  readonly seats: Seats;
  /** The channel comes and goes one change after the other. */
  changing: Promise<void>;
}

export function createMachineChats(parts: ChatsParts): MachineChats {
  const state: ChatsState = { ...parts, seats: createSeats(), changing: Promise.resolve() };
  return { open: (request, connection) => open(request, connection, state) };
}

async function open(
  { params, language }: LocalRequest,
  connection: LocalConnection,
  state: ChatsState,
): Promise<OpenedChat> {
  const { name = 'local' } = params;
  if (typeof name !== 'string' || !chatNames.test(name))
    throw new RefusedRequest('refused', localWords[language].wrongChatName);
  const seat = createSeat(name, connection);
  if (!connection.become((line) => void take(line, seat, connection, state)))
    throw new RefusedRequest('refused', localWords[language].tooManyStreams);
  await follow(seat, state);
  const { host } = state.seats;
  if (host === undefined) throw new RefusedRequest('ending', 'it ends just now');
  return { pid: process.pid, language: languageIn(host), commands: host.commands };
}

/** Adds the seat, and its channel if it is the first. */
async function follow(seat: Seat, state: ChatsState): Promise<void> {
  const { seats } = state;
  seats.all.add(seat);
  seat.gone.addEventListener('abort', () => leave(seat, state), { once: true });
  if (seat.gone.aborted) leave(seat, state);
  await changed(state);
  await showCards(seat, state);
  seats.taken.tell(seat);
}

/** The cards that wait in its chat: from the store, if nobody has had the chat open since the channel runs. */
async function showCards(seat: Seat, { seats, store, deliver, log }: ChatsState): Promise<void> {
  const known = seats.cards.get(seat.chatId);
  if (known === undefined) {
    seats.cards.set(seat.chatId, new Map());
    deliver(await store.outbox.showCardsAgain(machineChannel, conversationIdOf(seat)));
    return;
  }
  for (const message of [...known.values()].filter(({ id }) => !seat.sent.has(id)))
    seat.call({ do: 'send', message }).catch((err: unknown) => log.debug({ err }, 'a chat was closed'));
}

function leave(seat: Seat, state: ChatsState): void {
  state.seats.all.delete(seat);
  void changed(state);
}

/** Has the channel run while somebody has a chat open. */
function changed(state: ChatsState): Promise<void> {
  state.changing = state.changing.then(() => adapt(state));
  return state.changing;
}

async function adapt({ seats, channels, log }: ChatsState): Promise<void> {
  const isWanted = seats.all.size > 0;
  if (isWanted === (seats.host !== undefined)) return;
  try {
    if (isWanted) {
      await channels.attach(machineChannel, machineAdapter(seats));
      return;
    }
    await channels.detach(machineChannel);
    channels.watch.forget(machineChannel);
  } catch (err) {
    log.error({ err }, 'the chats of this machine could not follow');
  }
}

/** A line of an open chat. Requests are answered as they are done: one that waits holds up no other. */
async function take(line: string, seat: Seat, connection: LocalConnection, state: ChatsState): Promise<void> {
  const read = parseJson(line);
  const id = isJsonObject(read) && typeof read.id === 'number' ? read.id : 0;
  try {
    const request = readRequest(line);
    if (request.request === 'done') {
      seat.done(request.params);
      return;
    }
    const result = await answerOf(request, seat, state);
    const answer: Omit<LocalAnswer, 'result'> = { v: protocolVersion, id, ok: true };
    connection.write({ ...answer, result });
  } catch (error) {
    const refused = error instanceof RefusedRequest ? error : undefined;
    if (refused === undefined) state.log.warn({ err: error }, 'what was said in a chat of this machine was not taken');
    const { code, message } = refused ?? new RefusedRequest('fault', 'it could not be taken');
    connection.write({ v: protocolVersion, id, ok: false, code, reason: message });
  }
}

type ChatAnswer = ChatReceipt | ChatRest | { readonly names: readonly string[] };

async function answerOf({ request, params }: LocalRequest, seat: Seat, state: ChatsState): Promise<ChatAnswer> {
  const { host } = state.seats;
  // The client asks again once it runs again; the key of an event says that it is the same.
  if (host === undefined) throw new RefusedRequest('ending', 'it ends just now');
  const conversation = conversationOf(seat);
  switch (request) {
    case 'said':
    case 'pressed': {
      const { notice } = await host.receive(eventOf(request, params, conversation));
      return { notice, language: languageIn(host) };
    }
    case 'idle':
      await host.whenIdle(conversation);
      return { waiting: await waitingIn(seat, state) };
    case 'files':
      return { names: (await host.fileNames?.(conversation, sender(), textIn(params, 'folder'))) ?? [] };
    default:
      throw new RefusedRequest('unknown-request', 'there are: said, pressed, idle, files, done');
  }
}

/** What the person did. Who it was, and where, is not for the client to say. */
function eventOf(how: 'said' | 'pressed', params: JsonObject, conversation: Conversation): InboundEvent {
  const by = { key: textIn(params, 'key'), conversation, sender: sender() };
  if (how === 'pressed') {
    const messageRef = { id: textIn(params, 'message') };
    return { ...by, type: 'action', actionId: textIn(params, 'action'), messageRef };
  }
  const { sentAt = 0 } = params;
  if (typeof sentAt !== 'number' || !Number.isSafeInteger(sentAt))
    throw new RefusedRequest('wrong-params', '"sentAt" is a whole number: ms since 1970');
  return { ...by, type: 'message', text: textIn(params, 'text'), addressed: true, sentAt };
}

function textIn(params: JsonObject, field: string): string {
  const { [field]: text } = params;
  if (typeof text !== 'string') throw new RefusedRequest('wrong-params', `it needs a text "${field}"`);
  return text;
}

function conversationOf({ chatId }: Seat): Conversation {
  return { channel: machineChannel, chatId, kind: 'direct', title: chatId };
}

function sender() {
  return { id: machineSender, name: machineUser(), isPerson: true };
}

function languageIn(host: ChannelHost): Language {
  return host.languageFor?.(sender()) ?? 'en';
}

async function waitingIn(seat: Seat, { store }: ChatsState): Promise<number> {
  const pending = await store.approvals.pending();
  const id = conversationIdOf(seat);
  return pending.filter(({ conversationId, cardConversationIds }) =>
    [conversationId, ...cardConversationIds].includes(id),
  ).length;
}

function conversationIdOf({ chatId }: Seat): string {
  return `${machineChannel}:${encodeURIComponent(chatId)}`;
}
