import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Device } from '../conversation/devices/device-store.ts';
import { type AdmissionSettings, refusalOf } from './admission.ts';
import type { SocketQuery } from './connection.ts';
import type { PeopleGate } from './people-gate.ts';
import { socketPath } from './routes.ts';

/** Whether a request may become a WebSocket, and whose. */
export type Upgrade =
  | { readonly type: 'welcome'; readonly device: Device; readonly query: SocketQuery }
  | { readonly type: 'refused'; readonly status: number; readonly reason: string };

/** Decides about a request to open a WebSocket by its headers and its address. */
export function judgeUpgrade(
  { method, url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  { gate, settings }: { readonly gate: PeopleGate; readonly settings: AdmissionSettings },
): Upgrade {
  const refusal = refusalOf({ host: headers.host, origin: headers.origin }, settings);
  if (refusal !== undefined) return { type: 'refused', status: 403, reason: refusal };
  const address = URL.parse(url, 'http://localhost');
  if (method !== 'GET' || address?.pathname !== socketPath)
    return { type: 'refused', status: 404, reason: 'There is nothing here.' };
  const asked = address.searchParams;
  const places = { authorization: headers.authorization, protocols: headers['sec-websocket-protocol'], query: asked };
  const admission = gate.admit(places, { ticketsToo: true });
  if (admission.type === 'refused') return admission;
  const [sessionId, name, persona] = ['session_id', 'name', 'persona'].map(
    (key) => asked.get(key)?.slice(0, 200) || undefined,
  );
  return {
    type: 'welcome',
    device: admission.device,
    query: {
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(name === undefined ? {} : { name }),
      ...(persona === undefined ? {} : { persona }),
    },
  };
}

/**
 * Refuses a request that has no response yet, and closes its connection: ours is the only side that is asked. Nobody else
 * watches over a socket that was to become another.
 */
export function refuseUpgrade(socket: Duplex, status: number, reason: string): void {
  const body = `${reason}\n`;
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(
    [
      `HTTP/1.1 ${status} ${statusWords[status] ?? 'Refused'}`,
      'Content-Type: text/plain; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

const statusWords: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};
