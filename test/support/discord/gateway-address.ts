import type { Duplex } from 'node:stream';

/** Where a client makes its connections to, and where it comes back to. */
export const gatewayPaths = { first: '/gw/', again: '/gw/again/' } as const;

/** Whether a connection can be made there: JSON without compression, in the version 10. */
export function isGatewayAddress({ pathname, searchParams }: URL): boolean {
  const isKnown = Object.values<string>(gatewayPaths).includes(`${pathname.replace(/\/$/, '')}/`);
  const isSound = searchParams.get('v') === '10' && searchParams.get('encoding') === 'json';
  return isKnown && isSound && !searchParams.has('compress');
}

/** Answers an upgrade with a status instead. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
