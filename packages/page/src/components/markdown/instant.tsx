import { language, languageTag } from '../../lib/language.ts';

interface InstantProps {
  /** In ISO 8601. */
  readonly at: string;
  /** As Keyturn would say it to somebody without a clock. */
  readonly words: string;
}

/** An instant in the zone of who reads it: a time of day, or with its day if the words name one. */
export function Instant({ at, words }: InstantProps) {
  const isTimeOfDay = /^\d{1,2}:\d{2}(?: [\w+:/-]+)?$/.test(words.trim());
  const instant = new Date(at);
  const tag = languageTag(language.value);
  const full = new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeStyle: 'short' });
  const brief = isTimeOfDay
    ? new Intl.DateTimeFormat(tag, { timeStyle: 'short' })
    : new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <time dateTime={at} title={full.format(instant)}>
      {brief.format(instant)}
    </time>
  );
}
