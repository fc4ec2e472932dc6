import { type Credentials, httpAddress } from './address.ts';
import { type Json, textOf } from './json.ts';

/** A file that the assistant shows to the person. */
export interface ShownFile {
  readonly id: string;
  /** As people see it, without a folder. */
  readonly name: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  /** Fetches its bytes; the server keeps it for a week. Rejects if the server no longer has it. */
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
}

/** The file of a `file` frame. */
export function shownFile(
  frame: Json,
  url: string | URL,
  { token, ticket }: Credentials,
  signal: AbortSignal,
): ShownFile {
  const name = textOf(frame.name);
  return {
    id: textOf(frame.id),
    name,
    mediaType: textOf(frame.media_type),
    size: typeof frame.size === 'number' ? frame.size : 0,
    bytes: async () => {
      const address = httpAddress(url, textOf(frame.path));
      // A ticket works once: a fixed one was used to connect.
      if (token === undefined && typeof ticket === 'function') address.searchParams.set('ticket', await ticket());
      const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const response = await fetch(address, { headers, signal });
      if (!response.ok) throw new Error(`The file ${name} could not be fetched (HTTP ${response.status})`);
      return new Uint8Array(await response.arrayBuffer());
    },
  };
}
