/* What plain sentences ask for, in English and Chinese: patterns turn them into calls of tools. */

import type { JsonObject } from '../../lib/json.ts';

/** A call, before it has an id. */
export interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The calls that a sentence asks for. Undefined if it is not understood. `now`: the sender's time, `2026-11-29T11:01`. */
export function callsIn(said: string, now?: string): readonly Call[] | undefined {
  if (said.length > longestSentence) return undefined;
  const begun = said.replace(politeStart, '').replace(polite, '');
  const isWhole = restIsContent.test(begun);
  const sentence = isWhole
    ? begun.replace(/,? please[.!?]*$/i, '')
    : begun.replace(enPoliteEnd, '').replace(politeEnd, '');
  const clauses = isWhole ? [sentence] : sentence.split(joint);
  const calls = clauses.flatMap((clause) => callIn(clause, now) ?? []);
  if (calls.length === clauses.length) return calls;
  const whole = callIn(sentence, now);
  return whole && [whole];
}

/** In characters: short enough for every pattern. */
const longestSentence = 5000;
/** Begins a wish, and does not change what is asked for. */
const politeStart =
  /^(?:(?:(?:hi|hey|hello|ok(?:ay)?|so|well|now)(?: keyturn)?[,!]? +)?(?:please|(?:could|can|would|will) you(?: please)?|i(?:'d like| would like| want| need)(?: you)? to|let'?s|(?:can you )?help me(?: to)?|try to|just),? +)+/i;
/** 请, 帮我, 你能不能 …, which do not change what is asked for. */
const polite =
  /^(?:(?:(?:你好|您好)[，,！!]\s?)?(?:请你?|麻烦你?|劳驾|我?想?要?让?你?能不能|你?可不可以|你?可以|你?能|我想(?:让你|要你|请你)?|我要你|我需要你|来|帮忙|帮我|给我|替我)(?:一下)?[，,\s]*)+/u;
const enPoliteEnd = /(?:,? (?:please|for me|to me|thanks|thank you|now|right now))+[.!?]*$/i;
const politeEnd = /[，,]?\s?(?:好吗|好不好|可以吗|行吗|谢谢你?|吧)[。！？!?]{0,3}$/u;
/** These take everything that follows as content. */
const restIsContent =
  /^(?:write|save) \S+: |^(?:echo|say|remember|remind) |^(?:(?:make a )?note(?: that|:) |take a note)|^my (?:\w+ )?name is |^(?:写入?|保存到?)\s*[^\s：:]+\s*[：:]|^(?:说|回显)[\s：:“「"]|^(?:记住|记下|记一下)|(?:提醒|叫)我/iu;
const joint =
  /,? (?:and then|then|and) (?:please )?(?=(?:list|show|read|write|replace|run|echo|remember|remind)\b)|(?:[，,；;]\s?(?:然后|接着|再|并|请)*|然后再?|接着|并且?)\s?(?=(?:列出|显示|读|查看|打开|写|把|将|运行|执行|记住)\s?\S)/iu;

/** A name with a full stop or a slash in it, or in quotes. */
const enPath = String.raw`(?<path>"[^"\n]{1,200}"|'[^'\n]{1,200}'|\x60[^\x60\n]{1,200}\x60|(?=\S{0,200}[./])[^\s,:;]{1,200}[^\s,:;.!?])`;

/** Where a Chinese sentence names a file or a folder: one of ASCII letters or with a full stop or slash in it. */
const zhPath = String.raw`(?<path>[“「"'\x60]?(?=[^\s，。]{0,200}[\w./])[^\s，。：:]{1,200}?[”」"'\x60]?)`;
/** In the file or folder. */
const zhInside = String.raw`\s*(?:目录|文件夹|文件)?(?:里面?|中|下面?)`;

/** A time of today or tomorrow. */
const enTime = String.raw`(?<day>today|tomorrow)?(?: morning| afternoon| evening)? ?(?:at )(?<hour>\d{1,2})(?::(?<minute>\d\d))? ?(?<half>[ap]\.?m\.?|o'clock)?(?: (?<later>today|tomorrow))?`;
const zhNumber = '[0-9零一二两三四五六七八九十]{1,3}';
const zhTime = String.raw`(?<day>今天|明天)?(?<half>早上|上午|中午|下午|晚上|今晚|明早|明晚)?\s?(?<hour>${zhNumber})(?:点(?:(?<thirty>半)|(?<minute>${zhNumber})分?)?钟?|[:：](?<minutes>\d\d))`;
/** From now on. */
const zhSpan = String.raw`(?<in_minutes>(?:[1-9]\d{0,5}|[一二两三四五六七八九十半]{1,3})\s*个?半?(?:分钟|小时|钟头|天))(?:之后|以后|后)`;

/** A pattern with the names of its arguments, its tool, and arguments that are always the same. */
const patterns: readonly (readonly [pattern: RegExp, tool: string, always?: JsonObject])[] = [
  [/^(?:write|save) (?<path>\S+): (?<content>.+)$/is, 'write_file'],
  [
    new RegExp(
      `^(?:write|make|create|add|save)(?: me)?(?: a| an| the)?(?: new)?(?: text)?(?: file| note| document)(?:,? (?:called|named))? ${enPath}(?:,? (?:with|containing|that (?:says|contains)|saying|and (?:write|put))(?: the)?(?: text| content| words)?:? (?<content>.+?)(?: in(?:to|side)? it)?)?$`,
      'is',
    ),
    'write_file',
    { content: '' },
  ],
  [new RegExp(`^put (?<content>.+) in(?:to)? (?:the )?(?:file )?${enPath}$`, 'is'), 'write_file'],
  [
    chinese(
      String.raw`(?:写|新建|创建|建立?|生成)(?:一?个)?(?:新的?)?(?:文本)?文件[，,]?\s?(?:叫做?|名为|名字叫|名叫)?\s*${zhPath}(?:[，,]?\s?(?:内容(?:是|为|写)?|里面写|写上|写入?)[：:]?\s*(?<content>.+))?`,
    ),
    'write_file',
    { content: '' },
  ],
  [/^(?:write|save) (?:a |an |the |my )?[\w ]{1,40} (?:to|in|into) (?<path>[^\s:]+): (?<content>.+)$/is, 'write_file'],
  [/^(?:write|save) (?<content>.+) (?:in)?to (?<path>\S+)$/is, 'write_file'],
  [/^(?:写入?|保存到?)\s*(?<path>[^\s：:]+)\s*[：:]\s*(?<content>.+)$/su, 'write_file'],
  [
    chinese(
      String.raw`[把将](?<content>.+)(?:写入|写到|写进|保存到|(?<!保)存到|存入)(?:文件)?\s*${zhPath}(?:里面?|中)?`,
    ),
    'write_file',
  ],
  [chinese(String.raw`[在往]\s*${zhPath}(?:${zhInside})?\s*(?:写入|写上|写)\s*(?<content>.+)`), 'write_file'],
  // The end is matched first: otherwise each "with" would be tried with each "in".
  [/^(?:replace|change) (?=.+ in \S+$)(?<old_text>.+?) (?:with|by|to) (?<new_text>.+) in (?<path>\S+)$/i, 'edit_file'],
  [
    chinese(String.raw`[把将]\s*${zhPath}${zhInside}的?(?<old_text>.+?)(?:替换|换|改)[成为](?<new_text>.+)`),
    'edit_file',
  ],
  [
    chinese(String.raw`在\s*${zhPath}${zhInside}[，,]?\s?[把将](?<old_text>.+?)(?:替换|换|改)[成为](?<new_text>.+)`),
    'edit_file',
  ],
  [
    /^(?:list|show|what)(?: me)?(?: all)?(?: the| my)? ?(?:files|folder)?(?: are there)?(?: in (?<path>\S+))?$/i,
    'list_dir',
  ],
  [
    /^(?:what(?:'s| is)(?: there)?|which files are|(?:what|which) files (?:do (?:you|i|we) have|are)|show me what(?:'s| is)|dir|(?:list|show)(?: me)? (?:my|your|all|the)?(?: current| this)? ?(?:folder|directory|workspace|files and folders))(?: here| in (?:here|(?:this|the|my|your)(?: current)? (?:folder|directory|workspace)))?$/i,
    'list_dir',
  ],
  [/^ls(?: -\S+)*(?: (?<path>[^-\s]\S*))?$/i, 'list_dir'],
  [
    chinese(
      String.raw`(?:列出|显示|查看|看看?)(?:一下)?(?:我的|当前)?(?:所有|全部)?的?\s*(?:${zhPath}${zhInside}的?)?(?:所有|全部)?(?:文件夹?|目录)(?:列表)?`,
    ),
    'list_dir',
  ],
  [chinese(String.raw`列出\s*(?<path>[\x21-\x7e]+)`), 'list_dir'],
  [chinese(`(?:看看?)?(?:${zhPath}${zhInside}|这里|现在)?(?:都)?有(?:哪些|什么)文件`), 'list_dir'],
  [/^(?:read|cat|show|open) (?:me )?(?:the )?(?:file )?(?<path>(?!\S{0,8}:\/\/)\S+)$/i, 'read_file'],
  [
    chinese(
      String.raw`(?:读取?|打开|查看|看看?|显示)(?:一下)?(?:文件)?\s*${zhPath}\s*(?:文件)?(?:的内容|里面?(?:写了|有|是)(?:什么|啥|些什么))?`,
    ),
    'read_file',
  ],
  [/^(?:run|execute|type) (?:the )?(?:(?:shell )?command:? )(?<command>.+)$/i, 'shell'],
  [/^(?:run|execute|\$) (?!(?:it|this|that)$)(?!(?:the|my|a|an|some|all|this|that|your) )(?<command>.+)$/i, 'shell'],
  [
    /^(?<command>(?:date|pwd|whoami|hostname|uname|uptime|df|free|cal|env|ps|id|git|node|npm|python3?|pip3?)(?: [\x21-\x7e][^?]{0,200})?)$/,
    'shell',
  ],
  [/^(?:运行|执行)(?:一下)?(?:命令)?[：:]?\s*(?<command>[\x21-\x7e“「].*)$/u, 'shell'],
  [
    /^(?:(?:do you know |tell me )?(?:what time (?:is it|it is)|what (?:the )?(?:time|date) is(?: it)?|(?:what(?:'s| is) )?(?:the )?(?:current )?(?:time|date)|(?:what(?:'s| is) )?today'?s date|what (?:week)?day (?:is it|is today|it is)|what date is it)(?: now| today| right now)?)$/i,
    'shell',
    { command: 'date' },
  ],
  [
    /^(?:今天|现在|当前)?的?(?:是)?(?:几点(?:钟)?|什么时间|什么时候|时间(?:是多少)?|日期|几号|几月几号|星期几|周几|礼拜几|什么日子)[了啦呢]?$/u,
    'shell',
    { command: 'date' },
  ],
  // A file or a folder that is only named is looked at.
  [/^(?<path>[\w.-]{1,60}(?:\/[\w.-]{1,60}){0,8}\.(?!com$|org$|net$|io$|cn$|dev$)[a-z]\w{0,4})$/i, 'read_file'],
  [/^(?<path>(?:\.{1,2}|[\w.-]{1,60})(?:\/[\w.-]{1,60}){0,8}\/)$/, 'list_dir'],
  [
    /^(?:search|look|grep)(?: in)?(?: (?:the|my|all) files)? for (?<pattern>.{1,200}?)(?: in (?:the |my |all )?(?:files|folder|workspace|here))?$/i,
    'search_files',
  ],
  [
    /^(?:find|search|grep) (?<pattern>(?!the file|files? |all ).{1,200}?) in (?:the |my |all |these )?(?:files|folder|workspace)$/i,
    'search_files',
  ],
  [
    /^(?:在(?:我的|所有)?(?:文件|目录|文件夹|工作区)(?:里面?|中)|全文)\s*(?:搜索?|查找|找)(?:一下)?\s*(?<pattern>.{1,200})$/u,
    'search_files',
  ],
  [/^(?:find|where is|where's|locate)(?: me)?(?: the)? (?:file|document) (?<pattern>\S{1,200})$/i, 'find_files'],
  [/^(?:查找|找(?:一下|到)?|搜索)文件\s*(?<pattern>\S{1,200})$/u, 'find_files'],
  [
    /^(?:fetch|open|visit|read|get|load|browse|summari[sz]e|go to|check|look at|show)(?: me)?(?: the)?(?: (?:web ?)?(?:page|site|website|url|link))?(?: at)? (?<url>(?:https?:\/\/|www\.)\S{1,500})$/i,
    'web_fetch',
  ],
  [/^(?:fetch|visit|browse|go to) (?<url>[\w-]{1,60}(?:\.[\w-]{1,60}){1,5}(?:\/\S{0,300})?)$/i, 'web_fetch'],
  [/^(?<url>https?:\/\/\S{1,500})$/i, 'web_fetch'],
  [
    /^(?:打开|访问|读取?|抓取|看看?|总结|浏览)(?:一下)?(?:网页|网站|网址|链接|页面)?\s*(?<url>(?:https?:\/\/|www\.)[\x21-\x7e]{1,500})(?:的内容)?$/iu,
    'web_fetch',
  ],
  [
    /^(?:search the web|search online|google|web search|search the internet|look up)(?: for)? (?<query>.{1,200})$/i,
    'web_search',
  ],
  [
    /^(?:上网|网上|在网上|百度|谷歌|联网)(?:一下)?(?:搜索?|查(?:找)?|找)?(?:一下)?\s*(?<query>.{2,200})$/u,
    'web_search',
  ],
  [new RegExp(`^(?:delete|remove|erase|rm)(?: the)?(?: file)? ${enPath}$`, 'i'), 'shell', { command: 'rm' }],
  [
    new RegExp(`^(?:rename|move|mv) ${enPath} (?:in)?to ${enPath.replace('path', 'to')}$`, 'i'),
    'shell',
    { command: 'mv' },
  ],
  [
    new RegExp(`^(?:copy|cp|duplicate) ${enPath} (?:in)?to ${enPath.replace('path', 'to')}$`, 'i'),
    'shell',
    { command: 'cp' },
  ],
  [
    chinese(String.raw`[把将]\s*${zhPath}\s*(?:改名|重命名|移动?)[成为到]\s*(?<to>[^\s，。：:]{1,200})`),
    'shell',
    { command: 'mv' },
  ],
  [chinese(String.raw`[把将]\s*(?:文件)?${zhPath}\s*(?:给我)?(?:删除|删掉|删了|移除)`), 'shell', { command: 'rm' }],
  [chinese(String.raw`(?:删除|删掉|移除)(?:一下)?(?:文件)?\s*${zhPath}(?:文件)?`), 'shell', { command: 'rm' }],
  [
    /^(?:make|create|add|new)(?: a| an)?(?: new)? (?:folder|directory|dir)(?: called| named)? (?<path>[^\s,:;]{1,200})$/i,
    'shell',
    { command: 'mkdir -p' },
  ],
  [
    /^(?:新建|创建|建)(?:一?个)?(?:新的?)?(?:文件夹|目录)(?:叫|名为|，)?\s*(?<path>[^\s，。]{1,200})$/u,
    'shell',
    { command: 'mkdir -p' },
  ],
  [/^(?:echo|say) (?<message>.+)$/is, 'echo'],
  [/^(?:说|回显)(?:\s+|[：:]\s*|(?=[“「"]))(?<message>.+)$/su, 'echo'],
  [/^remember (?:that )?(?<text>.+)$/is, 'memory_store'],
  [/^(?:make a )?note(?: that |: ?)(?<text>.+)$/is, 'memory_store'],
  [/^take a note:? (?<text>.+)$/is, 'memory_store'],
  [/^(?<text>(?:my (?:\w+ )?name is|i am called|call me|i live in|i like|i love|i prefer) .+)$/is, 'memory_store'],
  [/^(?<text>我(?:的名字)?(?:叫|是|住在|喜欢|在|的\p{Script=Han}{1,4}是)[^吗么？?]{1,100})$/su, 'memory_store'],
  [/^(?:记住|记下|记一下)(?!了?[吗么没])了?[：:，,]?\s*(?<text>.+)$/su, 'memory_store'],
  [/^what do you (?:remember|know)(?: about (?:me|(?<query>.+)))?$/i, 'memory_search'],
  [
    /^(?:what(?:'s| is) my name|do you (?:remember|know) (?:me|my name|who i am)|who am i)$/i,
    'memory_search',
    { query: '' },
  ],
  [
    /^(?:你|您)?还?(?:知道|记得|认识)(?:我是谁|我叫什么(?:名字)?|我的名字|我的?什么(?:事情?)?|关于我的什么|我)[吗么]?$|^我(?:叫什么(?:名字)?|是谁)$/u,
    'memory_search',
    { query: '' },
  ],
  [
    /^(?:关于\s*(?<query>.{1,200}?)\s*[，,]?)?[你您]?还?都?(?:记得|记住了?|记了)些?(?:什么|哪些)(?:事情?|东西|内容)?$/u,
    'memory_search',
  ],
  [/^remind me in (?<in_minutes>[1-9]\d{0,5} (?:minute|hour|day)s?) (?:to|of|that|about) (?<text>.+)$/is, 'remind'],
  [chinese(String.raw`(?:在|过)?\s*${zhSpan}[，,]?\s*(?:提醒|叫)我[：:，,]?\s*(?<text>.+)`), 'remind'],
  [chinese(String.raw`提醒我[，,]?\s*(?:在|过)?${zhSpan}[，,]?\s*(?<text>.+)`), 'remind'],
  [/^remind me to (?<text>.+) in (?<in_minutes>[1-9]\d{0,5} (?:minute|min|hour|day)s?)$/is, 'remind'],
  [
    /^(?:set|start)(?: a| an)? (?:timer|alarm)(?: for| in)? (?<in_minutes>[1-9]\d{0,5} (?:minute|min|hour|day)s?)$/i,
    'remind',
    { text: '⏰' },
  ],
  [new RegExp(`^remind me ${enTime} (?:to|of|that|about) (?<text>.+)$`, 'is'), 'remind'],
  [new RegExp(`^remind me (?:to|of|that|about) (?<text>.+?) ${enTime}$`, 'is'), 'remind'],
  [chinese(String.raw`(?:请?在?)${zhTime}[，,]?\s*(?:提醒|叫)我[：:，,]?\s*(?<text>.+)`), 'remind'],
  [chinese(String.raw`提醒我[，,]?\s*${zhTime}[，,]?\s*(?<text>.+)`), 'remind'],
  [
    /^(?:show|list|what are|see)(?: me)?(?: all)?(?: my| the)? (?:reminders|schedules?|planned tasks|tasks)$/i,
    'schedule',
    { action: 'list' },
  ],
  [
    /^(?:查看|列出|显示|看看?)?(?:我的?)?(?:所有|全部|有哪些|有什么)?的?(?:提醒|日程|定时任务)$/u,
    'schedule',
    { action: 'list' },
  ],
  [
    /^(?:cancel|delete|remove)(?: the| my)? (?:reminder|task|schedule) (?<id>[a-z0-9]{3,12})$/i,
    'schedule',
    { action: 'cancel' },
  ],
  [/^(?:取消|删除)(?:提醒|任务|日程)\s*(?<id>[a-z0-9]{3,12})$/iu, 'schedule', { action: 'cancel' }],
];

function chinese(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, 'su');
}

function callIn(clause: string, now: string | undefined): Call | undefined {
  // "date." is no command, ".." is a folder.
  const bare = restIsContent.test(clause) ? clause : clause.replace(/(?<=[\w`"'])[.!?]+$|[。！？]+$/, '');
  for (const [pattern, name, always = {}] of patterns) {
    const found = pattern.exec(bare);
    if (found === null) continue;
    const call = callOf(name, always, found.groups ?? {}, now);
    // With an unpaired backtick, the end of a command is unclear.
    return String(call?.arguments.command ?? '').split('`').length % 2 === 1 ? call : undefined;
  }
  return undefined;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** The call of a pattern that was found. Undefined if what it names makes none, such as 25 o'clock. */
function callOf(name: string, always: JsonObject, groups: Groups, now: string | undefined): Call | undefined {
  if (name === 'remind' && groups.hour !== undefined) {
    const at = timeOf(groups, now);
    return at === undefined ? undefined : { name, arguments: { text: argumentOf('text', groups.text ?? ''), at } };
  }
  const { command } = always;
  if (name === 'shell' && groups.path !== undefined)
    return { name, arguments: { command: [command, ...[groups.path, groups.to].flatMap(wordOf)].join(' ') } };
  const given = Object.entries(groups).filter(([key, text]) => text !== undefined || always[key] === undefined);
  const values = given.map(([key, text = '']) => [key, argumentOf(key, text)]);
  return { name, arguments: { ...always, ...Object.fromEntries(values) } };
}

/** A file that a sentence names, as a word of a command. */
function wordOf(path: string | undefined): readonly string[] {
  return path === undefined ? [] : [quoted(String(argumentOf('path', path)))];
}

/** A name for the shell. A leading dash would be an option. */
function quoted(name: string): string {
  const safe = name.startsWith('-') ? `./${name}` : name;
  return /^[\w./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`;
}

function argumentOf(key: string, text: string): string | number {
  if (key === 'in_minutes') return minutesOf(text);
  if (key === 'path' && text === '') return '.';
  if (key === 'url' && !/^https?:/i.test(text)) return `https://${text}`;
  // A quotation stands for its content.
  const [, , plain, chinese] = /^(?:(["'`])((?:(?!\1).)+)\1|[“「]([^”」]+)[”」])$/s.exec(text.trim()) ?? [];
  return plain ?? chinese ?? text.trim();
}

/** `2 hours`, `两个小时`, `半小时`, `一个半小时`, `十五分钟`. */
function minutesOf(text: string): number {
  const unit = /day|天/i.test(text) ? 1440 : /hour|小时|钟头/i.test(text) ? 60 : 1;
  if (text.startsWith('半')) return Math.ceil(unit / 2);
  return Math.ceil((numberOf(text) + (/半/.test(text) ? 0.5 : 0)) * unit);
}

/** The number that a text begins with, at most 99 in Chinese characters; at least 1. */
function numberOf(text: string): number {
  if (/^\d/.test(text)) return Number.parseInt(text, 10);
  const [, tens = '', ten, ones = ''] = /^([一二两三四五六七八九]?)(十?)([一二两三四五六七八九]?)/.exec(text) ?? [];
  const digit = (sign: string): number => Math.max(0, zhDigits.indexOf(sign === '两' ? '二' : sign));
  if (ten === '') return Math.max(1, digit(tens));
  return (tens === '' ? 1 : digit(tens)) * 10 + (ones === '' ? 0 : digit(ones));
}

const zhDigits = '零一二三四五六七八九';

/**
 * A time of today or tomorrow as `2026-11-30T09:00`; undefined if it is none, or the day is not known. A time without a
 * day is the next one: three o'clock, said at four, is tomorrow's.
 */
function timeOf(groups: Groups, now: string | undefined): string | undefined {
  if (now === undefined) return undefined;
  const { day = '', later = '', half = '', thirty } = groups;
  const [hourSaid, minuteSaid] = [numberOrZero(groups.hour), numberOrZero(groups.minute ?? groups.minutes)];
  const isAfternoon = /^p|下午|晚|中午/i.test(half) && hourSaid < 12 && !(half === '中午' && hourSaid > 9);
  const isMidnight = /^a/i.test(half) && hourSaid === 12;
  const hour = isMidnight ? 0 : hourSaid + (isAfternoon ? 12 : 0);
  const minute = thirty === undefined ? minuteSaid : 30;
  if (hour > 23 || minute > 59) return undefined;
  const two = (number: number): string => String(number).padStart(2, '0');
  const time = `T${two(hour)}:${two(minute)}`;
  const date = new Date(`${now.slice(0, 10)}T00:00:00Z`);
  const said = `${day}${later}${half}`;
  const isOver = !/today|今/i.test(said) && `${now.slice(0, 10)}${time}` <= now;
  if (isOver || /tomorrow|明/i.test(said)) date.setUTCDate(date.getUTCDate() + 1);
  return `${date.toISOString().slice(0, 10)}${time}`;
}

function numberOrZero(text: string | undefined): number {
  return text === undefined || text === '零' ? 0 : text.startsWith('0') ? Number.parseInt(text, 10) : numberOf(text);
}
