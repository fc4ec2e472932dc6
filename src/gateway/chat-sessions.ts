import { type Conversation, conversationId } from '../contract.ts';
import { deviceChannel } from '../conversation/devices/device-accounts.ts';
import { ChatSession, type ChatSessionDependencies } from './chat-session.ts';

export interface ChatSessionsDependencies extends Omit<ChatSessionDependencies, 'whenIdle'> {
  /** Resolves when nothing is left to do in the conversation but what waits for a person. */
  readonly whenIdle: (conversation: Conversation) => Promise<void>;
}

/** So many sessions are remembered that nobody shows. */
const mostIdle = 100;

/** The chats of devices that are shown or talked in now, and some that were lately. */
export class ChatSessions {
  readonly #dependencies: ChatSessionsDependencies;
  /** The one that was asked for last is the last. */
  readonly #sessions = new Map<string, ChatSession>();

  constructor(dependencies: ChatSessionsDependencies) {
    this.#dependencies = dependencies;
  }

  of(id: string): ChatSession {
    const known = this.#sessions.get(id);
    const { whenIdle, ...dependencies } = this.#dependencies;
    const session = known ?? new ChatSession({ ...dependencies, whenIdle: () => whenIdle(placeOf(id)) });
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    if (known === undefined) this.#forgetIdle();
    return session;
  }

  /** Whether something goes on in it, as far as it is shown. */
  isRunning(id: string): boolean {
    return this.#sessions.get(id)?.isRunning === true;
  }

  /** The runs of these conversations were ended by a person: those of sessions that are shown say so. */
  aborted(conversationIds: readonly string[]): void {
    for (const [id, session] of this.#sessions)
      if (conversationIds.includes(conversationOf(id))) session.ends('aborted');
  }

  #forgetIdle(): void {
    const idle = [...this.#sessions].filter(([, session]) => session.isIdle);
    // The newest has just been asked for.
    for (const [id] of idle.slice(0, Math.max(0, idle.length - 1 - mostIdle))) this.#sessions.delete(id);
  }
}

/** The place that a session is. */
export function placeOf(sessionId: string): Conversation {
  return { channel: deviceChannel, chatId: sessionId, kind: 'direct' };
}

/** The session's conversation. */
export function conversationOf(sessionId: string): string {
  return conversationId(placeOf(sessionId));
}

/** A name for a session that a client may choose: it is one segment of paths and ids. */
export function isSessionId(id: string): boolean {
  return /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/.test(id);
}
