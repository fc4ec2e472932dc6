import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';

export type RpcAnswer =
  | { readonly type: 'result'; readonly value: JsonValue }
  | { readonly type: 'error'; readonly message: string; readonly isUnknownMethod: boolean }
  /** The other side is gone: whether it has done anything is not known. */
  | { readonly type: 'lost' };

export interface RpcRequest {
  readonly id: number;
  /** Never rejects. */
  readonly answer: Promise<RpcAnswer>;
}

export interface JsonRpcDependencies {
  /** Sends one line, which has no end yet. */
  readonly send: (line: string) => void;
  readonly notified: (method: string, params: JsonObject) => void;
  /** A line said nothing that could be understood, or was expected: why. */
  readonly skipped: (why: string) => void;
}

/** As JSON-RPC numbers it. */
const unknownMethod = -32_601;

/** JSON-RPC 2.0, one message a line: requests and notifications go out, answers and notifications come in. */
export class JsonRpcConnection {
  readonly #dependencies: JsonRpcDependencies;
  readonly #waiting = new Map<number, (answer: RpcAnswer) => void>();
  #lastId = 0;
  #isClosed = false;

  constructor(dependencies: JsonRpcDependencies) {
    this.#dependencies = dependencies;
  }

  /** How many answers are awaited. */
  get waiting(): number {
    return this.#waiting.size;
  }

  isWaiting(id: number): boolean {
    return this.#waiting.has(id);
  }

  request(method: string, params: JsonObject): RpcRequest {
    this.#lastId += 1;
    const id = this.#lastId;
    if (this.#isClosed) return { id, answer: Promise.resolve({ type: 'lost' }) };
    const answer = new Promise<RpcAnswer>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ id, method, params });
    return { id, answer };
  }

  notify(method: string, params: JsonObject): void {
    if (!this.#isClosed) this.#send({ method, params });
  }

  receive(line: string): void {
    if (this.#isClosed || line.trim() === '') return;
    const message = parseJson(line);
    if (!isJsonObject(message)) this.#dependencies.skipped('it is no JSON object');
    else if (typeof message.method === 'string') this.#asked(message.method, message);
    else this.#answered(message);
  }

  /** Nothing comes any more: those who wait are told so. */
  close(): void {
    this.#isClosed = true;
    for (const resolve of this.#waiting.values()) resolve({ type: 'lost' });
    this.#waiting.clear();
  }

  #asked(method: string, { id, params }: JsonObject): void {
    if (id === undefined) this.#dependencies.notified(method, isJsonObject(params) ? params : {});
    else if (typeof id === 'number' || typeof id === 'string') {
      this.#send({ id, error: { code: unknownMethod, message: 'Keyturn takes no requests.' } });
    }
  }

  #answered(message: JsonObject): void {
    const id = Number(message.id);
    const resolve = this.#waiting.get(id);
    if (resolve === undefined) this.#dependencies.skipped('nothing waits for an answer with its id');
    else {
      this.#waiting.delete(id);
      resolve(readRpcAnswer(message));
    }
  }

  #send(message: JsonObject): void {
    this.#dependencies.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}

/** What a message says that is an answer. */
export function readRpcAnswer({ result, error }: JsonObject): RpcAnswer {
  if (error === undefined || error === null) return { type: 'result', value: result ?? null };
  const { code, message } = isJsonObject(error) ? error : { message: error };
  const words = typeof message === 'string' ? message : 'It says that it failed, and not why.';
  return { type: 'error', message: words, isUnknownMethod: code === unknownMethod };
}
