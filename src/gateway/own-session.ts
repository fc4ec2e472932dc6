import { accountOf } from '../conversation/devices/device-accounts.ts';
import type { Device } from '../conversation/devices/device-store.ts';
import type { SessionStore } from '../conversation/devices/session-store.ts';
import { isSessionId } from './chat-sessions.ts';
import type { RequestContext } from './routes.ts';

export interface OwnSessionDependencies {
  readonly store: Pick<SessionStore, 'ownerOf'>;
  readonly accountsOf: (principal: string) => readonly string[];
}

/** A request about one of the sessions of the device's person. */
export interface SessionRequest {
  readonly context: RequestContext;
  readonly device: Device;
  readonly sessionId: string;
}

type Answered = Promise<Response> | Response;

/** Makes handlers of routes with a session in their path. Whether one is there and somebody else's, nobody learns. */
export function forOwnSession({ store, accountsOf }: OwnSessionDependencies) {
  return (handle: (request: SessionRequest) => Answered) =>
    async (context: RequestContext, device: Device): Promise<Response> => {
      const sessionId = context.req.param('id') ?? '';
      const owner = isSessionId(sessionId) ? await store.ownerOf(sessionId) : undefined;
      const isOwn = owner !== undefined && accountsOf(accountOf(device)).includes(owner);
      if (isOwn) return handle({ context, device, sessionId });
      return context.json({ error: 'You have no session of that name.' }, 404);
    };
}
