import {
  type BareDeletion,
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelFault,
  type ChannelHost,
  type Conversation,
  type InboundEvent,
  type MessageRef,
  type ReplyStream,
  type SendPace,
} from '../../../contract.ts';
import { ExtensionError } from '../../../extension-kit/extension.ts';
import { type Clock, endsWithin } from '../../../lib/clock.ts';
import { isJsonObject } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { messageOf, oneLine } from '../../../lib/plain-text.ts';
import { languages, type Words } from '../../../lib/words.ts';
import { channelPluginWords } from './words.ts';

/**
 * Makes an external adapter keep the contract: it throws only `ChannelError`s, speaks only for its own channel and
 * cannot claim to be an owner; nothing waits for it forever. Throws `ExtensionError` if it is not an adapter.
 */
export function guardedAdapter(
  name: string,
  adapter: ChannelAdapter,
  { log, clock }: { readonly log: Log; readonly clock: Clock },
): ChannelAdapter {
  const guard: ChannelGuard = { name, log, clock };
  const capabilities = checked(adapter);
  return {
    capabilities,
    get heardAt() {
      return typeof adapter.heardAt === 'number' ? adapter.heardAt : undefined;
    },
    measure: (markdown) =>
      measured(
        quietly(() => adapter.measure(markdown), guard),
        markdown,
      ),
    start: async (host: ChannelHost) => adapter.start(guardedHost(name, host)),
    stop: async () => adapter.stop(),
    send: (to, message) => attempt(async () => refOf(await adapter.send(to, message)), guard),
    ...guardedOptions(adapter, guard),
  };
}

function guardedOptions(adapter: ChannelAdapter, guard: ChannelGuard): Partial<ChannelAdapter> {
  const tried = <Given extends unknown[], Result>(method: ((...given: Given) => Promise<Result>) | undefined) =>
    method && ((...given: Given): Promise<Result> => attempt(async () => method.apply(adapter, given), guard));
  const shown = <Given extends unknown[], Result>(method: ((...given: Given) => Result) | undefined) =>
    method && ((...given: Given): Result | undefined => quietly(() => method.apply(adapter, given), guard));
  const openStream = shown(adapter.openStream);
  return {
    edit: tried(adapter.edit),
    remove: tried(adapter.remove),
    showTyping: tried(adapter.showTyping),
    mark: tried(adapter.mark),
    react: tried(adapter.react),
    showStatus: shown(adapter.showStatus),
    showCall: shown(adapter.showCall),
    showResult: shown(adapter.showResult),
    showThinking: shown(adapter.showThinking),
    showFailure: shown(adapter.showFailure),
    openStream:
      openStream &&
      ((to, refused) => {
        const stream = openStream(to, refused);
        return stream && guardedStream(stream, guard);
      }),
    fetchAttachment: tried(adapter.fetchAttachment),
    startLink: shown(adapter.startLink),
    leave: tried(adapter.leave),
  };
}

function checked(adapter: ChannelAdapter): ChannelCapabilities {
  const { capabilities, measure, start, stop, send }: Partial<ChannelAdapter> = adapter ?? {};
  if ([measure, start, stop, send].some((method) => typeof method !== 'function'))
    throw new ExtensionError((language) => channelPluginWords[language].noAdapter);
  const {
    maxLength,
    maxFileBytes,
    editPause,
    heartbeat = 1,
    sendPace,
  }: Partial<ChannelCapabilities> = capabilities ?? {};
  const { direct = Number.NaN, group = Number.NaN, burst = Number.NaN, total = Number.NaN } = sendPace ?? anyPace;
  const numbers = [
    maxLength,
    maxFileBytes,
    editPause?.direct,
    editPause?.group,
    heartbeat,
    direct,
    group,
    burst,
    total,
  ];
  if (capabilities === undefined || !numbers.every((number) => typeof number === 'number' && number >= 0))
    throw new ExtensionError((language) => channelPluginWords[language].badCapabilities);
  return capabilities;
}

const anyPace: Partial<SendPace> = { direct: 0, group: 0, burst: 1, total: 0 };

/** Falls back to the plain length. */
function measured(length: number | undefined, markdown: string): number {
  return typeof length === 'number' && length >= 0 ? length : markdown.length;
}

function refOf(ref: MessageRef): MessageRef {
  const { id, grows }: Partial<MessageRef> = ref ?? {};
  if (typeof id !== 'string') throw new TypeError('send resolved without the id of what it sent');
  return { id, grows };
}

function guardedStream(stream: ReplyStream, guard: ChannelGuard): ReplyStream {
  return {
    push: (delta) => quietly(() => stream.push(delta), guard),
    finish: (parts, shown) => finish(stream, parts, shown, guard),
    cancel: () => attempt(async () => stream.cancel(), guard),
  };
}

