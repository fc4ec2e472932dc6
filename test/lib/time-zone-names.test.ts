import { describe, expect, test } from 'vitest';
import { zoneWords } from '../../src/lib/settings/words.ts';
import { isTimeZone } from '../../src/lib/time-words.ts';
import { zoneNicknames } from '../../src/lib/time-zone-cities.ts';
import { readTimeZone, zoneFault, zoneName, zoneSettingFault } from '../../src/lib/time-zone-names.ts';
import { languages } from '../../src/lib/words.ts';

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
  'Asia/Urumqi': ['乌鲁木齐', '烏魯木齊', '喀什', '乌鲁木齐市', '新疆时间', 'Kashgar'],
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

/** Each in Chinese, Japanese or Korean. */
const cities =
  'Asia/Shanghai 拉萨 昆明 哈尔滨 大连 廈門 东莞 兰州 / Asia/Hong_Kong 香港 九龙 / Asia/Macau 澳门 マカオ / Asia/Taipei 台北 台中 高雄 / Asia/Singapore 新加坡 / ' +
  'Asia/Kuala_Lumpur 吉隆坡 槟城 / Asia/Bangkok 曼谷 清迈 / Asia/Ho_Chi_Minh 河内 胡志明市 하노이 / Asia/Phnom_Penh 金边 / Asia/Yangon 仰光 / Asia/Makassar 巴厘岛 / ' +
  'Asia/Tokyo 横浜 札幌 오사카 / Asia/Seoul 釜山 인천 / Asia/Kolkata 孟买 新德里 / Asia/Kathmandu 加德满都 / Asia/Dhaka 达卡 / Asia/Dubai 迪拜 阿布扎比 / Asia/Tehran 德黑兰 / ' +
  'Asia/Almaty 阿拉木图 / Asia/Tashkent 塔什干 / Asia/Ulaanbaatar 乌兰巴托 / Asia/Jerusalem 特拉维夫 / Europe/Istanbul 伊斯坦布尔 / Europe/Dublin 都柏林 / Europe/Berlin 慕尼黑 法兰克福 / ' +
  'Europe/Zurich 苏黎世 / Europe/Vienna 维也纳 / Europe/Rome 罗马 米兰 / Europe/Madrid 马德里 巴塞罗那 / Europe/Lisbon 里斯本 / Europe/Amsterdam 阿姆斯特丹 / Europe/Brussels 布鲁塞尔 / ' +
  'Europe/Stockholm 斯德哥尔摩 / Europe/Helsinki 赫尔辛基 / Europe/Warsaw 华沙 / Europe/Prague 布拉格 プラハ / Europe/Athens 雅典 / America/New_York 波士顿 华盛顿 / America/Chicago 休斯敦 / ' +
  'America/Los_Angeles 西雅图 シアトル / America/Toronto 多伦多 渥太华 / America/Mexico_City 墨西哥城 / America/Sao_Paulo 圣保罗 / Pacific/Honolulu 夏威夷 / Australia/Melbourne 墨尔本 / ' +
  'Australia/Perth 珀斯 / Pacific/Auckland 奥克兰 / Africa/Cairo 开罗 / Africa/Nairobi 内罗毕';

test.each(cities.split(' / ').map((line) => line.split(' ')))('%s is what people there call it', (zone, ...names) => {
  expect(names.map((name) => readTimeZone(name))).toEqual(names.map(() => ({ type: 'zone', timeZone: zone })));
});

test('each name of a city stands for one zone, which there is', () => {
  const names = zoneNicknames.flatMap((line) => line.split(' ').slice(1));
  expect(names.length).toBe(new Set(names).size);
  expect(zoneNicknames.map((line) => line.split(' ')[0] ?? '').filter((zone) => !isTimeZone(zone))).toEqual([]);
});

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
      const said = typeof choice === 'string' ? choice : `${choice.fixed} (${choice.offset})`;
      const [zone = ''] = said.split(' ');
      expect(isTimeZone(zone)).toBe(true);
      expect(said).toMatch(/ \(UTC[+-]\d{1,2}(?::30)?\)$/);
    }
    const { choices } = reading;
    for (const language of languages) {
      const fault = zoneWords[language].ambiguous({ written: `"${name}"`, choices });
      expect(zoneFault(name, reading, language)).toBe(fault);
      expect(zoneSettingFault(name)?.(language)).toBe(zoneWords[language].expected({ fault }));
    }
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
  expect(zoneSettingFault('Beijing')?.('en')).toContain('Write "Asia/Shanghai".');
  expect(zoneSettingFault('UTC+8')?.('en')).toContain('Write "+08:00".');
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
