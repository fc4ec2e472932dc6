import {
  ChannelError,
  type ChannelHost,
  type Conversation,
  conversationId,
  type OutboundMessage,
} from '../../src/contract.ts';
import type { Remembered } from '../../src/lib/remembered.ts';
import { settledLength } from '../../src/lib/split/settled-markdown.ts';
import { isRefused, refusalCode } from '../kit/request-failure.ts';
import { bestEffort } from '../kit/retries.ts';
import { noFeature, sentTs } from './api.ts';
import { shownMarkdown } from './content.ts';
import { type FormerSendings, metadataOf, type Standing } from './former-sendings.ts';
import type { Writer } from './people.ts';
import type { Workspace } from './workspaces.ts';

/** By conversation: the last person who addressed the bot. */
export type Writers = Remembered<string, Writer>;

interface Growing {
  readonly to: Conversation;
  shown: string;
  readonly callOff: () => void;
}

/** Slack ends a growing message after about five minutes; then it looks broken until it is edited. In ms. */
const oldest = 240_000;

/**
 * Previews as messages that grow, Slack's own streaming. A message grows until its end, until its text changes in
 * another way, or until Slack would end it; from then on it is edited.
 */
export class NativeStream {
  readonly #workspace: Workspace;
  readonly #writers: Writers;
  readonly #former: FormerSendings;
  readonly #host: Pick<ChannelHost, 'clock' | 'log'>;
  /** By `ts`. */
  readonly #growing = new Map<string, Growing>();
  #isSupported = true;

  constructor(
    workspace: Workspace,
    writers: Writers,
    former: FormerSendings,
    host: Pick<ChannelHost, 'clock' | 'log'>,
  ) {
    this.#workspace = workspace;
    this.#writers = writers;
    this.#former = former;
    this.#host = host;
  }

  forget(ts: string): void {
    this.#growing.get(ts)?.callOff();
    this.#growing.delete(ts);
  }

  /** Whether a message of the bot grows there. */
  isGrowingIn(conversation: Conversation): boolean {
    return [...this.#growing.values()].some(({ to }) => conversationId(to) === conversationId(conversation));
  }

  /**
   * Starts a message and returns its `ts`. Only in threads, and in channels only if the reader is known; undefined
   * where it is not supported. After a start whose answer was lost, returns the message of that one if it is there,
   * also if nothing is written. Throws `ChannelError`, never an ambiguous one.
   */
  async start(to: Conversation, written: string | undefined): Promise<string | undefined> {
    const { botUserId } = this.#workspace;
    const isUnknown = ({ ts, user }: Standing['growing'][number]) => user === botUserId && !this.#growing.has(ts);
    const find = (standing: Standing) => standing.growing.findLast(isUnknown)?.ts;
    const id = `stream:${conversationId(to)}`;
    try {
      return (await this.#former.once(to, { id }, () => this.#begin(to, written), find)) || undefined;
    } catch (error) {
      const isLost = error instanceof ChannelError && error.fault.type === 'ambiguous';
      throw isLost ? new ChannelError({ type: 'transient' }, error.words) : error;
    }
  }

  /** Makes a message show more, or its end. False if it has to be edited. Throws `ChannelError`. */
  async show(ts: string, { id, markdown, buttons = [], written }: OutboundMessage): Promise<boolean> {
    const message = this.#growing.get(ts);
    if (message === undefined) return false;
    const { shown, to } = message;
    const isEnd = written === undefined;
    const wanted = isEnd ? shownMarkdown(markdown).trimEnd() : shownPart(written);
    if (!isEnd && shown.startsWith(wanted)) return true;
    if (!wanted.startsWith(shown) || buttons.length > 0) {
      this.forget(ts);
      return false;
    }
    const { api } = this.#workspace;
    const change = { channel: to.chatId, ts, markdown_text: wanted.slice(shown.length) || undefined };
    try {
      if (isEnd) await api.call('chat.stopStream', { ...change, metadata: metadataOf(id) }, { repeatable: true });
      else await api.call('chat.appendStream', change, { repeatable: true });
      message.shown = wanted;
      if (isEnd) this.forget(ts);
      return true;
    } catch (error) {
      const type = error instanceof ChannelError ? error.fault.type : undefined;
      // What it shows is uncertain, unless Slack asked to wait: an edit mends that.
      if (type !== 'rate-limited') this.forget(ts);
      if (type === 'permanent') return false;
      throw error;
    }
  }

  /** Stops all of them. What they show can be edited by the next process. */
  async stop(): Promise<void> {
    await Promise.all([...this.#growing].map(([ts, { to }]) => this.#end(ts, to)));
  }

  async #begin(to: Conversation, written: string | undefined): Promise<string> {
    const { api, teamId: team } = this.#workspace;
    const { chatId: channel, threadId: thread_ts, kind } = to;
    const reader = this.#writers.get(conversationId(to));
    const isShown = this.#isSupported && thread_ts !== undefined && (kind === 'direct' || reader !== undefined);
    if (written === undefined || !isShown) return '';
    const shown = shownPart(written);
    const recipient = { recipient_user_id: reader?.id, recipient_team_id: reader?.teamId };
    try {
      const message = { channel, thread_ts, ...recipient, markdown_text: shown || undefined };
      const ts = sentTs('chat.startStream', await api.call('chat.startStream', message));
      const callOff = this.#host.clock.after(oldest, () => void this.#end(ts, to));
      this.#growing.set(ts, { to, shown, callOff });
      return ts;
    } catch (error) {
      if (!isRefused(error, noFeature)) throw error;
      this.#isSupported = false;
      const code = refusalCode(error);
      this.#host.log.warn({ team, code }, 'slack shows no growing replies here: they are shown by changing a message');
      return '';
    }
  }

  async #end(ts: string, { chatId: channel }: Conversation): Promise<void> {
    this.forget(ts);
    const end = () => this.#workspace.api.call('chat.stopStream', { channel, ts }, { repeatable: true });
    await bestEffort(end, { log: this.#host.log, failure: 'a reply was left growing' });
  }
}

/** The beginning of a growing text, as shown, up to where its formatting can no longer change: nothing is taken back. */
function shownPart(text: string): string {
  return shownMarkdown(text.slice(0, settledLength(text))).trimEnd();
}
