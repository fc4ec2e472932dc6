import {
  type Conversation,
  conversationId,
  type MessageMark,
  type MessageRef,
  type OutboundMessage,
  type ReplyStream,
} from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { Remembered } from '../../src/lib/remembered.ts';
import type { Writer } from './incoming/last-writers.ts';
import { fetchFile } from './outgoing/download.ts';
import { Marks } from './outgoing/marks.ts';
import { MessageSender } from './outgoing/message-sender.ts';
import { respond } from './outgoing/respond.ts';
import type { ResponseUrls } from './outgoing/response-urls.ts';
import { ThreadStatus } from './outgoing/thread-status.ts';
import { uploadBytes } from './outgoing/upload.ts';
import { NativeStream } from './streaming/native-stream.ts';
import type { SlackApi } from './web-api/api.ts';
import type { Workspace } from './workspaces.ts';

export interface DeskDependencies {
  readonly workspace: Workspace;
  /** The Web API of the workspace, as it is reached now. */
  readonly api: Pick<SlackApi, 'call'>;
  readonly token: string;
  readonly apiUrl: string;
  readonly requestTimeoutSecs: number;
  readonly responseUrls: ResponseUrls;
  readonly clock: Clock;
  readonly log: Log;
}

/** More texts are not shown at a time beside a status. */
const mostStreams = 100;

/** All that goes out in one workspace. Its methods throw `ChannelError` and nothing else. */
export class Desk {
  readonly #dependencies: DeskDependencies;
  readonly #sender: MessageSender;
  readonly #marks: Marks;
  readonly #status: ThreadStatus;
  /** The latest of each conversation. */
  readonly #streams = new Remembered<string, NativeStream>(mostStreams);
  #takesStreams = true;

  constructor(dependencies: DeskDependencies) {
    this.#dependencies = dependencies;
    const { api, responseUrls: urls, clock, log } = dependencies;
    this.#sender = new MessageSender({
      ...{ api, clock, urls },
      respond: (url, content) => respond(url, content, dependencies),
      upload: (url, file) => uploadBytes(url, file, dependencies),
    });
    this.#marks = new Marks({ api });
    this.#status = new ThreadStatus({ api, log });
  }

  send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    return this.#sender.send(to, message);
  }

  edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
    return this.#sender.edit(to, ref, message);
  }

  remove(to: Conversation, ref: MessageRef): Promise<void> {
    return this.#sender.remove(to, ref);
  }

  /** Where a text grows, that says enough; and Slack would not take the status away when it is finished. */
  async showTyping(to: Conversation): Promise<void> {
    if (this.#streams.get(conversationId(to))?.isGrowing !== true) await this.#status.show(to);
  }

  /** Where the operator has not granted it, nothing is marked. */
  async mark(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
    if (this.#mayDo('reactions:write')) await this.#marks.mark(to, messageId, mark);
  }

  /** Only in a thread; in a channel only where it is known for whom it is written. Undefined elsewhere. */
  openStream(
    to: Conversation,
    recipient: Writer | undefined,
    begun: (refs: readonly MessageRef[]) => Promise<void>,
  ): ReplyStream | undefined {
    const isAddressed = to.kind === 'direct' || recipient !== undefined;
    if (!this.#takesStreams || to.threadId === undefined || !isAddressed) return undefined;
    const { workspace, api, clock, log } = this.#dependencies;
    const stream = new NativeStream({
      ...{ api, botUserId: workspace.botUserId, to, begun, clock, log },
      ...(recipient && { recipient }),
      send: (place, message) => this.send(place, message),
      edit: (place, ref, message) => this.edit(place, ref, message),
      remove: (place, ref) => this.remove(place, ref),
      switchOff: (code) => this.#switchOffStreams(code),
    });
    this.#streams.set(conversationId(to), stream);
    return stream;
  }

  fetchFile(
    fileId: string,
    limits: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array | 'too-large'> {
    const { api, token, apiUrl } = this.#dependencies;
    return fetchFile(fileId, { api, token, apiUrl, ...limits });
  }

  #switchOffStreams(code: string): void {
    this.#takesStreams = false;
    const { workspace, log } = this.#dependencies;
    log.warn(
      { team: workspace.teamId, code },
      'slack shows no growing replies here: they are shown by changing a message',
    );
  }

  #mayDo(scope: string): boolean {
    return this.#dependencies.workspace.scopes?.has(scope) ?? true;
  }
}
