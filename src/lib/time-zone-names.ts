/** Reads time zones as people and models write them: IANA names, cities, offsets, and abbreviations. */
import { type ZoneChoice, zoneWords } from './settings/words.ts';
import { isTimeZone } from './time-words.ts';
import { zoneNicknames } from './time-zone-cities.ts';
import type { InLanguage, Language } from './words.ts';

export type ZoneReading =
  /** An IANA name, or an offset such as `+08:00`. */
  | { readonly type: 'zone'; readonly timeZone: string }
  /** An abbreviation that means one zone here and another there. A choice: `Asia/Shanghai (UTC+8)`. */
  | { readonly type: 'ambiguous'; readonly choices: readonly ZoneChoice[] }
  | { readonly type: 'unknown' };

/** `Asia/Shanghai`, `asia/beijing`, `Beijing time`, `UTC+8`, `JST`, `东京`; `CST` is ambiguous. */
export function readTimeZone(written: string): ZoneReading {
  const text = written.normalize('NFKC').trim();
  const offset = offsetIn(text) ?? numberedZone(text);
  if (offset !== undefined) return zone(offset);
  const choices = ambiguous.get(text.toUpperCase());
  if (choices !== undefined) return { type: 'ambiguous', choices };
  const name = text.replace(/[ _]+/g, '_');
  // Node also knows abbreviations, and takes each for one of its meanings.
  const short = shortNames.find((one) => one.toLowerCase() === name.toLowerCase());
  if (short !== undefined) return zone(short);
  if (!/^[a-z]{2,5}$/i.test(name) && isTimeZone(name)) return zone(inUsualCase(name));
  const plain = plainName(text.replace(/,.*$/, ''));
  const known = abbreviations.get(plain.toUpperCase()) ?? nicknamed(plain) ?? cityNamed(plain);
  if (known !== undefined) return zone(known);
  const [outside, inside] = noteIn(text);
  if (outside !== undefined && inside !== undefined) {
    const meant = readTimeZone(outside);
    const noted = meant.type === 'zone' ? meant : readTimeZone(inside);
    return noted.type === 'unknown' ? meant : noted;
  }
  const rest = plainName(withoutSuffix(text));
  return rest === '' || rest.length >= plain.length ? { type: 'unknown' } : readTimeZone(withoutSuffix(text));
}

/** The zone for people: its name, and `UTC+8` for an offset. */
export function zoneName(timeZone: string): string {
  // The sign is the other way round there.
  const [, west] = /^Etc\/GMT([+-]\d+)$/.exec(timeZone) ?? [];
  if (west !== undefined) return `UTC${west.startsWith('+') ? '-' : '+'}${west.slice(1)}`;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(timeZone) ?? [];
  if (sign === undefined) return timeZone;
  return `UTC${sign}${Number(hours)}${minutes === '00' ? '' : `:${minutes}`}`;
}

/** What is wrong with it, in sentences. Names what an abbreviation may mean. */
export function zoneFault(
  written: string,
  reading: Exclude<ZoneReading, { type: 'zone' }>,
  language: Language = 'en',
): string {
  const quoted = JSON.stringify(written.slice(0, 60).toWellFormed());
  switch (reading.type) {
    case 'ambiguous':
      return zoneWords[language].ambiguous({ written: quoted, choices: reading.choices });
    case 'unknown':
      return zoneWords[language].unknown({ written: quoted });
  }
}

/** What is wrong with a zone in the config, where only IANA names and offsets such as `+08:00` are right. */
export function zoneSettingFault(written: string): InLanguage | undefined {
  const reading = readTimeZone(written);
  if (reading.type !== 'zone')
    return (language) => zoneWords[language].expected({ fault: zoneFault(written, reading, language) });
  const { timeZone } = reading;
  if (isTimeZone(written)) return undefined;
  return (language) => zoneWords[language].expected({ fault: zoneWords[language].write({ timeZone }) });
}

function zone(timeZone: string): ZoneReading {
  return { type: 'zone', timeZone };
}

/** `UTC+8`, `GMT+5:30`, `+0800`, `UTC−3`, `utc 8`. */
function offsetIn(text: string): string | undefined {
  const form = /^(?:(?:UTC|GMT)\s*([+\-−]?)|([+\-−]))\s*(\d{1,2})(?::?(\d\d))?$/i;
  const [, first, second, hours, minutes = '00'] = form.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 14 || Number(minutes) > 59) return undefined;
  const sign = ((first ?? '') || second || '+').replace('−', '-');
  const offset = `${sign}${hours.padStart(2, '0')}:${minutes}`;
  return /^.00:00$/.test(offset) ? 'UTC' : offset;
}

