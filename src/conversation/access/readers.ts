import type { Origin } from '../../engine/message.ts';
import type { Reader } from '../../lib/time-words.ts';
import type { Language } from '../../lib/words.ts';
import type { TimeZones } from './time-zones.ts';

/** For whom a text is written: in which language, and by which clock. */
export interface Readers {
  /** Who reads the answer to somebody: their language, and their zone or that of the group that reads along. */
  forAnswer(origin: Pick<Origin, 'principal' | 'conversation'>): Reader;
  /** Who reads a text in the conversation with this id. */
  forPlace(conversationId: string): Reader;
}

const untilReadersKnow: Language = 'en';

export function createReaders(timeZones: Pick<TimeZones, 'forAnswer' | 'forPlace'>): Readers {
  return {
    forAnswer: (origin) => ({ ...timeZones.forAnswer(origin), language: untilReadersKnow }),
    forPlace: (conversationId) => ({ ...timeZones.forPlace(conversationId), language: untilReadersKnow }),
  };
}
