import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Under these names, undici tells of every control frame that any of its sockets receives. */
const names = ['undici:websocket:ping', 'undici:websocket:pong'] as const;

/** Calls back at each ping and pong that the other side sends over the socket with this address, until it is called off. */
export function watchPings(address: string, callback: () => void): () => void {
  const own = URL.parse(address)?.href;
  const look = (message: unknown): void => {
    if (own !== undefined && addressOf(message) === own) callback();
  };
  for (const name of names) subscribe(name, look);
  return () => {
    for (const name of names) unsubscribe(name, look);
  };
}

function addressOf(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('websocket' in message)) return undefined;
  const { websocket } = message;
  return typeof websocket === 'object' && websocket !== null && 'url' in websocket ? websocket.url : undefined;
}
