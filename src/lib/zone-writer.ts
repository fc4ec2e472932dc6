import { fullDay, localTime, offsetAt } from './time-words.ts';

/** Writes the times of one time zone. */
export interface ZoneWriter {
  /** `Mon 30 Mar 2026, 09:00`. */
  readonly time: (at: number) => string;
  /** `Monday, 30 March 2026`. */
  readonly day: (at: number) => string;
}

/**
 * Writers of time zones, for those who write many times again and again: the offsets that a zone had are looked up once for each
 * day, which takes a hundred times as long as to write a time. Holds at most 64 zones, and 4,096 offsets of each.
 */
export function createZoneWriters(): (timeZone: string) => ZoneWriter {
  const writers = new Map<string, ZoneWriter>();
  return (timeZone) => {
    const known = writers.get(timeZone);
    if (known !== undefined) return known;
    const writer = zoneWriter(timeZone);
    if (writers.size >= mostZones) writers.clear();
    writers.set(timeZone, writer);
    return writer;
  };
}

function zoneWriter(timeZone: string): ZoneWriter {
  /** By the number of the day, or of the quarter of an hour, since 1970. */
  const days = new Map<number, number | 'changes'>();
  const quarters = new Map<number, number>();

  function offset(at: number): number {
    const ofDay = kept(days, Math.floor(at / day), () => offsetOfDay(Math.floor(at / day) * day, timeZone));
    if (ofDay !== 'changes') return ofDay;
    return kept(quarters, Math.floor(at / quarter), () => offsetAt(at, timeZone));
  }

  return {
    time: (at) => localTime(at + offset(at)),
    day: (at) => fullDay(at + offset(at)),
  };
}

/** The offset on a day of UTC, unless it changes on that day. Relies on no zone changing it twice in a day. */
function offsetOfDay(start: number, timeZone: string): number | 'changes' {
  const offset = offsetAt(start, timeZone);
  return offsetAt(start + day - 1, timeZone) === offset ? offset : 'changes';
}

function kept<Value>(values: Map<number, Value>, key: number, make: () => Value): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (values.size >= mostOffsets) values.clear();
  values.set(key, made);
  return made;
}

const mostZones = 64;
const mostOffsets = 4096;
const day = 86_400_000;
/** All changes of the last fifty years fell on a quarter of an hour of UTC. In ms. */
const quarter = 900_000;
