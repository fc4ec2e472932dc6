import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';

/** The body of an answer, decompressed, for one reader. What comes before it is read is kept, up to a limit. */
export interface KeptBody extends AsyncIterable<Uint8Array> {
  /** Reading throws the reason from now on, whatever has come. */
  fail(reason: unknown): void;
  /** Reads no further. Closes the connection, unless all has come. */
  cancel(): void;
}

/** `onRead` is called when nobody reads it any more: it was read to its end, left, or has failed. */
export function createBody(incoming: IncomingMessage, onRead: () => void): KeptBody {
  const { 'content-encoding': coding } = incoming.headers;
  const source = coding === undefined ? incoming : decoded(incoming, coding);
  return new Chunks({ incoming, source, onRead });
}

/** So much waits for its reader before the server has to, in bytes. */
const mostWaiting = 262_144;

type Step = IteratorResult<Uint8Array, undefined>;
type End = { readonly type: 'whole' } | { readonly type: 'cut'; readonly reason: unknown };

interface ChunksParts {
  readonly incoming: IncomingMessage;
  /** It, decompressed. */
  readonly source: Readable;
  readonly onRead: () => void;
}

/** Cheaper than the iterator of a stream, which asks it again for each piece. */
class Chunks implements KeptBody, AsyncIterableIterator<Uint8Array, undefined> {
  readonly #incoming: IncomingMessage;
  readonly #source: Readable;
  readonly #onRead: () => void;
  #waiting: Uint8Array[] = [];
  #size = 0;
  #reader: PromiseWithResolvers<Step> | undefined;
  #end: End | undefined;

  constructor({ incoming, source, onRead }: ChunksParts) {
    this.#incoming = incoming;
    this.#source = source;
    this.#onRead = onRead;
    source
      .on('data', (chunk: Uint8Array) => this.#take(chunk))
      .once('end', () => this.#finish({ type: 'whole' }))
      .on('error', (error) => this.#finish({ type: 'cut', reason: error }))
      .once('close', () => this.#finish({ type: 'cut', reason: new Error('The answer was closed before its end.') }));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    const value = this.#waiting.shift();
    if (value !== undefined) {
      this.#size -= value.byteLength;
      if (this.#size === 0) this.#source.resume();
      return { done: false, value };
    }
    if (this.#end === undefined) {
      this.#reader ??= Promise.withResolvers<Step>();
      return this.#reader.promise;
    }
    this.#onRead();
    if (this.#end.type === 'cut') throw this.#end.reason;
    return { done: true, value: undefined };
  }

  async return(): Promise<Step> {
    this.cancel();
    return { done: true, value: undefined };
  }

  fail(reason: unknown): void {
    this.#drop();
    this.#onRead();
    // What is dropped was never read, even if all had come.
    this.#end = undefined;
    this.#finish({ type: 'cut', reason });
  }

  cancel(): void {
    this.#drop();
    this.#onRead();
    const isOpen = this.#end === undefined;
    this.#finish({ type: 'whole' });
    if (isOpen) this.#incoming.destroy();
  }

  #take(chunk: Uint8Array): void {
    // An empty piece says nothing, and a body that was left takes none.
    if (chunk.byteLength === 0 || this.#end !== undefined) return;
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve({ done: false, value: chunk });
      return;
    }
    this.#waiting.push(chunk);
    this.#size += chunk.byteLength;
    if (this.#size >= mostWaiting) this.#source.pause();
  }

  /** The first end counts. */
  #finish(end: End): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) this.#onRead();
    if (end.type === 'cut') reader?.reject(end.reason);
    else reader?.resolve({ done: true, value: undefined });
  }

  #drop(): void {
    this.#waiting = [];
    this.#size = 0;
  }
}

/** Each takes memory of its own, and no server needs more. */
const mostCodings = 2;

/** Its errors are those of the decoders, too. A last block that lacks its checksum is taken, as everywhere. */
function decoded(incoming: IncomingMessage, coding: string): Readable {
  const names = coding.split(',').map((name) => name.trim().toLowerCase());
  const decoders = names.filter((name) => name !== '' && name !== 'identity').toReversed();
  const { pipeline } = process.getBuiltinModule('node:stream');
  let source: Readable = incoming;
  for (const name of decoders.length > mostCodings ? [coding] : decoders) {
    const decoder = decoderOf(name);
    pipeline(source, decoder, () => {});
    source = decoder;
  }
  return source;
}

function decoderOf(name: string): Transform {
  const zlib = process.getBuiltinModule('node:zlib');
  const { Z_SYNC_FLUSH: finishFlush, BROTLI_OPERATION_FLUSH: finishBrotli } = zlib.constants;
  if (name === 'gzip' || name === 'x-gzip') return zlib.createGunzip({ finishFlush });
  if (name === 'deflate') return zlib.createInflate({ finishFlush });
  if (name === 'br') return zlib.createBrotliDecompress({ finishFlush: finishBrotli });
  if (name === 'zstd') return zlib.createZstdDecompress();
  const { Transform } = process.getBuiltinModule('node:stream');
  const unknown = new Error(`The answer is compressed as ${JSON.stringify(name.slice(0, 30))}, which is unknown.`);
  return new Transform({ transform: (_chunk, _encoding, done) => done(unknown) });
}
