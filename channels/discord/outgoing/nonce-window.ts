import { ChannelError } from '../../../src/contract.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { Remembered } from '../../../src/lib/remembered.ts';

/** Discord remembers a nonce for "the past few minutes". In milliseconds. */
const safeFor = 2 * 60_000;
const mostRemembered = 1_000;

/**
 * A message is sent with its id as its nonce, and Discord answers a second sending with the message that the first has made.
 * So when the answer to a sending is lost, it may be sent again as if nothing had been done, and soon; but only while Discord
 * remembers. Counted is from the first sending that may have made the message: once that is too long ago, another one may
 * make a second message, which is what "ambiguous" tells the core. After a restart the count begins anew; a message that was
 * on its way then may come twice if Keyturn was away for longer.
 */
export class NonceWindow {
  readonly #clock: Clock;
  /** By the id of the message: when the first of its lost sendings began. */
  readonly #lostSince = new Remembered<string, number>(mostRemembered);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends the message. Throws what `send` throws, where a lost answer is transient as long as it can be made good. */
  async send<Answer>(messageId: string, send: () => Promise<Answer>): Promise<Answer> {
    const begunAt = this.#clock.now();
    try {
      const answer = await send();
      this.#lostSince.delete(messageId);
      return answer;
    } catch (error) {
      if (!(error instanceof ChannelError) || error.fault.type !== 'ambiguous') throw error;
      const since = this.#lostSince.get(messageId) ?? begunAt;
      this.#lostSince.set(messageId, since);
      if (this.#clock.now() - since >= safeFor) throw error;
      throw new ChannelError({ type: 'transient' }, error.message);
    }
  }
}
