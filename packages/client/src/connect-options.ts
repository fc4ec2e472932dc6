import type { Credentials } from './address.ts';
import type { ChatEvents } from './chat-events.ts';
import type { DeviceTool } from './device-tool.ts';
import type { ShownFile } from './shown-file.ts';
import type { WebSocketClass } from './socket.ts';

/** The address, the credentials, the tools and the event handlers. */
export interface ConnectOptions extends Credentials, ChatEvents {
  /** The gateway's URL: `ws://127.0.0.1:42617`. */
  readonly url: string | URL;
  /** The device's name, unless its person gave it one when pairing. */
  readonly deviceName?: string | undefined;
  /** The session to continue. Default: a new one. */
  readonly sessionId?: string | undefined;
  readonly tools?: readonly DeviceTool[] | undefined;
  /** Calls that run in parallel. Default 1. */
  readonly concurrency?: number | undefined;
  /** The first pause before a reconnect, which doubles each time, and the longest, in ms. */
  readonly backOff?: { readonly first: number; readonly longest: number } | undefined;
  /** Default: the global `WebSocket`. Node 20 has none: pass the one of the package `ws`. */
  readonly webSocket?: WebSocketClass | undefined;
  /** Interval of pings, in ms. Default 25 s. */
  readonly heartbeat?: number | undefined;
  onState?(state: ClientState): void;
  /** The assistant shows a file: `bytes()` fetches it. The text of the answer names it too. */
  onFile?(file: ShownFile): void;
}

/** `waiting`: reconnects after a pause · `closed`: for good. */
export type ClientState = 'connecting' | 'open' | 'waiting' | 'closed';