/** Names as people spell them: lower case, without marks between words. A region before a city does not count. */
function plainName(text: string): string {
  const last = text.slice(text.lastIndexOf('/') + 1).toLowerCase();
  return last
    .normalize('NFD')
    .replace(/[\p{M}\s_.,'’-]/gu, '')
    .normalize('NFC');
}

/** `东八区`, which is UTC+8, and `西五区`, UTC-5. */
function numberedZone(text: string): string | undefined {
  const [, side, written = ''] =
    /^([东東西])(十?[一二三四五六七八九]|十|\d{1,2})(?:个|個)?(?:时|時)?[区區]$/.exec(text) ?? [];
  if (side === undefined) return undefined;
  const digit = '一二三四五六七八九'.indexOf(written.slice(-1)) + 1;
  const hours = /^\d/.test(written) ? Number(written) : digit + (written.startsWith('十') ? 10 : 0);
  return offsetIn(`${side === '西' ? '-' : '+'}${hours}`);
}

/** What stands outside and inside of brackets: `Asia/Shanghai (UTC+8)`, `CST (China)`, `(UTC+08:00) Beijing`. */
function noteIn(text: string): readonly (string | undefined)[] {
  const behind = /^([^()]+)\(([^()]+)\)$/.exec(text)?.slice(1);
  return behind ?? /^\(([^()]+)\)([^()]+)$/.exec(text)?.slice(1).reverse() ?? [];
}

function withoutSuffix(text: string): string {
  return text.replace(
    /(?:[\s_]*(?:standard|daylight|summer|local|city|标准|標準|夏令|当地|當地|표준)?[\s_]*(?:time(?:[\s_]*zone)?|时间|時間|时区|時區|시간|시|时|時|市))$/iu,
    '',
  );
}

function inUsualCase(name: string): string {
  return Intl.supportedValuesOf('timeZone').find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
}

/** Made plain when somebody asks: for all of them, that takes some ms, which each start would pay. */
function nicknamed(plain: string): string | undefined {
  const line = zoneNicknames.findLast((each) =>
    each
      .split(' ')
      .slice(1)
      .some((name) => plainName(name) === plain),
  );
  return line?.split(' ')[0];
}

function cityNamed(plain: string): string | undefined {
  return Intl.supportedValuesOf('timeZone').find((one) => plainName(one) === plain);
}

/** Names of zones that look like abbreviations. */
const shortNames = 'UTC UCT GMT Zulu CET EET MET WET PRC ROK ROC GB NZ Japan Egypt Iran Cuba Eire'.split(' ');

/** Each with its most used meanings, and the offsets that it stands for there. */
const ambiguous: ReadonlyMap<string, readonly ZoneChoice[]> = new Map<string, readonly ZoneChoice[]>([
  ['CST', ['America/Chicago (UTC-6)', 'Asia/Shanghai (UTC+8)', 'America/Havana (UTC-5)']],
  ['CDT', ['America/Chicago (UTC-5)', 'America/Havana (UTC-4)']],
  ['IST', ['Asia/Kolkata (UTC+5:30)', 'Asia/Jerusalem (UTC+2)', 'Europe/Dublin (UTC+1)']],
  ['BST', ['Europe/London (UTC+1)', 'Asia/Dhaka (UTC+6)']],
  ['PST', ['America/Los_Angeles (UTC-8)', 'Asia/Manila (UTC+8)']],
  ['EST', ['America/New_York (UTC-5)', 'Australia/Sydney (UTC+10)']],
  ['EDT', ['America/New_York (UTC-4)', 'Australia/Sydney (UTC+11)']],
  ['MST', ['America/Denver (UTC-7)', { fixed: 'America/Phoenix', offset: 'UTC-7' }]],
  ['AST', ['America/Halifax (UTC-4)', 'Asia/Riyadh (UTC+3)']],
  ['ADT', ['America/Halifax (UTC-3)', 'Asia/Baghdad (UTC+4)']],
  ['GST', ['Asia/Dubai (UTC+4)', 'Atlantic/South_Georgia (UTC-2)']],
  ['SST', ['Asia/Singapore (UTC+8)', 'Pacific/Pago_Pago (UTC-11)']],
  ['WST', ['Australia/Perth (UTC+8)', 'Pacific/Apia (UTC+13)']],
  ['AMT', ['Asia/Yerevan (UTC+4)', 'America/Manaus (UTC-4)']],
  ['ACT', ['Australia/Darwin (UTC+9:30)', 'America/Rio_Branco (UTC-5)']],
  ['ECT', ['America/Guayaquil (UTC-5)', 'Europe/Paris (UTC+1)']],
  ['BOT', ['America/La_Paz (UTC-4)', 'Asia/Thimphu (UTC+6)']],
  ['PYT', ['America/Asuncion (UTC-3)', 'Asia/Pyongyang (UTC+9)']],
  ['AEST', ['Australia/Sydney (UTC+10)', { fixed: 'Australia/Brisbane', offset: 'UTC+10' }]],
  ['ACST', ['Australia/Adelaide (UTC+9:30)', { fixed: 'Australia/Darwin', offset: 'UTC+9:30' }]],
]);

/** Abbreviations with one meaning. */
const abbreviations: ReadonlyMap<string, string> = new Map(
  [
    'JST Asia/Tokyo, KST Asia/Seoul, HKT Asia/Hong_Kong, SGT Asia/Singapore, PHT Asia/Manila, MYT Asia/Kuala_Lumpur',
    'WIB Asia/Jakarta, WITA Asia/Makassar, WIT Asia/Jayapura, ICT Asia/Bangkok, NPT Asia/Kathmandu, PKT Asia/Karachi',
    'MSK Europe/Moscow, TRT Europe/Istanbul, CEST Europe/Berlin, EEST Europe/Athens, WEST Europe/Lisbon, Z UTC',
    'PDT America/Los_Angeles, PT America/Los_Angeles, ET America/New_York, CT America/Chicago, MDT America/Denver, MT America/Denver, HST Pacific/Honolulu',
    'AKST America/Anchorage, AKDT America/Anchorage, BRT America/Sao_Paulo, ART America/Argentina/Buenos_Aires',
    'AEDT Australia/Sydney, ACDT Australia/Adelaide, AWST Australia/Perth, NZST Pacific/Auckland, NZDT Pacific/Auckland',
    'SAST Africa/Johannesburg, EAT Africa/Nairobi, WAT Africa/Lagos, CAT Africa/Maputo, CLT America/Santiago',
  ]
    .join(', ')
    .split(', ')
    .map((pair) => {
      const [short = '', name = ''] = pair.split(' ');
      return [short, name] as const;
    }),
);
