import { json } from 'node:stream/consumers';
import type { SlackApp } from '../../../../packages/fakes/src/slack/slack-app.ts';
import { isJsonObject } from '../../../../src/lib/json.ts';
import { answerWith, createDoor, passTo } from '../door.ts';

export type SocketDoor = ReturnType<typeof createSocketDoor>;

const eventsPath = '/callbacks';

/**
 * Stands before emulate and adds Socket Mode: hands out sockets, and sends through them what emulate calls back with. All
 * else goes to emulate. `stands` must be called before anything is asked.
 */
export function createSocketDoor(app: SlackApp) {
  let emulatePort = 0;
  const { server, host, open, close } = createDoor(async (request, response) => {
    switch (request.url) {
      case '/api/apps.connections.open': {
        const isOurs = request.headers.authorization === `Bearer ${app.appToken}`;
        const url = `ws://${host()}/link/?ticket=${app.sockets.ticket()}`;
        return answerWith(isOurs ? { ok: true, url } : { ok: false, error: 'invalid_auth' }, request, response);
      }
      case eventsPath: {
        const body: unknown = await json(request);
        if (!isJsonObject(body)) throw new Error('emulate calls back with something that is no event.');
        app.deliveries.deliver('events_api', body);
        response.end();
        return;
      }
      default:
        return passTo(emulatePort, request, response);
    }
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const ticket = new URL(request.url ?? '/', 'http://door').searchParams.get('ticket') ?? '';
    if (!app.sockets.admit(ticket, request, socket, head)) socket.destroy();
  });
  const root = (): string => `http://${host()}`;
  return {
    root,
    /** To which emulate sends its event callbacks. */
    callbacks: () => `${root()}${eventsPath}`,
    open,
    close,
    /** Where emulate listens. */
    stands: (port: number): void => {
      emulatePort = port;
    },
  };
}
