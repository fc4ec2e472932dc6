import type { Credentials } from './address.ts';
import type { ChatEvents } from './chat-events.ts';
import type { DeviceTool } from './device-tool.ts';
import type { ShownFile } from './shown-file.ts';
import type { WebSocketClass } from './socket.ts';

/** Where to connect, as what, and whom to tell of what happens. */
export interface ConnectOptions extends Credentials, ChatEvents {
  /** Of the gateway: `ws://127.0.0.1:42617`. */
  readonly url: string | URL;
  /** What the device is called where its person has not said so when it was paired. */
  readonly deviceName?: string | undefined;
  /** The chat to go on with. Left out: a new one. */
  readonly sessionId?: string | undefined;
  readonly tools?: readonly DeviceTool[] | undefined;
  /** How many calls run at once. Default 1: one after the other. */
  readonly concurrency?: number | undefined;
  /** The first pause before it connects again, which doubles each time, and the longest, in milliseconds. */
  readonly backOff?: { readonly first: number; readonly longest: number } | undefined;
  /** Default: the global `WebSocket`. Node 20 has none: give it that of the package `ws`. */
  readonly webSocket?: WebSocketClass | undefined;
  /** How often the server is asked whether it is there, in milliseconds. Default 25 s. */
  readonly heartbeat?: number | undefined;
  onState?(state: ClientState): void;
  /** The assistant shows a file: `bytes()` fetches it. Its name stands in the text of the answer as well. */
  onFile?(file: ShownFile): void;
}

/** `waiting`: it connects again after a pause · `closed`: for good. */
export type ClientState = 'connecting' | 'open' | 'waiting' | 'closed';
