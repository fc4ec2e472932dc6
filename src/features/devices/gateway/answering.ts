import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { WebSocketServer } from 'ws';
import type { Device } from '../../../conversation/access/access.ts';
import type { SocketQuery } from './connection.ts';
import { refusalOf } from './credentials.ts';
import type { Answering } from './port.ts';
import { gatewayApp, type RoutesParts, socketPath } from './routes.ts';

/** The only subprotocol that this gateway accepts. */
const ownProtocol = 'clawseed.v1';

/** Answers HTTP and WebSocket. Checks `Host` and `Origin`, then the credential, then limits. */
export function answering(parts: RoutesParts): Answering {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: parts.own.gateway.max_frame_bytes,
    perMessageDeflate: false,
    // Never echoes a token that was offered as a subprotocol.
    handleProtocols: (offered) => (offered.has(ownProtocol) ? ownProtocol : false),
  });
  return {
    request: getRequestListener(gatewayApp(parts).fetch, { overrideGlobalObjects: false }),
    upgrade(request, socket, head) {
      const upgrade = judge(request, parts);
      if ('reason' in upgrade) return refuseUpgrade(socket, upgrade.status, upgrade.reason);
      sockets.handleUpgrade(request, socket, head, (webSocket) =>
        parts.connections.connect(webSocket, upgrade.device, upgrade.query),
      );
    },
  };
}

type Upgrade =
  | { readonly device: Device; readonly query: SocketQuery }
  | { readonly status: number; readonly reason: string };

/** Decides whether a request may become a WebSocket, and for which device. */
function judge({ method, url = '', headers }: IncomingMessage, parts: RoutesParts): Upgrade {
  const { connections, gate, own } = parts;
  const reason = refusalOf({ host: headers.host, origin: headers.origin }, own.gateway);
  if (reason !== undefined) return { status: 403, reason };
  const target = URL.parse(url, 'http://localhost');
  if (method !== 'GET' || target?.pathname !== socketPath) return { status: 404, reason: 'There is nothing here.' };
  const query = target.searchParams;
  const given = { authorization: headers.authorization, protocols: headers['sec-websocket-protocol'], query };
  const admission = gate.admit(given, true);
  if ('reason' in admission) return admission;
  const { device } = admission;
  // Its ticket is for pages alone, and those say where they are from.
  if (device.isBrowser && headers.origin === undefined) return { status: 401, reason: 'Say the origin of the page.' };
  const asked = (key: string): string | undefined => query.get(key)?.slice(0, 200) || undefined;
  const said = { sessionId: asked('session_id'), name: asked('name'), persona: asked('persona') };
  return connections.refusalOf(device) ?? { device, query: said };
}

/** Refuses an upgrade and destroys the socket, which the HTTP server no longer manages. */
function refuseUpgrade(socket: Duplex, status: number, reason: string): void {
  const body = `${reason}\n`;
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
