import type { Conversation, MessageMark } from '../../../src/contract.ts';
import { Remembered } from '../../../src/lib/remembered.ts';
import type { SlackApi } from '../web-api/api.ts';
import { refusalCode } from '../web-api/failure.ts';

const reactions = { seen: 'eyes', working: 'hourglass_flowing_sand', done: 'white_check_mark' } as const;
const order = ['seen', 'working', 'done'] as const;
const mostMarked = 1_000;

export interface MarksDependencies {
  readonly api: Pick<SlackApi, 'call'>;
}

/** Marks what people have written with reactions. Done twice, nothing changes. Throws `ChannelError`. */
export class Marks {
  readonly #dependencies: MarksDependencies;
  /** The marks that this process has given, by message. */
  readonly #given = new Remembered<string, MessageMark>(mostMarked);

  constructor(dependencies: MarksDependencies) {
    this.#dependencies = dependencies;
  }

  async mark({ chatId }: Conversation, messageId: string, mark: MessageMark): Promise<void> {
    const key = `${chatId} ${messageId}`;
    const given = this.#given.get(key);
    if (given === mark) return;
    const message = { channel: chatId, timestamp: messageId };
    await this.#react('reactions.add', 'already_reacted', { ...message, name: reactions[mark] });
    // A process that died may have left any of those that come before it.
    const former = given === undefined ? order.slice(0, order.indexOf(mark)) : [given];
    for (const name of former)
      await this.#react('reactions.remove', 'no_reaction', { ...message, name: reactions[name] });
    this.#given.set(key, mark);
  }

  async #react(method: string, accepted: string, args: Readonly<Record<string, unknown>>): Promise<void> {
    try {
      await this.#dependencies.api.call(method, args, { repeatable: true });
    } catch (error) {
      if (refusalCode(error) !== accepted) throw error;
    }
  }
}
