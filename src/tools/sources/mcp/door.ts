import type { Transport } from '@modelcontextprotocol/client';

/** A way to a server, opened once. */
export interface OpenDoor {
  readonly transport: Transport;
  /** Why it closed by itself, as half a sentence. What the server printed may be in it. */
  why(): string | undefined;
  /** Closes it with all that was opened for it, within a second and a half. */
  close(): Promise<void>;
}

/** Opens a way to a server. Rejects with the reason where there is none. */
export interface Door {
  readonly open: () => Promise<OpenDoor>;
  /** A server that is asked what it does not know may close it: then it is worth being opened anew. */
  readonly isPipe: boolean;
}
