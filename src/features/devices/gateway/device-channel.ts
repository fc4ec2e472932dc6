import type { Approval } from '../../../approval/approval.ts';
import {
  type ChannelAdapter,
  ChannelError,
  type ChannelHost,
  type Conversation,
  conversationId,
  type MessageRef,
  type OutboundFile,
  type OutboundMessage,
  type ReplyStream,
} from '../../../contract.ts';
import { untilAborted } from '../../../lib/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../lib/json.ts';
import { inlineCode, oneLine, reveal } from '../../../lib/plain-text.ts';
import { formatSize } from '../../../tools/text.ts';
import type { DevicesCore } from '../device-book.ts';
import { deviceWords } from '../words.ts';
import { type ApprovalRequest, type ChatFrame, fileFacts } from './frames.ts';
import type { Piece, Session } from './session.ts';
import type { Sessions } from './sessions.ts';

/** The largest file shown to a device, in bytes. */
const largestDeviceFile = 50 * 2 ** 20;

/** The chats of devices as a channel. A message to a session without listeners waits for one, without retries. */
export function deviceChannelAdapter(
  { store, stored, readers, clock }: DevicesCore,
  sessions: Sessions,
  server: { open(host: ChannelHost): Promise<void>; close(): Promise<void> },
): ChannelAdapter {
  let stopped = new AbortController();

  function show({ chatId }: Conversation, frame: ChatFrame): void {
    const session = sessions.of(chatId);
    session.work();
    session.publish(frame);
  }

  const wordsFor = (place: Conversation) => deviceWords[readers.forPlace(conversationId(place)).language];

  async function heard(place: Conversation): Promise<Session> {
    const session = sessions.of(place.chatId);
    if (!session.isHeard()) await untilAborted(session.whenHeard(), stopped.signal);
    if (session.isHeard() || !stopped.signal.aborted) return session;
    throw new ChannelError({ type: 'transient', isUnsent: true }, wordsFor(place).closed);
  }

  /** Also says the name as text: not every client shows files. */
  async function showFile(
    to: Conversation,
    session: Session,
    { id, markdown }: OutboundMessage,
    { name, mediaType, path }: OutboundFile,
  ): Promise<void> {
    const draft = { id, sessionId: session.id, name, mediaType, path, at: clock.now() };
    const shown = await stored.files.show(draft).catch((cause: unknown) => {
      throw new ChannelError({ type: 'transient' }, wordsFor(to).fileNotKept, { cause });
    });
    const line = `📎 ${inlineCode(shown.name)} (${formatSize(shown.size)})`;
    session.say([...(markdown === '' ? [] : [markdown]), line].join('\n\n'));
    session.publish({ type: 'file', ...fileFacts(shown) });
  }

  /** Returns the id of what is asked. */
  async function ask(session: Session, message: OutboundMessage): Promise<string> {
    const id = askedIn(message);
    session.ask(cardOf(id, message, await store.approvals.find(id), clock.now()));
    return id;
  }

  async function send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    const session = await heard(to);
    const { id, kind, markdown } = message;
    if (asks(message)) return { id: await ask(session, message) };
    if (message.file !== undefined) await showFile(to, session, message, message.file);
    else if (kind !== 'notice' || !session.explain(markdown)) session.say(markdown);
    return { id };
  }

  return {
    capabilities: {
      maxLength: 250_000,
      forms: true,
      maxFileBytes: largestDeviceFile,
      editPause: { direct: 0, group: 0 },
      history: false,
    },
    measure: (markdown) => markdown.length,
    async start(host) {
      stopped = new AbortController();
      try {
        await stored.files.tidy(clock.now());
      } catch (error) {
        host.log.warn({ err: error }, 'the files of devices could not be tidied up');
      }
      sessions.open(host);
      await server.open(host);
    },
    async stop() {
      stopped.abort();
      sessions.close();
      await server.close();
    },
    send,
    async edit(to, { id }, message) {
      const session = await heard(to);
      if (asks(message)) await ask(session, message);
      else if (message.kind === 'card') session.resolve(id, message.markdown);
      else session.say(message.markdown);
    },
    showStatus: (to, { callId, toolName, state, tip, duration }) =>
      show(to, { type: 'tool_status', id: callId, name: toolName, state, tip, duration_ms: duration }),
    showCall: (to, { callId, toolName, arguments: args }) =>
      show(to, { type: 'tool_call', id: callId, name: toolName, args }),
    showResult: (to, { callId, toolName, text, succeeded }) =>
      show(to, { type: 'tool_result', id: callId, name: toolName, output: text, success: succeeded }),
    showThinking: (to, delta) => show(to, { type: 'thinking', content: delta }),
    showFailure({ chatId }, failure) {
      const session = sessions.of(chatId);
      session.work();
      session.ends('failed', failure);
    },
    openStream: (to) =>
      chatStream(
        sessions.of(to.chatId),
        () => heard(to),
        (message) => send(to, message),
      ),
    async fetchAttachment({ handle }, { maxBytes }) {
      const bytes = await stored.files.received(handle);
      if (bytes === undefined) throw new ChannelError({ type: 'permanent' }, 'It is no longer kept.');
      return bytes.length > maxBytes ? 'too-large' : bytes;
    },
  };
}

/** A streamed reply. `heard` resolves once the session has a listener, or rejects with `ChannelError` on close. */
function chatStream(
  session: Session,
  heard: () => Promise<unknown>,
  send: (message: OutboundMessage) => Promise<MessageRef>,
): ReplyStream {
  let piece: Piece | undefined;
  return {
    push(delta) {
      if (delta === '') return;
      piece ??= session.addPiece();
      session.write(piece, delta);
    },
    async finish(parts, shown) {
      const [first] = parts;
      let rest = parts;
      if (first !== undefined && piece !== undefined) {
        await heard();
        const { text } = piece;
        // Cleaning and splitting change only the ends of the text: then the end of the turn shows it.
        const isLike = text.trim().startsWith(first.markdown.trim());
        if (text !== first.markdown) session.rewrite(piece, first.markdown, isLike);
        await shown({ id: first.id });
        rest = parts.slice(1);
      }
      for (const part of rest) await shown(await send(part));
    },
    async cancel() {
      if (piece !== undefined) session.rewrite(piece, '');
      piece = undefined;
    },
  };
}

function asks({ buttons = [] }: OutboundMessage): boolean {
  return buttons.some((row) => row.length > 0);
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

/** Shows hidden characters, as every card does: a person approves only what they can read. */
function revealed(args: JsonObject): JsonObject {
  const shown: unknown = JSON.parse(JSON.stringify(args), (_key, part: JsonValue) => {
    if (typeof part === 'string') return reveal(part);
    if (!isJsonObject(part)) return part;
    const members = new Map<string, JsonValue>();
    for (const [key, value] of Object.entries(part)) {
      let name = reveal(key);
      // Keys that look alike once revealed stay apart.
      while (members.has(name)) name += "'";
      members.set(name, value);
    }
    return Object.fromEntries(members);
  });
  return isJsonObject(shown) ? shown : {};
}
