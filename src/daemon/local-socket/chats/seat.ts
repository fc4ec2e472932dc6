import type { JsonObject } from '../../../lib/json.ts';
import type { LocalConnection } from '../protocol.ts';
import type { ChatCall, ChatOrder } from './chat-protocol.ts';

/** One open chat: a program at a terminal, or a script. */
export interface Seat {
  /** The chat that it shows. */
  readonly chatId: string;
  readonly gone: AbortSignal;
  /** The cards that it was sent. */
  readonly sent: Set<string>;
  /** Has something shown. Resolves when it is; rejects if the program says that it is not, or goes away. */
  call(order: ChatCall): Promise<void>;
  /** The same, for what may be lost. */
  tell(order: ChatOrder): void;
  /** The program has carried out an order, or could not: `fault` says why. */
  done(params: JsonObject): void;
}

interface SeatState {
  readonly connection: LocalConnection;
  readonly calls: Map<number, PromiseWithResolvers<void>>;
  count: number;
}

export function createSeat(chatId: string, connection: LocalConnection): Seat {
  const state: SeatState = { connection, calls: new Map(), count: 0 };
  connection.gone.addEventListener('abort', () => leave(state), { once: true });
  return {
    chatId,
    gone: connection.gone,
    sent: new Set(),
    call: (order) => call(order, state),
    tell: (order) => connection.write(order),
    done: (params) => done(params, state),
  };
}

function call(order: ChatCall, state: SeatState): Promise<void> {
  const { connection, calls } = state;
  if (connection.gone.aborted) return Promise.reject(new Error('the chat was closed'));
  state.count += 1;
  const carriedOut = Promise.withResolvers<void>();
  calls.set(state.count, carriedOut);
  connection.write({ ...order, call: state.count });
  return carriedOut.promise;
}

function done({ call: number, fault }: JsonObject, { calls }: SeatState): void {
  if (typeof number !== 'number') return;
  const waiting = calls.get(number);
  calls.delete(number);
  if (typeof fault === 'string') waiting?.reject(new Error(fault));
  else waiting?.resolve();
}

function leave({ calls }: SeatState): void {
  for (const { reject } of calls.values()) reject(new Error('the chat was closed'));
  calls.clear();
}
