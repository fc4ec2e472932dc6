import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Device } from '../conversation/devices/device-store.ts';

/** What a handler is given of a request. */
export type RequestContext = Context<{ Bindings: HttpBindings }>;

/**
 * Everything that the door answers to: what is not in this table is not there. `device`: whoever has the token of a
 * device whose person may talk · `owner`: an owner's.
 */
export type Route =
  | {
      readonly method: 'GET' | 'POST';
      readonly path: string;
      readonly who: 'anybody';
      readonly handle: (context: RequestContext) => Promise<Response> | Response;
    }
  | {
      readonly method: 'GET' | 'POST';
      readonly path: string;
      readonly who: 'device' | 'owner';
      /** A ticket does as well as a token. */
      readonly takesTickets?: true;
      readonly handle: (context: RequestContext, device: Device) => Promise<Response> | Response;
    };

/** Where devices open their WebSocket. */
export const socketPath = '/ws/chat';
