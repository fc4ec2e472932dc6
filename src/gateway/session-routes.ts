import { accountOf } from '../conversation/devices/device-accounts.ts';
import type { Device } from '../conversation/devices/device-store.ts';
import type { SessionStore, SessionSummary } from '../conversation/devices/session-store.ts';
import type { ChatDesk } from './chat-desk.ts';
import { type ChatSessions, isSessionId } from './chat-sessions.ts';
import type { RequestContext, Route } from './routes.ts';

export interface SessionRoutesDependencies {
  readonly store: Pick<SessionStore, 'list' | 'messages' | 'ownerOf'>;
  readonly sessions: ChatSessions;
  readonly desk: ChatDesk;
  readonly accountsOf: (principal: string) => readonly string[];
}

const mostSessions = 200;
const mostMessages = 1000;

/** What a person's devices can see and do of his sessions without a socket. The sessions of others are not there. */
export function sessionRoutes(dependencies: SessionRoutesDependencies): readonly Route[] {
  const { store, sessions, desk } = dependencies;
  const listOf = async (device: Device) => store.list(dependencies.accountsOf(accountOf(device)), mostSessions);
  return [
    {
      method: 'GET',
      path: '/api/sessions',
      who: 'device',
      handle: async (context, device) => context.json({ sessions: (await listOf(device)).map(shown) }),
    },
    {
      method: 'GET',
      path: '/api/sessions/running',
      who: 'device',
      handle: async (context, device) => {
        const running = (await listOf(device)).filter(({ id }) => sessions.isRunning(id));
        return context.json({ sessions: running.map(shown) });
      },
    },
    {
      method: 'GET',
      path: '/api/sessions/:id/messages',
      who: 'device',
      handle: async (context, device) => {
        const id = await ownSession(context, device, dependencies);
        if (id === undefined) return notFound(context);
        const messages = await store.messages(id, mostMessages);
        return context.json({
          session_id: id,
          messages: messages.map(({ role, content, at }) => ({ role, content, created_at: iso(at) })),
          session_persistence: true,
        });
      },
    },
    {
      method: 'POST',
      path: '/api/sessions/:id/abort',
      who: 'device',
      handle: async (context, device) => {
        const id = await ownSession(context, device, dependencies);
        if (id === undefined) return notFound(context);
        const isAborted = await desk.abort({ device, sessionId: id });
        return context.json({ status: isAborted ? 'aborted' : 'no_active_response' });
      },
    },
  ];
}

/** Whether it is there and somebody else's, nobody learns. */
async function ownSession(
  context: RequestContext,
  device: Device,
  { store, accountsOf }: SessionRoutesDependencies,
): Promise<string | undefined> {
  const id = context.req.param('id') ?? '';
  const owner = isSessionId(id) ? await store.ownerOf(id) : undefined;
  return owner !== undefined && accountsOf(accountOf(device)).includes(owner) ? id : undefined;
}

function notFound(context: RequestContext): Response {
  return context.json({ error: 'You have no session of that name.' }, 404);
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
