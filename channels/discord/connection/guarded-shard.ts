import { EventEmitter } from 'node:events';
import { type IContextFetchingStrategy, WebSocketShard } from '@discordjs/ws';

export interface ShardGuard {
  readonly context: IContextFetchingStrategy;
  /** Takes each text that comes in, in its order, and gives what the library is to make of it: a payload, or null. */
  readonly read: (text: unknown) => object | null;
  /** The library has begun to connect. */
  readonly onSocket: (socket: RawSocket) => void;
}

/** The WebSocket below a shard. */
export interface RawSocket {
  /** What has gone wrong with it so far, in a word such as `ECONNREFUSED`. */
  readonly trouble: () => string | undefined;
  readonly closed: Promise<void>;
  /** Breaks it at once, in whatever state it is. */
  readonly terminate: () => void;
}

/**
 * A shard of discord.js whose faults are kept from the process. It reads what comes in without looking, and a null where
 * it expects an object ends the process; a socket that it has let go of is neither closed for sure nor listened to, and
 * an error there ends the process, too. Both are mended in parts that the library declares private: this holds for the
 * pinned version, and a test says so.
 */
export function guardedShard({ context, read, onSocket }: ShardGuard): WebSocketShard {
  const shard = new WebSocketShard(context, 0);
  let connection: unknown = null;
  Object.defineProperty(shard, 'unpackMessage', { value: async (text: unknown) => read(text) });
  Object.defineProperty(shard, 'connection', {
    get: () => connection,
    set: (socket: unknown) => {
      connection = socket;
      if (socket instanceof EventEmitter) onSocket(rawSocket(socket));
    },
  });
  return shard;
}

function rawSocket(socket: EventEmitter): RawSocket {
  let trouble: string | undefined;
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  socket.on('error', (error: unknown) => {
    trouble ??= troubleIn(error);
  });
  return {
    trouble: () => trouble,
    closed,
    terminate: () => {
      if ('terminate' in socket && typeof socket.terminate === 'function') socket.terminate();
    },
  };
}

function troubleIn(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
