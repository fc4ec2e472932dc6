import type { WebSocket } from 'ws';
import { accountOf, type Device } from '../../../conversation/access/access.ts';
import { Background } from '../../../lib/background.ts';
import { Connection, type GatewayParts, type SocketQuery } from './connection.ts';

/** All open sockets, and their limits. */
export interface Connections {
  count(): number;
  isOnline(deviceId: string): boolean;
  /** Why the device may not open another socket now; undefined if it may. */
  refusalOf(device: Device): TooMany | undefined;
  connect(webSocket: WebSocket, device: Device, query: SocketQuery): void;
  /** Closes sockets whose person may no longer talk, and sockets on a session that is no longer their person's. */
  review(): void;
  /** Closes the sockets of a device that was unpaired; its calls fail. */
  hangUpOn(deviceId: string): void;
  /** Closes all sockets. Those that do not close within a second are terminated. */
  close(): Promise<void>;
}

interface TooMany {
  readonly status: 429 | 503;
  readonly reason: string;
}

interface ConnectionsContext {
  readonly parts: GatewayParts;
  readonly open: Set<Connection>;
  readonly background: Background;
}

export function createConnections(parts: GatewayParts): Connections {
  const context: ConnectionsContext = { parts, open: new Set(), background: new Background(parts.log) };
  return {
    count: () => context.open.size,
    isOnline: (deviceId) => [...context.open].some(({ device }) => device.id === deviceId),
    refusalOf: (device) => refusalOf(device, context),
    connect: (webSocket, device, query) => connect(webSocket, device, query, context),
    review: () => review(context),
    hangUpOn: (deviceId) =>
      closeWhere(({ device }) => device.id === deviceId, 1008, 'This device is paired no longer.', context),
    async close() {
      closeWhere(() => true, 1001, 'Keyturn is being stopped. Come again.', context);
      await context.background.settled();
    },
  };
}

function refusalOf(device: Device, context: ConnectionsContext): TooMany | undefined {
  const { max_connections, max_connections_per_person } = context.parts.own.gateway;
  if (context.open.size >= max_connections)
    return { status: 503, reason: 'The limit of connections is reached. Try again later.' };
  if (ofPerson(device, context).length >= max_connections_per_person)
    return { status: 429, reason: 'You have reached the limit of connected devices and pages. Close one.' };
  return undefined;
}

function connect(webSocket: WebSocket, device: Device, query: SocketQuery, context: ConnectionsContext): void {
  const { parts, open, background } = context;
  const connection: Connection = new Connection(webSocket, device, parts, {
    closed: () => void open.delete(connection),
    roomFor: () =>
      2 * parts.config.attachments.max_bytes -
      ofPerson(device, context).reduce((sum, { heldBytes }) => sum + heldBytes, 0),
  });
  open.add(connection);
  parts.counters.connections += 1;
  background.run('it could not be noted that a device was connected', () => parts.devices.seen(device.id));
  connection.open(query);
}

function review(context: ConnectionsContext): void {
  const { rules } = context.parts;
  const isBarred = ({ device }: Connection): boolean => !rules.mayTalk(accountOf(device));
  closeWhere(isBarred, 1008, 'Your account may no longer talk here.', context);
  closeWhere((one) => !one.isAtHome(), 1008, 'This session belongs to somebody else now.', context);
}

function ofPerson(device: Device, { parts, open }: ConnectionsContext): readonly Connection[] {
  const accountsOfPerson = parts.accounts.accountsOf(accountOf(device));
  return [...open].filter((connection) => accountsOfPerson.includes(accountOf(connection.device)));
}

function closeWhere(
  isMeant: (connection: Connection) => boolean,
  code: number,
  reason: string,
  { open }: ConnectionsContext,
): void {
  for (const connection of [...open].filter(isMeant)) connection.close(code, reason);
}
