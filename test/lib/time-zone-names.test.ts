import { describe, expect, test } from 'vitest';
import { isTimeZone } from '../../src/lib/time-words.ts';
import { readTimeZone, zoneFault, zoneName, zoneSettingFault } from '../../src/lib/time-zone-names.ts';

const understood: Readonly<Record<string, readonly string[]>> = {
  'Asia/Shanghai': [
    'Asia/Shanghai',
    'asia/shanghai',
    'Beijing',
    'Beijing time',
    'Asia/Beijing',
    'Shanghai time',
    '北京',
    '北京时间',
    '上海',
    '中国标准时间',
    '北京時間',
    'China Standard Time',
    '베이징',
    'Asia/Shanghai (UTC+8)',
    'CST (China)',
    'China Standard Time（北京）',
    '(UTC+08:00) Beijing',
    '苏州',
    'BJT',
  ],
  'Asia/Tokyo': [
    'JST',
    'jst',
    'Tokyo',
    'Osaka',
    '东京',
    '東京',
    '東京時間',
    '日本時間',
    '日本標準時',
    '도쿄',
    'Tokyo, Japan',
  ],
  'Asia/Seoul': ['KST', 'Seoul', 'seoul time', '서울', '서울 시간', '한국 표준시', '首尔'],
  'Asia/Kolkata': ['Mumbai', 'New Delhi', 'India Standard Time'],
  '+08:00': [
    '东八区',
    '東八區',
    'UTC+8',
    'utc+8',
    'UTC +8',
    'GMT+8',
    'UTC+08:00',
    '+08:00',
    '+0800',
    '+8',
    'ＵＴＣ＋８',
  ],
  '+05:30': ['GMT+5:30', 'UTC+5:30', '+05:30'],
  '-03:00': ['UTC-3', 'UTC−3', '-03:00'],
  '+09:00': ['东九区', '東9区', 'CST (UTC+9)'],
  '+10:00': ['东十区'],
  '+11:00': ['东十一区'],
  '-05:00': ['西五区', '西五時區'],
  'Asia/Taipei': ['臺灣', '高雄'],
  'Asia/Kuala_Lumpur': ['吉隆坡'],
  UTC: ['UTC', 'utc', 'Z', 'UTC+0', 'GMT-0'],
  'America/New_York': ['New York', 'new_york', 'NYC', 'Eastern Time', '纽约'],
  'America/Los_Angeles': ['Pacific Time', 'PDT', 'San Francisco', 'Los Angeles'],
  'America/Sao_Paulo': ['São Paulo', 'Sao Paulo', 'BRT'],
  'Europe/Berlin': ['Berlin', 'Europe/Berlin', 'München', 'Germany', 'CEST'],
  CET: ['CET', 'cet'],
  Japan: ['japan'],
};

test.each(Object.entries(understood).flatMap(([zone, names]) => names.map((name) => [name, zone] as const)))(
  '%j is %s',
  (name, timeZone) => {
    expect(readTimeZone(name)).toEqual({ type: 'zone', timeZone });
    expect(isTimeZone(timeZone)).toBe(true);
  },
);

describe('an abbreviation with several meanings is never taken for one', () => {
  test.each([
    'CST',
    'cst',
    'IST',
    'BST',
    'PST',
    'EST',
    'MST',
    'AST',
    'GST',
    'SST',
    'AMT',
    'ECT',
    'ACT',
    'WST',
    'AEST',
    'CDT',
  ])('%s', (name) => {
    const reading = readTimeZone(name);
    if (reading.type !== 'ambiguous') throw new Error(`${name} was read as ${JSON.stringify(reading)}`);
    expect(reading.choices.length).toBeGreaterThan(1);
    for (const choice of reading.choices) {
      const [zone = ''] = choice.split(' ');
      expect(isTimeZone(zone)).toBe(true);
      expect(zoneFault(name, reading)).toContain(choice);
      expect(choice).toMatch(/ \(UTC[+-]\d{1,2}(?::30)?(?:, no summer time)?\)$/);
    }
    expect(zoneSettingFault(name)).toContain(reading.choices[0]);
  });
});

test.each([
  '',
  'Atlantis',
  'VST',
  'NST',
  'PNT',
  'IET',
  'UTC+15',
  'UTC+8:75',
  '8',
  'constructor',
  '__proto__',
  'time',
  'x'.repeat(1000),
])('%j is no time zone', (name) => {
  expect(readTimeZone(name)).toEqual({ type: 'unknown' });
  expect(zoneFault(name, { type: 'unknown' })).toMatch(/^There is no time zone .{1,70}\. Use an IANA name/);
});

test('a config has only names and offsets, and is told the one that was meant', () => {
  expect(['Europe/Berlin', 'UTC', '+08:00'].map(zoneSettingFault)).toEqual([undefined, undefined, undefined]);
  expect(zoneSettingFault('Beijing')).toContain('Write "Asia/Shanghai".');
  expect(zoneSettingFault('UTC+8')).toContain('Write "+08:00".');
});

test('people read offsets as they write them', () => {
  expect(['Asia/Shanghai', '+08:00', '-03:00', '+05:30', 'Etc/GMT-8', 'Etc/GMT+3'].map(zoneName)).toEqual([
    'Asia/Shanghai',
    'UTC+8',
    'UTC-3',
    'UTC+5:30',
    'UTC+8',
    'UTC-3',
  ]);
});
