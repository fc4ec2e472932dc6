import {
  ChannelError,
  type ChannelHost,
  type Conversation,
  conversationId,
  type MessageMark,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../../src/contract.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import { Marks } from '../kit/marks.ts';
import { refusalCode } from '../kit/request-failure.ts';
import { absence, isRefused, lostAnswer, noFeature, type SlackAnswer, type SlackApi } from './api.ts';
import { type Content, contentOf, plainContentOf } from './content.ts';
import { FileSender } from './files.ts';
import { FormerSendings, metadataOf } from './former-sendings.ts';
import { NativeStream } from './native-stream.ts';
import type { Writer } from './people.ts';
import { commanderOf, type ResponseUrls, respond } from './private-answers.ts';
import type { Workspace } from './workspaces.ts';

/** More texts are not shown at a time beside a status. */
const mostStreams = 100;

const filePrefix = 'file:';
const ephemeralPrefix = 'ephemeral:';

/** All that goes out in one workspace. What it does throws `ChannelError` and nothing else. */
export class Outgoing {
  readonly workspace: Workspace;
  readonly #api: SlackApi;
  readonly #urls: ResponseUrls;
  readonly #host: Pick<ChannelHost, 'clock' | 'log'>;
  readonly #former: FormerSendings;
  readonly #files: FileSender;
  readonly #marks: Marks;
  #takesStatus = true;
  /** The latest of each conversation. */
  readonly #streams = new Remembered<string, NativeStream>(mostStreams);
  #takesStreams = true;

  /** `urls`: where commands can be answered in channels that the bot is not in. */
  constructor(workspace: Workspace, urls: ResponseUrls, host: Pick<ChannelHost, 'clock' | 'log'>) {
    const { api, botUserId } = workspace;
    this.workspace = workspace;
    this.#api = api;
    this.#urls = urls;
    this.#host = host;
    this.#former = new FormerSendings(api, host.clock);
    this.#files = new FileSender(api, botUserId, this.#former);
    this.#marks = slackMarks(api);
  }

  /** Each session looks at a workspace again. Only where the operator has granted more or less does anything start over. */
  isFor({ botUserId, scopes }: Workspace): boolean {
    const known = this.workspace;
    return known.botUserId === botUserId && [...(known.scopes ?? [])].join() === [...(scopes ?? [])].join();
  }

  /** A message that answers a slash command is shown to the person who gave it, and to nobody else. */
  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    const commander = commanderOf(message.privateTo);
    if (message.file !== undefined && commander !== undefined)
      throw permanent('a file cannot be shown to one person alone');
    if (message.file !== undefined) return { id: filePrefix + (await this.#files.send(to, message, message.file)) };
    if (commander !== undefined) return this.#sendEphemeral(to, message, commander);
    const post = () => orPlain(message, (content) => this.#post(to, message.id, content));
    return { id: await this.#former.once(to, message, post) };
  }

  /** Shows another text in place of the one that stood there; of a message that a stream has left growing, too. */
  async edit(to: Conversation, { id }: MessageRef, message: OutboundMessage): Promise<void> {
    if (!isTimestamp(id)) throw permanent('only messages of text can be changed');
    const metadata = metadataIn(message.id);
    await orPlain(message, (content) => this.#change('chat.update', to, id, { ...content, metadata }));
  }

  /** A message that is gone already is no error. */
  async remove(to: Conversation, { id }: MessageRef): Promise<void> {
    if (id.startsWith(filePrefix)) return this.#files.remove(id.slice(filePrefix.length));
    if (!isTimestamp(id)) throw permanent('this message cannot be taken away');
    try {
      await this.#change('chat.delete', to, id);
    } catch (error) {
      if (refusalCode(error) !== 'message_not_found') throw error;
    }
  }

  /**
   * Says in a thread that an answer is coming. Slack takes it away with the next message, but not when a growing text is
   * finished: that says enough. Where it can't be said, it isn't.
   */
  async showTyping(to: Conversation): Promise<void> {
    const isShown = this.#streams.get(conversationId(to))?.isGrowing === true;
    if (isShown || !this.#takesStatus || !to.threadId) return;
    const status = { channel_id: to.chatId, thread_ts: to.threadId, status: 'is thinking…' };
    try {
      await this.#api.call('assistant.threads.setStatus', status, { repeatable: true });
    } catch (error) {
      const isRefusal = refusalCode(error) !== undefined;
      if (!(error instanceof ChannelError) || !isRefusal || error.fault.type !== 'permanent') throw error;
      // Threads that no assistant is in take none; that is no reason to say so at each message.
      if (isRefused(error, noFeature)) this.#takesStatus = false;
      this.#host.log.debug({ reason: error.message }, 'a thread shows no status');
    }
  }

  /** Where the operator has not granted it, nothing is marked. */
  async mark(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
    const mayMark = this.workspace.scopes?.has('reactions:write') ?? true;
    if (mayMark) await this.#marks.show(to, messageId, mark);
  }

  /** Only in a thread, and in a channel only if the reader is known. Undefined elsewhere. */
  openStream(
    to: Conversation,
    recipient: Writer | undefined,
    begun: (refs: readonly MessageRef[]) => Promise<void>,
  ): ReplyStream | undefined {
    const isAddressed = to.kind === 'direct' || recipient !== undefined;
    if (!this.#takesStreams || to.threadId === undefined || !isAddressed) return undefined;
    const { botUserId } = this.workspace;
    const switchOff = (code: string): void => {
      this.#takesStreams = false;
      const words = 'slack shows no growing replies here: they are shown by changing a message';
      this.#host.log.warn({ team: this.workspace.teamId, code }, words);
    };
    const parts = { api: this.#api, sender: this, ...this.#host };
    const stream = new NativeStream({ ...parts, botUserId, to, recipient, begun, switchOff });
    this.#streams.set(conversationId(to), stream);
    return stream;
  }

  async #post(to: Conversation, messageId: string, content: Content): Promise<string> {
    const answer = await this.#api.call('chat.postMessage', {
      ...placeOf(to),
      ...content,
      metadata: metadataIn(messageId),
      unfurl_links: false,
      unfurl_media: false,
    });
    return timestampIn(answer, 'ts', 'chat.postMessage');
  }

  async #sendEphemeral(to: Conversation, message: OutboundMessage, userId: string): Promise<MessageRef> {
    try {
      return await orPlain(message, async (content) => {
        const answer = await this.#api.call('chat.postEphemeral', { ...placeOf(to), user: userId, ...content });
        return { id: ephemeralPrefix + timestampIn(answer, 'message_ts', 'chat.postEphemeral') };
      });
    } catch (error) {
      const url = isRefused(error, absence) ? this.#urls.take(message.privateTo ?? '') : undefined;
      if (url === undefined) throw error;
      await respond(this.#api, url, contentOf(message));
      return { id: `${ephemeralPrefix}response` };
    }
  }

  /** What grows has to be stopped before it can be changed: a former process may have left it so. */
  async #change(method: string, { chatId: channel }: Conversation, ts: string, content: object = {}): Promise<void> {
    const api = this.#api;
    const change = () => api.call(method, { channel, ts, ...content }, { repeatable: true });
    try {
      await change();
    } catch (error) {
      if (!isRefused(error, growing)) throw error;
      try {
        await api.call('chat.stopStream', { channel, ts }, { repeatable: true });
      } catch (refusal) {
        if (refusalCode(refusal) !== 'message_not_in_streaming_state') throw refusal;
      }
      await change();
    }
  }
}

/** With these, Slack refuses a change of what grows; the second one may have other reasons. */
const growing = /^(?:streaming_state_conflict|cant_delete_message)$/;

/** Formatting that Slack does not take must not cost the message: it goes without. */
async function orPlain<Result>(
  message: OutboundMessage,
  request: (content: Content) => Promise<Result>,
): Promise<Result> {
  try {
    return await request(contentOf(message));
  } catch (error) {
    if (!isRefused(error, /^invalid_blocks/)) throw error;
    return request(plainContentOf(message));
  }
}

/** Slack refuses an empty `thread_ts`. */
function placeOf({ chatId, threadId }: Conversation): Readonly<Record<string, unknown>> {
  return { channel: chatId, thread_ts: threadId || undefined };
}

/** A preview is of no message yet. */
function metadataIn(messageId: string): object | undefined {
  return messageId === '' ? undefined : metadataOf(messageId);
}

function timestampIn(answer: SlackAnswer, key: 'ts' | 'message_ts', method: string): string {
  const { [key]: ts } = answer;
  if (typeof ts === 'string') return ts;
  throw lostAnswer(method, 'the answer does not name the message', false);
}

function isTimestamp(id: string): boolean {
  return /^\d+\.\d+$/.test(id);
}

function permanent(words: string): ChannelError {
  return new ChannelError({ type: 'permanent' }, `Slack: ${words}.`);
}

const reactions = { seen: 'eyes', working: 'hourglass_flowing_sand', done: 'white_check_mark' } as const;

function slackMarks(api: Pick<SlackApi, 'call'>): Marks {
  const react =
    (method: string, accepted: string) =>
    async ({ chatId }: Conversation, timestamp: string, mark: MessageMark): Promise<void> => {
      try {
        await api.call(method, { channel: chatId, timestamp, name: reactions[mark] }, { repeatable: true });
      } catch (error) {
        if (refusalCode(error) !== accepted) throw error;
      }
    };
  return new Marks(react('reactions.add', 'already_reacted'), react('reactions.remove', 'no_reaction'));
}
