import type { Approval } from '../../../approval/approval.ts';
import {
  type ChannelAdapter,
  ChannelError,
  type ChannelHost,
  type Conversation,
  type MessageRef,
  type OutboundFile,
  type OutboundMessage,
  type ReplyStream,
} from '../../../contract.ts';
import { untilAborted } from '../../../lib/clock.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { revealed } from '../../../lib/revealed-json.ts';
import { withTypedButtons } from '../../../lib/typed-buttons.ts';
import { formatSize } from '../../../tools/text.ts';
import type { DevicesCore } from '../device-book.ts';
import { deviceWords } from '../words.ts';
import { type ApprovalRequest, type ChatFrame, fileFacts } from './frames.ts';
import type { Piece, Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** The largest file shown to a device, in bytes. */
const largestDeviceFile = 50 * 2 ** 20;

/** Opens and closes the port. */
export interface GatewayPort {
  open(host: ChannelHost): Promise<void>;
  close(): Promise<void>;
}

interface ChannelContext {
  readonly core: DevicesCore;
  readonly sessions: Sessions;
  readonly opening: Opening;
}

/** Whether the channel is open: its signal aborts when it is stopped. It may be started again. */
class Opening {
  #stopped = new AbortController();

  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  begin(): void {
    this.#stopped = new AbortController();
  }

  end(): void {
    this.#stopped.abort();
  }
}

/** The chats of devices as a channel. A message to a session without listeners waits for one, without retries. */
export function deviceChannelAdapter(core: DevicesCore, sessions: Sessions, port: GatewayPort): ChannelAdapter {
  const { stored } = core;
  const context: ChannelContext = { core, sessions, opening: new Opening() };
  return {
    capabilities: {
      maxLength: 250_000,
      forms: true,
      maxFileBytes: largestDeviceFile,
      editPause: { direct: 0, group: 0 },
      history: false,
      folds: true,
    },
    measure: (markdown) => markdown.length,
    start: (host) => start(host, port, context),
    async stop() {
      context.opening.end();
      sessions.close();
      await port.close();
    },
    send: (to, message) => send(to, message, context),
    edit: (to, { id }, message) => edit(to, id, message, context),
    showStatus: (to, { callId, toolName, state, tip, duration }) =>
      show(to, { type: 'tool_status', id: callId, name: toolName, state, tip, duration_ms: duration }, sessions),
    showCall: (to, { callId, toolName, arguments: args }) =>
      show(to, { type: 'tool_call', id: callId, name: toolName, args }, sessions),
    showResult: (to, { callId, toolName, text, succeeded }) =>
      show(to, { type: 'tool_result', id: callId, name: toolName, output: text, success: succeeded }, sessions),
    showThinking: (to, delta) => show(to, { type: 'thinking', content: delta }, sessions),
    showFailure({ chatId }, failure) {
      const session = sessions.of(chatId);
      session.work();
      session.ends('failed', failure);
    },
    openStream: (to) => new ChatStream(to, context),
    async fetchAttachment({ handle }, { maxBytes }) {
      const bytes = await stored.files.received(handle);
      if (bytes === undefined)
        throw new ChannelError({ type: 'permanent' }, (language) => deviceWords[language].notKept);
      return bytes.length > maxBytes ? 'too-large' : bytes;
    },
  };
}

async function start(host: ChannelHost, port: GatewayPort, context: ChannelContext): Promise<void> {
  const { core, sessions, opening } = context;
  opening.begin();
  try {
    await core.stored.files.tidy(core.clock.now());
  } catch (error) {
    host.log.warn({ err: error }, 'the files of devices could not be tidied up');
  }
  sessions.open(host);
  await port.open(host);
}

async function send(to: Conversation, message: OutboundMessage, context: ChannelContext): Promise<MessageRef> {
  const session = await heard(to, context);
  const { id, kind, markdown } = message;
  if (asks(message)) return { id: await ask(session, message, context) };
  if (message.file !== undefined) await showFile(session, message, message.file, context);
  else if (kind !== 'notice' || !session.explain(markdown)) session.say(withTypedButtons(markdown, message.buttons));
  return { id };
}

async function edit(to: Conversation, id: string, message: OutboundMessage, context: ChannelContext): Promise<void> {
  const session = await heard(to, context);
  if (asks(message)) await ask(session, message, context);
  else if (message.kind === 'card') session.resolve(id, message.markdown);
  else session.say(withTypedButtons(message.markdown, message.buttons));
}

function show({ chatId }: Conversation, frame: ChatFrame, sessions: Sessions): void {
  const session = sessions.of(chatId);
  session.work();
  session.publish(frame);
}

/** Resolves once the session has a listener. Rejects with `ChannelError` if the channel is stopped before. */
async function heard(conversation: Conversation, context: ChannelContext): Promise<Session> {
  const { stopped } = context.opening;
  const session = context.sessions.of(conversation.chatId);
  if (!session.isHeard()) await untilAborted(session.whenHeard(), stopped);
  if (session.isHeard() || !stopped.aborted) return session;
  throw new ChannelError({ type: 'transient', isUnsent: true }, (language) => deviceWords[language].closed);
}

/** Also says the name as text: not every client shows files. */
async function showFile(
  session: Session,
  { id, markdown }: OutboundMessage,
  { name, mediaType, path }: OutboundFile,
  context: ChannelContext,
): Promise<void> {
  const { stored, clock } = context.core;
  const draft = { id, sessionId: session.id, name, mediaType, path, at: clock.now() };
  const shown = await stored.files.show(draft).catch((cause: unknown) => {
    throw new ChannelError({ type: 'transient' }, (language) => deviceWords[language].fileNotKept, { cause });
  });
  const line = `📎 ${inlineCode(shown.name)} (${formatSize(shown.size)})`;
  session.say([...(markdown === '' ? [] : [markdown]), line].join('\n\n'));
  session.publish({ type: 'file', ...fileFacts(shown) });
}

/** Returns the id of what is asked. */
async function ask(session: Session, message: OutboundMessage, { core }: ChannelContext): Promise<string> {
  const id = askedIn(message);
  session.ask(cardOf(id, message, await core.store.approvals.find(id), core.clock.now()));
  return id;
}

/** A streamed reply. */
class ChatStream implements ReplyStream {
  readonly #to: Conversation;
  readonly #context: ChannelContext;
  readonly #session: Session;
  #piece: Piece | undefined;

  constructor(to: Conversation, context: ChannelContext) {
    this.#to = to;
    this.#context = context;
    this.#session = context.sessions.of(to.chatId);
  }

  push(delta: string): void {
    if (delta === '') return;
    this.#piece ??= this.#session.addPiece();
    this.#session.write(this.#piece, delta);
  }

  async finish(parts: readonly OutboundMessage[], shown: (ref: MessageRef) => Promise<void>): Promise<void> {
    const [first] = parts;
    const piece = this.#piece;
    let rest = parts;
    if (first !== undefined && piece !== undefined) {
      await heard(this.#to, this.#context);
      const { text } = piece;
      // Cleaning and splitting change only the ends of the text: then the end of the turn shows it.
      const isLike = text.trim().startsWith(first.markdown.trim());
      if (text !== first.markdown) this.#session.rewrite(piece, first.markdown, isLike);
      await shown({ id: first.id });
      rest = parts.slice(1);
    }
    for (const part of rest) await shown(await send(this.#to, part, this.#context));
  }

  async cancel(): Promise<void> {
    if (this.#piece !== undefined) this.#session.rewrite(this.#piece, '');
    this.#piece = undefined;
  }
}

/** Only a card asks. What the buttons of a list do is typed. */
function asks({ kind, buttons = [] }: OutboundMessage): boolean {
  return kind === 'card' && buttons.some((row) => row.length > 0);
}

/** The id of the approval that a message with buttons is about; else the message's own id. */
function askedIn({ id: messageId, buttons = [] }: OutboundMessage): string {
  const [, id = messageId] = /^[a-z]+:([a-z0-9]+):/.exec(buttons.flat()[0]?.actionId ?? '') ?? [];
  return id;
}

/** The facts from which a client builds its own card. */
function cardOf(
  id: string,
  { markdown, buttons = [] }: OutboundMessage,
  approval: Approval | undefined,
  now: number,
): ApprovalRequest {
  const choices = buttons.flat().map(({ actionId, label, style, asks }) => ({ id: actionId, label, style, asks }));
  if (approval === undefined) return { id, tool: '', message: markdown, choices };
  const { toolName, description, requesterName, expiresAt } = approval;
  const asked = approval.type === 'permission' ? approval.asked : undefined;
  return {
    id,
    kind: approval.type === 'permission' ? 'call' : approval.type,
    tool: toolName,
    category: asked?.category,
    arguments: asked === undefined ? undefined : revealed(asked.arguments),
    reason: asked?.reason,
    description,
    requester: oneLine(requesterName, 40),
    message: markdown,
    choices,
    expires_ms: Math.max(0, expiresAt - now),
  };
}
