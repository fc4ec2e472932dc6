import {
  ChannelError,
  type ChannelHost,
  type Conversation,
  conversationId,
  type MessageMark,
  type MessageRef,
  type OutboundMessage,
} from '../../src/contract.ts';
import { lazyParser } from '../../src/lib/markdown-parser.ts';
import type { InLanguage } from '../../src/lib/words.ts';
import { createMarks, type Mark, type ShownMark } from '../kit/marks.ts';
import { acceptRefusal, isRefused, onRefusal, refusalCode } from '../kit/request-failure.ts';
import { bestEffort } from '../kit/retries.ts';
import { noFeature, type SlackApi, sentTs } from './api.ts';
import type { Content } from './content.ts';
import { emojiNameOf, noSuchReaction } from './emoji-names.ts';
import { FileSender } from './files.ts';
import { FormerSendings, metadataOf } from './former-sendings.ts';
import { Layout } from './layout.ts';
import { NativeStream, type Writers } from './native-stream.ts';
import { senderId } from './people.ts';
import { commanderOf, type ResponseUrls, showPrivately } from './private-answers.ts';
import { type SlackWords, slackWords, wordsFor } from './words.ts';
import type { Workspace } from './workspaces.ts';

const filePrefix = 'file:';
const ephemeralPrefix = 'ephemeral:';

export interface Memory {
  /** Where to answer commands in channels without the bot. */
  readonly urls: ResponseUrls;
  readonly writers: Writers;
}

type OutgoingHost = Pick<ChannelHost, 'clock' | 'log' | 'languageFor'>;

/** Sends in one workspace. Throws only `ChannelError`. */
export class Outgoing {
  readonly workspace: Workspace;
  readonly #memory: Memory;
  readonly #host: OutgoingHost;
  readonly #former: FormerSendings;
  readonly #files: FileSender;
  readonly #layout = new Layout(lazyParser());
  readonly #showMark: Mark;
  readonly #stream: NativeStream;
  #takesStatus = true;

  constructor(workspace: Workspace, memory: Memory, host: OutgoingHost) {
    const { api, botUserId } = workspace;
    this.workspace = workspace;
    this.#memory = memory;
    this.#host = host;
    this.#former = new FormerSendings(api, host.clock);
    this.#files = new FileSender(api, botUserId, this.#former);
    this.#showMark = slackMarks(api, host);
    this.#stream = new NativeStream(workspace, memory.writers, this.#former, host);
  }

