/* What is said of values that somebody has written: what was expected, and what is wrong with time zones and proxies. */

import { catalogue } from '../words.ts';

/** What begins with a letter, digit or sign of code stands apart from Chinese characters before it. */
export function apart(text: string): string {
  return /^[\w"'{[$`/<-]/.test(text) ? ` ${text}` : text;
}

interface Bound {
  readonly of: 'string' | 'list' | 'number';
  readonly side: 'at least' | 'more than' | 'at most' | 'less than';
  readonly limit: number;
}

/** What a schema expects: each continues "expected". */
export const valueWords = catalogue({
  en: {
    kinds: {
      string: 'a string',
      number: 'a number',
      int: 'a whole number',
      boolean: 'true or false',
      list: 'a list',
      object: 'an object',
      null: 'null',
    },
    ofType: ({ type }: { readonly type: string }) => `a value of the type ${type}`,
    bound: ({ of, side, limit }: Bound) => {
      if (of === 'number') return `a number of ${side} ${limit}`;
      if (of === 'list') return `a list of ${side} ${limit} entries`;
      return limit === 1 && side === 'at least'
        ? 'a string that is not empty'
        : `a string of ${side} ${limit} characters`;
    },
    multiple: ({ of }: { readonly of: string }) => `a multiple of ${of}`,
    address: 'an address such as https://example.com',
    form: ({ form }: { readonly form: string }) => `text in the form ${form}`,
    other: 'another value',
    nothing: 'nothing',
    oneOf: ({ others, last }: { readonly others: readonly string[]; readonly last: string }) =>
      others.length === 0 ? last : `${others.join(', ')} or ${last}`,
    either: ({ texts }: { readonly texts: readonly string[] }) => texts.join(' or '),
  },
  zh: {
    kinds: {
      string: '字符串',
      number: '数字',
      int: '整数',
      boolean: 'true 或 false',
      list: '列表',
      object: '对象',
      null: 'null',
    },
    ofType: ({ type }) => `类型为 ${type} 的值`,
    bound: ({ of, side, limit }) => {
      if (of === 'string' && side === 'at least' && limit === 1) return '非空字符串';
      const sides = of === 'number' ? numberSides : amountSides;
      const amount = `${sides[side]} ${limit}`;
      if (of === 'number') return `${amount} 的数字`;
      return of === 'list' ? `${amount} 项的列表` : `${amount} 个字符的字符串`;
    },
    multiple: ({ of }) => `${of} 的倍数`,
    address: '网址，例如 https://example.com',
    form: ({ form }) => `形如 ${form} 的文本`,
    other: '其他值',
    nothing: '无',
    oneOf: ({ others, last }) => (others.length === 0 ? last : `${others.join('、')} 或${apart(last)}`),
    either: ({ texts }) => texts.map((text, index) => (index === 0 ? text : apart(text))).join('或'),
  },
});

const numberSides = { 'at least': '不小于', 'more than': '大于', 'at most': '不大于', 'less than': '小于' } as const;
const amountSides = { 'at least': '至少', 'more than': '多于', 'at most': '最多', 'less than': '少于' } as const;

/** A zone with its offset, `Asia/Shanghai (UTC+8)`, or one that has no summer time beside another that has. */
export type ZoneChoice = string | { readonly fixed: string; readonly offset: string };

function englishChoice(choice: ZoneChoice): string {
  return typeof choice === 'string' ? choice : `${choice.fixed} (${choice.offset}, no summer time)`;
}

function chineseChoice(choice: ZoneChoice): string {
  return typeof choice === 'string' ? choice : `${choice.fixed}（${choice.offset}，不实行夏令时）`;
}

/** What is wrong with a time zone. `written` has its quotation marks. */
export const zoneWords = catalogue({
  en: {
    ambiguous: ({ written, choices }: { readonly written: string; readonly choices: readonly ZoneChoice[] }) =>
      `${written} is no time zone by itself: it may mean ${choices.map(englishChoice).join(' or ')}. Use the IANA name of the one that is meant.`,
    unknown: ({ written }: { readonly written: string }) =>
      `There is no time zone ${written}. Use an IANA name such as "Europe/Berlin", or an offset such as "UTC+8".`,
    expected: ({ fault }: { readonly fault: string }) => `expected a time zone, such as "Europe/Berlin". ${fault}`,
    write: ({ timeZone }: { readonly timeZone: string }) => `Write "${timeZone}".`,
  },
  zh: {
    ambiguous: ({ written, choices }) =>
      `单凭 ${written} 无法确定时区：可能是 ${choices.map(chineseChoice).join(' 或 ')}。写上想用的那个 IANA 名称。`,
    unknown: ({ written }) => `没有时区 ${written}。写 IANA 名称，例如 "Europe/Berlin"，或偏移，例如 "UTC+8"。`,
    expected: ({ fault }) => `应为时区，例如 "Europe/Berlin"。${fault}`,
    write: ({ timeZone }) => `写 "${timeZone}"。`,
  },
});

const proxyForm = 'Write it as "http://host:port", "https://host:port" or "socks5h://host:port"';
const proxyFormZh = '写成 "http://host:port"、"https://host:port" 或 "socks5h://host:port"';
const encodeHint = 'In a name or password, write "@", ":", "/", "#", "?" and "%" percent-encoded: "%40" for "@".';
const encodeHintZh = '用户名或密码中的 "@"、":"、"/"、"#"、"?" 和 "%" 要写成百分号编码："@" 写成 "%40"。';

/** What is wrong with a proxy, and which are used for what. `name` is undefined if it may not be shown. */
export const proxyPhrases = catalogue({
  en: {
    nothingFollows: `nothing may follow the port. ${proxyForm}. ${encodeHint}`,
    lacksHost: `it lacks the host. ${proxyForm}.`,
    lacksPort: `it lacks the port. ${proxyForm}.`,
    percent: 'a "%" in its name or password must be written as "%25".',
    lacksScheme: `it lacks what the proxy speaks. ${proxyForm}.`,
    socks4: 'SOCKS 4 is not supported. If the proxy speaks SOCKS 5, write "socks5h://".',
    unknownScheme: ({ name, meant }: { readonly name: string | undefined; readonly meant: string | undefined }) =>
      `${name === undefined ? 'what it begins with' : `"${name}"`} is no kind of proxy.${meant === undefined ? '' : ` Did you mean "${meant}"?`} ${proxyForm}.`,
    port: 'a port is a number from 1 to 65535.',
    incomplete: `it is no complete address. ${proxyForm}. ${encodeHint}`,
    uses: ({ uses, exceptions }: ProxyUses) =>
      `${uses.map(({ proxy, scheme }) => (scheme === undefined ? proxy : `${proxy} for ${scheme}`)).join(', ')}; not for ${exceptions === undefined ? 'this machine and private hosts' : `this machine, ${exceptions.join(', ')}`}`,
  },
  zh: {
    nothingFollows: `端口后面不能有别的内容。${proxyFormZh}。${encodeHintZh}`,
    lacksHost: `缺少主机。${proxyFormZh}。`,
    lacksPort: `缺少端口。${proxyFormZh}。`,
    percent: '用户名或密码中的 "%" 必须写成 "%25"。',
    lacksScheme: `没有写明代理的协议。${proxyFormZh}。`,
    socks4: '不支持 SOCKS 4。如果代理支持 SOCKS 5，写 "socks5h://"。',
    unknownScheme: ({ name, meant }) =>
      `${name === undefined ? '开头的部分' : `"${name}" `}不是代理协议。${meant === undefined ? '' : `是不是想写 "${meant}"？`}${proxyFormZh}。`,
    port: '端口是 1 到 65535 之间的数字。',
    incomplete: `地址不完整。${proxyFormZh}。${encodeHintZh}`,
    uses: ({ uses, exceptions }) =>
      `${uses.map(({ proxy, scheme }) => (scheme === undefined ? proxy : `${proxy} 用于 ${scheme}`)).join('，')}；不用于${exceptions === undefined ? '本机和内网主机' : `本机、${exceptions.join('、')}`}`,
  },
});

/** `scheme`: what it is used for, if it is not for all. */
interface ProxyUses {
  readonly uses: readonly { readonly proxy: string; readonly scheme: 'https' | 'http' | undefined }[];
  readonly exceptions: readonly string[] | undefined;
}