async function finish(
  stream: ReplyStream,
  parts: Parameters<ReplyStream['finish']>[0],
  shown: Parameters<ReplyStream['finish']>[1],
  guard: ChannelGuard,
): Promise<void> {
  const ours: unknown[] = [];
  const noted = async (ref: MessageRef): Promise<void> =>
    shown(ref).catch((error: unknown) => {
      ours.push(error);
      throw error;
    });
  // Our own storage error is not the channel's fault.
  await attempt(async () => stream.finish(parts, noted), guard).catch((error: unknown) => {
    throw ours.length > 0 ? ours[0] : error;
  });
}

/** The host as an external channel sees it: accepts only complete events of its own channel. */
function guardedHost(name: string, host: ChannelHost): ChannelHost {
  return {
    ...host,
    async receive(event) {
      if (event.conversation !== undefined) refuseForeign(name, event.conversation);
      refuseNameless(event);
      refuseUnreadable(event);
      return host.receive(event);
    },
    async moved(from, chatId) {
      refuseForeign(name, from);
      return host.moved(from, chatId);
    },
  };
}

function refuseForeign(name: string, conversation: Conversation): void {
  if (conversation?.channel === name) return;
  const given = oneLine(String(conversation?.channel), 100);
  throw new TypeError(`A conversation of the channel ${name} has to have the channel "${name}", and not "${given}".`);
}

/** Text by others must be distinguishable from what the sender typed. */
function refuseUnreadable(event: InboundEvent | BareDeletion): void {
  const shared: unknown = 'shared' in event ? event.shared : undefined;
  if (shared === undefined || (Array.isArray(shared) && shared.every(isSharedText))) return;
  throw new TypeError('What is shared is a list of { how: "forwarded" or "inline_bot", name, text, isOwn }.');
}

function isSharedText(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { how, name, text, isOwn } = value;
  const isKnown = how === 'forwarded' || how === 'inline_bot';
  return isKnown && typeof name === 'string' && typeof text === 'string' && typeof isOwn === 'boolean';
}

function refuseNameless(event: InboundEvent | BareDeletion): void {
  const { key, sender, conversation } = event;
  if (event.type === 'deletion' && sender === undefined && typeof event.messageKey === 'string') return;
  const ids: readonly unknown[] = [key, sender?.id, conversation?.chatId];
  if (ids.every((id) => typeof id === 'string' && id !== '') && typeof sender?.isPerson === 'boolean') return;
  throw new TypeError('An event has a key, a chatId, and a sender with an id and isPerson.');
}

/** In ms. Files take time. */
const longestWork = 300_000;

interface ChannelGuard {
  readonly name: string;
  readonly log: Log;
  readonly clock: Clock;
}

/** Rejects only with a `ChannelError`. Any other error counts as permanent: it would fail again. */
async function attempt<Result>(work: () => Promise<Result>, guard: ChannelGuard): Promise<Result> {
  const { name, log, clock } = guard;
  try {
    const begun = work();
    if (await endsWithin(begun, { clock, milliseconds: longestWork })) return await begun;
    // A call that never ends would block its chat.
    throw new ChannelError({ type: 'ambiguous' }, (language) => channelPluginWords[language].unanswered);
  } catch (error) {
    const fault = knownFault(error);
    const message = messageOf(error);
    if (fault !== undefined)
      throw new ChannelError(fault, quietly(() => wordsOf(error), guard) ?? message, { cause: error });
    log.error({ channel: name, err: error }, 'a channel has thrown what is no ChannelError');
    throw new ChannelError(
      { type: 'permanent' },
      (language) => channelPluginWords[language].faulty({ error: message }),
      { cause: error },
    );
  }
}

/** Undefined if it throws, which is logged. */
function quietly<Result>(work: () => Result, { name, log }: ChannelGuard): Result | undefined {
  try {
    return work();
  } catch (error) {
    log.error({ channel: name, err: error }, 'a channel has thrown where it may not');
    return undefined;
  }
}

/** What a `ChannelError` says in each language; undefined if it says only one thing, as older ones do. */
function wordsOf(error: unknown): Words | undefined {
  const words: unknown = error instanceof Error ? Reflect.get(error, 'words') : undefined;
  if (typeof words !== 'function') return undefined;
  // At once, so that what it throws is noticed here. It may give anything.
  const [en, zh] = languages.map((language) => String(Reflect.apply(words, undefined, [language])));
  return (language) => (language === 'zh' ? zh : en) ?? '';
}

/** The fault of a `ChannelError`, even from another copy of the library; undefined for other errors. */
function knownFault(error: unknown): ChannelFault | undefined {
  if (!(error instanceof Error) || error.name !== 'ChannelError') return undefined;
  const fault: unknown = Reflect.get(error, 'fault');
  if (typeof fault !== 'object' || fault === null) return undefined;
  const { type, retryAfter, chatId }: { type?: unknown; retryAfter?: unknown; chatId?: unknown } = fault;
  switch (type) {
    case 'rate-limited':
      return typeof retryAfter === 'number' && retryAfter >= 0 ? { type, retryAfter } : { type: 'transient' };
    case 'moved':
      return typeof chatId === 'string' ? { type, chatId } : undefined;
    case 'transient':
    case 'permanent':
    case 'auth':
    case 'ambiguous':
      return { type };
  }
  return undefined;
}
