import { accountOf } from '../conversation/devices/device-accounts.ts';
import type { Device } from '../conversation/devices/device-store.ts';
import type { SessionStore, SessionSummary } from '../conversation/devices/session-store.ts';
import type { ChatDesk } from './chat-desk.ts';
import type { ChatSessions } from './chat-sessions.ts';
import { forOwnSession, type OwnSessionDependencies, type SessionRequest } from './own-session.ts';
import type { RequestContext, Route } from './routes.ts';

export interface SessionRoutesDependencies extends OwnSessionDependencies {
  readonly store: Pick<SessionStore, 'list' | 'messages' | 'ownerOf'>;
  readonly sessions: ChatSessions;
  readonly desk: ChatDesk;
}

const mostSessions = 200;
const mostMessages = 1000;

/** What a person's devices can see and do of his sessions without a socket. The sessions of others are not there. */
export function sessionRoutes(dependencies: SessionRoutesDependencies): readonly Route[] {
  const own = forOwnSession(dependencies);
  const list = listing(dependencies);
  const { sessions } = dependencies;
  const at = '/api/sessions';
  const device = { who: 'device' } as const;
  return [
    { method: 'GET', path: at, ...device, handle: list(() => true) },
    { method: 'GET', path: `${at}/running`, ...device, handle: list(({ id }) => sessions.isRunning(id)) },
    { method: 'GET', path: `${at}/:id/messages`, ...device, handle: own(messagesOf(dependencies)) },
    { method: 'POST', path: `${at}/:id/abort`, ...device, handle: own(abort(dependencies)) },
  ];
}

function listing({ store, accountsOf }: SessionRoutesDependencies) {
  return (isMeant: (session: SessionSummary) => boolean) => async (context: RequestContext, device: Device) => {
    const sessions = await store.list(accountsOf(accountOf(device)), mostSessions);
    return context.json({ sessions: sessions.filter(isMeant).map(shown) });
  };
}

function messagesOf({ store }: SessionRoutesDependencies) {
  return async ({ context, sessionId }: SessionRequest) => {
    const messages = await store.messages(sessionId, mostMessages);
    return context.json({
      session_id: sessionId,
      messages: messages.map(({ role, content, at }) => ({ role, content, created_at: iso(at) })),
      session_persistence: true,
    });
  };
}

function abort({ desk }: SessionRoutesDependencies) {
  return async ({ context, device, sessionId }: SessionRequest) => {
    const isAborted = await desk.abort({ device, sessionId });
    return context.json({ status: isAborted ? 'aborted' : 'no_active_response' });
  };
}

function shown({ id, createdAt, lastActivity, messageCount }: SessionSummary) {
  return {
    session_id: id,
    created_at: iso(createdAt),
    last_activity: iso(lastActivity),
    message_count: messageCount,
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
