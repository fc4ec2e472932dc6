/** The credentials of this device. */
export interface Credentials {
  readonly token?: string | undefined;
  readonly ticket?: string | (() => Promise<string>) | undefined;
}

/** The WebSocket URL; adds `/ws/chat` if there is no path. Throws `TypeError` on an invalid URL. */
export function socketAddress(url: string | URL, query: Readonly<Record<string, string | undefined>>): URL {
  const address = new URL(url);
  address.protocol = address.protocol.replace('http', 'ws');
  if (address.protocol !== 'ws:' && address.protocol !== 'wss:')
    throw new TypeError(`The url of Keyturn begins with ws://, wss://, http:// or https://, not ${address.protocol}`);
  if (address.pathname === '/') address.pathname = '/ws/chat';
  for (const [name, value] of Object.entries(query)) if (value !== undefined) address.searchParams.set(name, value);
  return address;
}

/** The HTTP URL of a path, which starts with a slash. */
export function httpAddress(url: string | URL, path: string): URL {
  const address = socketAddress(url, {});
  address.protocol = address.protocol.replace('ws', 'http');
  return new URL(address.pathname.replace(/\/ws\/chat$/, '') + path, address.origin);
}

/** Why the server refuses this token, which a WebSocket does not reveal; undefined if accepted or unreachable. */
export async function refusalOf(url: string | URL, token: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { status } = await fetch(httpAddress(url, '/api/tools'), {
      headers: { Authorization: `Bearer ${token}` },
      signal,
    });
    return status === 401 || status === 403 ? `The server does not let this device in (HTTP ${status})` : undefined;
  } catch {
    // The server is unreachable, or CORS forbids the request.
    return undefined;
  }
}
