import { ChannelError, type ChannelHost, type Conversation, type MessageMark } from '../../src/contract.ts';
import { Perishable, Remembered } from '../../src/lib/remembered.ts';
import type { ReactionSetting } from './access-settings.ts';

/** Sets the mark on a message. */
export type Mark = (to: Conversation, messageId: string, mark: MessageMark) => Promise<void>;

/** A mark that is shown: one sign while work goes on, and one when it is done. */
export type ShownMark = Exclude<MessageMark, 'working'>;
type ShowMark = (to: Conversation, messageId: string, mark: ShownMark) => Promise<void>;

interface MarksOptions {
  /** Must accept a mark that is there already. */
  readonly add: ShowMark;
  /** Must accept that the mark is not there. */
  readonly remove: ShowMark;
  /** Whether the platform would refuse it for any message there, as without the permission to react. */
  readonly isAboutPlace: (error: ChannelError) => boolean;
  readonly host: Pick<ChannelHost, 'clock' | 'log'>;
}

const mostRemembered = 1_000;
/** How long a place that takes no marks is left alone, in ms. */
const refusalLife = 6 * 3_600_000;

/**
 * Marks messages with the bot's reaction, replacing its previous one. Idempotent. A place that takes no marks gets no more
 * of them for some hours, and the log says so once. Throws what `add` and `remove` throw, but not such a refusal.
 */
export function createMarks({ add, remove, isAboutPlace, host }: MarksOptions): Mark {
  const { clock, log } = host;
  /** By message: the mark set by this process. */
  const shown = new Remembered<string, ShownMark>(mostRemembered);
  const refused = new Perishable<string, true>({ clock, most: mostRemembered });
  return async (to, messageId, mark) => {
    const { tenant = '', chatId } = to;
    const place = `${tenant}/${chatId}`;
    const key = `${place} ${messageId}`;
    const wanted = mark === 'working' ? 'seen' : mark;
    const before = shown.get(key);
    if (before === wanted || refused.get(place)) return;
    try {
      await add(to, messageId, wanted);
    } catch (error) {
      if (!(error instanceof ChannelError) || error.fault.type !== 'permanent' || !isAboutPlace(error)) throw error;
      refused.set(place, true, refusalLife);
      log.info({ chat: chatId, reason: error.message }, 'messages there cannot be marked, which is tried again later');
      return;
    }
    // A former process may have left the earlier mark.
    if (wanted === 'done') await remove(to, messageId, 'seen');
    shown.set(key, wanted);
  };
}

/** The mark for the conversations where the config wants it; undefined if there are none. */
export function marksWhere(wanted: ReactionSetting, mark: Mark): Mark | undefined {
  if (wanted === false) return undefined;
  if (wanted === true) return mark;
  return async (to, messageId, as) => {
    if (to.kind === 'group') await mark(to, messageId, as);
  };
}

/** An emoji without what only changes its colour or its form: the tone of a skin, the selector of a variant. */
export function plainEmoji(emoji: string): string {
  return emoji.trim().replaceAll(/[\u{fe0e}\u{fe0f}]|\p{Emoji_Modifier}/gu, '');
}
