/*
 * The terminal's channel in a program of its own: what it takes in goes to the running daemon, and what the daemon has to show
 * goes to it. To the channel, this is the host.
 */

import type {
  BareDeletion,
  ChannelAdapter,
  ChannelHost,
  Conversation,
  InboundEvent,
  OfferedCommand,
  Receipt,
  ReplyStream,
} from '../../../contract.ts';
import type { ChatOrder, ChatReceipt, ChatRest, OpenedChat } from '../../../daemon/local-socket/chats/chat-protocol.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { silentLog } from '../../../lib/log.ts';
import { messageOf } from '../../../lib/plain-text.ts';
import type { Language } from '../../../lib/words.ts';
import { hasFields, withoutAnswer } from '../../ask-daemon.ts';
import type { StreamLink } from '../../stream-link.ts';

/** Where the terminal's channel shows its only chat. */
const here: Conversation = { channel: 'terminal', chatId: 'local', kind: 'direct' };

/** What is asked of the daemon: its link comes when it is open. */
export interface ChatState {
  link: StreamLink | undefined;
  language: Language;
  commands: readonly OfferedCommand[];
  /** How many things wait for a person since it was idle last. */
  waiting: number;
  /** Orders that are being carried out. */
  readonly working: Set<Promise<void>>;
  readonly streams: Map<number, ReplyStream>;
}

export function newChatState(language: Language): ChatState {
  return { link: undefined, language, commands: [], waiting: 0, working: new Set(), streams: new Map() };
}

/** `ended`: no more will be said here. */
export function chatHost(state: ChatState, dataFolder: string, ended: () => void): ChannelHost {
  return {
    receive: (event) => receive(event, state),
    moved: async () => {},
    conversations: async () => [],
    whenIdle: () => whenIdle(state),
    reportHealth() {},
    reportEnd: ended,
    requestStop: ended,
    get commands() {
      return state.commands;
    },
    languageFor: () => state.language,
    dataFolder,
    fileNames: async (_conversation, _sender, folder) =>
      (await asked<{ readonly names: readonly string[] }>('files', { folder }, ['names'], state)).names,
    log: silentLog,
    clock: systemClock,
  };
}

/** The daemon has answered the opening of the chat. */
export function takeOpening(result: unknown, state: ChatState): OpenedChat {
  if (!hasFields<OpenedChat>(result, ['pid', 'language', 'commands'])) throw withoutAnswer();
  state.language = result.language;
  state.commands = result.commands;
  // Replies that grew are shown anew by the daemon's next process.
  for (const stream of state.streams.values()) void stream.cancel().catch(() => {});
  state.streams.clear();
  return result;
}

async function receive(event: InboundEvent | BareDeletion, state: ChatState): Promise<Receipt> {
  const { notice, language } = await asked<ChatReceipt>(...requestOf(event), ['language'], state);
  state.language = language;
  return notice === undefined ? {} : { notice };
}

function requestOf(event: InboundEvent | BareDeletion): readonly [string, JsonObject] {
  const { type, key } = event;
  if (type === 'message') return ['said', { key, text: event.text, sentAt: event.sentAt }];
  if (type !== 'action') throw new TypeError(`a terminal has no event ${type}`);
  return ['pressed', { key, action: event.actionId, message: event.messageRef?.id ?? '' }];
}

/** Also waits until all that has come is shown here. */
async function whenIdle(state: ChatState): Promise<void> {
  const { waiting } = await asked<ChatRest>('idle', {}, ['waiting'], state);
  state.waiting = waiting;
  await Promise.all(state.working);
}

async function asked<Facts extends object>(
  request: string,
  params: JsonObject,
  fields: readonly (keyof Facts & string)[],
  { link }: ChatState,
): Promise<Facts> {
  if (link === undefined) throw withoutAnswer();
  const result = await link.ask(request, params);
  if (hasFields<Facts>(result, fields)) return result;
  throw withoutAnswer();
}

/** Has the channel show what the daemon wants shown, and tells it. Never rejects. */
export function obeyOrder(order: ChatOrder, adapter: Pick<ChannelAdapter, OrderDeed>, state: ChatState): void {
  const call = 'call' in order ? order.call : undefined;
  const work = carryOut(order, adapter, state)
    .then(
      () => undefined,
      (error: unknown) => messageOf(error),
    )
    .then((fault) => {
      if (call !== undefined) state.link?.say('done', { call, ...(fault === undefined ? {} : { fault }) });
    })
    .finally(() => state.working.delete(work));
  state.working.add(work);
}

type OrderDeed = 'send' | 'edit' | 'showTyping' | 'showStatus' | 'openStream';

async function carryOut(order: ChatOrder, adapter: Pick<ChannelAdapter, OrderDeed>, state: ChatState): Promise<void> {
  const { streams } = state;
  switch (order.do) {
    case 'send':
      await adapter.send(here, order.message);
      return;
    case 'edit':
      return adapter.edit?.(here, order.ref, order.message);
    case 'push':
      streamOf(order.stream, adapter, state)?.push(order.delta);
      return;
    case 'finish': {
      const stream = streamOf(order.stream, adapter, state);
      streams.delete(order.stream);
      return stream?.finish(order.parts, async () => {});
    }
    case 'cancel': {
      const stream = streams.get(order.stream);
      streams.delete(order.stream);
      return stream?.cancel();
    }
    case 'typing':
      return adapter.showTyping?.(here);
    case 'status':
      adapter.showStatus?.(here, order.status);
      return;
    case 'failure':
  }
}

function streamOf(
  id: number,
  adapter: Pick<ChannelAdapter, OrderDeed>,
  { streams }: ChatState,
): ReplyStream | undefined {
  const stream = streams.get(id) ?? adapter.openStream?.(here);
  if (stream !== undefined) streams.set(id, stream);
  return stream;
}