  /** Answers to slash commands are shown only to the person who gave the command. */
  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    const { api } = this.workspace;
    const { file, privateTo, written } = message;
    const user = commanderOf(privateTo);
    if (user !== undefined) {
      if (file !== undefined) throw permanent((language) => slackWords[language].notToOnePerson);
      await showPrivately(api, { ...chatParameters(to), user }, message, this.#memory.urls.get(privateTo ?? ''));
      return { id: ephemeralPrefix + message.id };
    }
    if (file !== undefined) return { id: filePrefix + (await this.#files.send(to, message, file)) };
    const id = await this.#stream.start(to, written);
    if (id !== undefined && written !== undefined) return { id };
    if (id !== undefined)
      await bestEffort(() => this.remove(to, { id }), { log: this.#host.log, failure: 'a reply was left growing' });
    const postOnce = () => this.#layout.send(message, (content) => post(api, to, message.id, content));
    const ref = { id: await this.#former.once(to, message, postOnce) };
    return written === undefined ? ref : { ...ref, grows: false };
  }

  /** Replaces the text, also of a message that a stream left growing. */
  async edit(to: Conversation, { id }: MessageRef, message: OutboundMessage): Promise<void> {
    if (!isTimestamp(id)) throw permanent((language) => slackWords[language].onlyTextChanges);
    if (await this.#stream.show(id, message)) return;
    const metadata = metadataOf(message.id);
    const { api } = this.workspace;
    await this.#layout.send(message, (content) => change(api, 'chat.update', to, id, { ...content, metadata }));
  }

  /** Takes a message of text away. Succeeds if it is already gone. */
  async remove(to: Conversation, { id }: MessageRef): Promise<void> {
    this.#stream.forget(id);
    await change(this.workspace.api, 'chat.delete', to, id).catch(acceptRefusal('message_not_found'));
  }

  /**
   * Shows a status in a thread. Slack clears it with the next message, but not at the end of a stream, which needs no
   * status anyway. Does nothing where it is not supported.
   */
  async showTyping(to: Conversation): Promise<void> {
    if (this.#stream.isGrowingIn(to) || !this.#takesStatus || !to.threadId) return;
    const status = { channel_id: to.chatId, thread_ts: to.threadId, status: this.#wordsIn(to).isThinking };
    try {
      await this.workspace.api.call('assistant.threads.setStatus', status, { repeatable: true });
    } catch (error) {
      const isRefusal = refusalCode(error) !== undefined;
      if (!(error instanceof ChannelError) || !isRefusal || error.fault.type !== 'permanent') throw error;
      // Only assistant threads take a status: do not report that at every message.
      if (isRefused(error, noFeature)) this.#takesStatus = false;
      this.#host.log.debug({ reason: error.message }, 'a thread shows no status');
    }
  }

  /** Does nothing without the scope reactions:write. */
  async mark(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
    if (this.workspace.scopes?.has('reactions:write') ?? true) await this.#showMark(to, messageId, mark);
  }

  /** Slack's name of the reaction, as `:tada:`. The mark of a message in work goes. */
  async react({ chatId: channel }: Conversation, timestamp: string, emoji: string): Promise<string> {
    const { api } = this.workspace;
    const name = emojiNameOf(emoji);
    const request = (method: string, accepted: string, reaction: string): Promise<unknown> =>
      api.call(method, { channel, timestamp, name: reaction }, { repeatable: true }).catch(acceptRefusal(accepted));
    await request('reactions.add', 'already_reacted', name).catch(
      onRefusal(/^invalid_name$/, () => {
        throw noSuchReaction();
      }),
    );
    const quiet = { log: this.#host.log, failure: 'the mark of a message stays beside a reaction' };
    if (name !== reactions.seen)
      await bestEffort(() => request('reactions.remove', 'no_reaction', reactions.seen), quiet);
    return `:${name}:`;
  }

  /** Ends what still grows. */
  stop(): Promise<void> {
    return this.#stream.stop();
  }

  /** The words for the person who wrote there last. */
  #wordsIn(to: Conversation): SlackWords {
    const writer = this.#memory.writers.get(conversationId(to));
    return wordsFor(this.#host, writer && { id: senderId(writer), name: '', isPerson: true });
  }
}

async function post(api: SlackApi, to: Conversation, messageId: string, content: Content): Promise<string> {
  const quiet = { unfurl_links: false, unfurl_media: false };
  const message = { ...chatParameters(to), ...content, metadata: metadataOf(messageId), ...quiet };
  return sentTs('chat.postMessage', await api.call('chat.postMessage', message));
}

/** Edits or deletes. A message that a former process left growing is stopped first. */
async function change(
  api: SlackApi,
  method: string,
  { chatId: channel }: Conversation,
  ts: string,
  content = {},
): Promise<void> {
  const attempt = () => api.call(method, { channel, ts, ...content }, { repeatable: true });
  await attempt().catch(onRefusal(growing, () => stopGrowing(api, channel, ts).then(attempt)));
}

async function stopGrowing(api: SlackApi, channel: string, ts: string): Promise<void> {
  const stopping = api.call('chat.stopStream', { channel, ts }, { repeatable: true });
  await stopping.catch(acceptRefusal('message_not_in_streaming_state'));
}

/** Errors for changing a growing message; the second may have other causes. */
const growing = /^(?:streaming_state_conflict|cant_delete_message)$/;

/** Slack refuses an empty `thread_ts`. */
function chatParameters({ chatId, threadId }: Conversation): Readonly<Record<string, unknown>> {
  return { channel: chatId, thread_ts: threadId || undefined };
}

function isTimestamp(id: string): boolean {
  return /^\d+\.\d+$/.test(id);
}

function permanent(words: InLanguage): ChannelError {
  return new ChannelError({ type: 'permanent' }, words);
}

const reactions = { seen: 'eyes', done: 'white_check_mark' } as const satisfies Record<ShownMark, string>;

/** Nothing is wrong with the place. */
const messageCodes = /^(?:message_not_found|no_item_specified|bad_timestamp|too_many_(?:emoji|reactions))$/;

function slackMarks(api: SlackApi, host: OutgoingHost): Mark {
  const react =
    (method: string, accepted: string) =>
    async ({ chatId: channel }: Conversation, timestamp: string, mark: ShownMark): Promise<void> => {
      const reaction = { channel, timestamp, name: reactions[mark] };
      await api.call(method, reaction, { repeatable: true }).catch(acceptRefusal(accepted));
    };
  return createMarks({
    add: react('reactions.add', 'already_reacted'),
    remove: react('reactions.remove', 'no_reaction'),
    isAboutPlace: (error) => !isRefused(error, messageCodes),
    host,
  });
}
