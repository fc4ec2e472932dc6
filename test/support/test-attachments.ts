import { ChannelError, type ChannelFault, type InboundAttachment } from '../../src/contract.ts';
import { Changes } from './wait-for.ts';

type Fetched = Uint8Array | 'too-large';

/** The files of a platform in memory: hands them out, fails or waits when a test says so. */
export class TestAttachments {
  readonly changes = new Changes();
  /** The handles that were asked for. */
  readonly asked: string[] = [];
  readonly #files = new Map<string, Uint8Array>();
  readonly #faults: ChannelFault[] = [];
  #gate: Promise<void> = Promise.resolve();

  /** Somebody puts a file there. Returns what a message says of it. */
  put(content: string | Uint8Array, more: Partial<InboundAttachment> = {}): InboundAttachment {
    const handle = `file-${this.#files.size + 1}`;
    this.#files.set(handle, typeof content === 'string' ? Buffer.from(content) : content);
    return { kind: 'file', handle, ...more };
  }

  /** The next requests fail so, one after the other. */
  fail(...faults: readonly ChannelFault[]): void {
    this.#faults.push(...faults);
  }

  /** Requests wait until the returned function is called, and take no notice of being aborted. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    return resolve;
  }

  /** Resolves when so many requests have come. */
  async wasAsked(times: number): Promise<void> {
    await this.changes.waitFor(() => this.asked[times - 1], { what: `request ${times} for a file` });
  }

  readonly fetch = async (
    { handle }: InboundAttachment,
    { maxBytes }: { readonly maxBytes: number },
  ): Promise<Fetched> => {
    this.asked.push(handle);
    this.changes.notify();
    await this.#gate;
    const fault = this.#faults.shift();
    if (fault !== undefined) throw new ChannelError(fault, `the platform is ${fault.type}`);
    const bytes = this.#files.get(handle);
    if (bytes === undefined) throw new ChannelError({ type: 'permanent' }, 'the file is gone');
    return bytes.length > maxBytes ? 'too-large' : bytes;
  };
}

/** The smallest picture that is one. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
