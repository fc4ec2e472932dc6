/* What plain sentences ask for, in English and Chinese: patterns turn them into calls of tools. */

import type { JsonObject } from '../../lib/json.ts';

interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The calls that a sentence asks for. Undefined if it is not understood. */
export function callsIn(said: string): readonly Call[] | undefined {
  if (said.length > longestSentence) return undefined;
  const begun = said.replace(/^(?:(?:please|(?:could|can|would|will) you),? )+/i, '').replace(polite, '');
  const isWhole = restIsContent.test(begun);
  const sentence = begun.replace(/,? please[.!?]*$/i, '').replace(isWhole ? /$^/ : politeEnd, '');
  const clauses = isWhole ? [sentence] : sentence.split(joint);
  const calls = clauses.flatMap((clause) => callIn(clause) ?? []);
  if (calls.length === clauses.length) return calls;
  const whole = callIn(sentence);
  return whole && [whole];
}

/** Whether somebody only greets, thanks or asks what this is. */
export function isGreeting(sentence: string): boolean {
  return greeting.test(sentence);
}

const greeting = new RegExp(
  [
    String.raw`[^\p{L}\p{N}]*`,
    String.raw`(?:[你您]们?好[啊呀吗]?|(?:早上|上午|中午|下午|晚上)好|早安?|晚安|嗨|哈[喽囉啰]|在[吗么]|谢谢你?|多谢|再见|拜拜|帮助|怎么用|[你您]是(?:谁|什么)|[你您]?(?:能|会|可以)(?:帮我)?[做干]?些?(?:什么|啥)|[你您]?有(?:什么|哪些)功能|こんにちは|안녕(?:하세요)?)[呢呀啊吧了]?[\p{P}\p{S}\s]{0,9}`,
    String.raw`(?:hi|hello|hey|hallo|hola|bonjour|ciao|good (?:morning|day|evening)|thanks|thank you|danke|ok|bye|\/?help|\/start|who are you|what can (?:you|i) do)\b.{0,20}`,
  ]
    .map((words) => `^${words}$`)
    .join('|'),
  'iu',
);

/** In characters: short enough for every pattern. */
const longestSentence = 5000;
/** 请, 帮我, 你能不能 …, which do not change what is asked for. */
const polite = /^(?:(?:请你?|麻烦你?|劳驾|你?能不能|你?可不可以|你?可以|你?能|帮忙|帮我|给我)(?:一下)?[，,\s]*)+/u;
const politeEnd = /[，,]?\s?(?:好吗|好不好|可以吗|行吗|谢谢你?|吧)[。！？!?]{0,3}$/u;
/** These take everything that follows as content. */
const restIsContent =
  /^(?:write|save) \S+: |^(?:echo|say|remember|remind) |^(?:写入?|保存到?)\s*[^\s：:]+\s*[：:]|^(?:说|回显)[\s：:“「"]|^(?:记住|记下|记一下)|提醒我/iu;
const joint =
  /,? (?:and then|then|and) (?:please )?(?=(?:list|show|read|write|replace|run|echo|remember|remind)\b)|(?:[，,；;]\s?(?:然后|接着|再|并|请)*|然后再?|接着|并且?)\s?(?=(?:列出|显示|读|查看|打开|写|把|将|运行|执行|记住)\s?\S)/iu;

/** Where a Chinese sentence names a file or a folder: one of ASCII letters or with a full stop or slash in it. */
const zhPath = String.raw`(?<path>[“「"'\x60]?(?=[^\s，。]{0,200}[\w./])[^\s，。：:]{1,200}?[”」"'\x60]?)`;
/** In the file or folder. */
const zhInside = String.raw`\s*(?:目录|文件夹|文件)?(?:里面?|中|下面?)`;

/** A pattern with the names of its arguments, its tool, and arguments that are always the same. */
const patterns: readonly (readonly [pattern: RegExp, tool: string, always?: JsonObject])[] = [
  [/^(?:write|save) (?<path>\S+): (?<content>.+)$/is, 'write_file'],
  [/^(?:write|save) (?<content>.+) to (?<path>\S+)$/is, 'write_file'],
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
  [/^ls(?: -\S+)*(?: (?<path>[^-\s]\S*))?$/i, 'list_dir'],
  [
    chinese(
      String.raw`(?:列出|显示|查看|看看?)(?:一下)?(?:我的|当前)?(?:所有|全部)?的?\s*(?:${zhPath}${zhInside}的?)?(?:所有|全部)?(?:文件夹?|目录)(?:列表)?`,
    ),
    'list_dir',
  ],
  [chinese(String.raw`列出\s*(?<path>[\x21-\x7e]+)`), 'list_dir'],
  [chinese(`(?:看看?)?(?:${zhPath}${zhInside}|这里|现在)?(?:都)?有(?:哪些|什么)文件`), 'list_dir'],
  [/^(?:read|cat|show|open) (?:me )?(?:the )?(?:file )?(?<path>\S+)$/i, 'read_file'],
  [
    chinese(String.raw`(?:读取?|打开|查看|看看?|显示)(?:一下)?(?:文件)?\s*${zhPath}\s*(?:文件)?(?:的内容)?`),
    'read_file',
  ],
  [/^(?:run|execute|\$) (?!(?:it|this|that)$)(?<command>.+)$/i, 'shell'],
  [/^(?:运行|执行)(?:一下)?(?:命令)?[：:]?\s*(?<command>[\x21-\x7e“「].*)$/u, 'shell'],
  [/^(?:what time is it|what(?:'s| is) the (?:time|date))(?: now)?$/i, 'shell', { command: 'date' }],
  [
    /^(?:现在)?(?:是)?(?:几点(?:钟)?|什么时间|时间是多少|几号|今天(?:是)?几号)[了啦呢]?$/u,
    'shell',
    { command: 'date' },
  ],
  [/^(?:echo|say) (?<message>.+)$/is, 'echo'],
  [/^(?:说|回显)(?:\s+|[：:]\s*|(?=[“「"]))(?<message>.+)$/su, 'echo'],
  [/^remember (?:that )?(?<text>.+)$/is, 'memory_store'],
  [/^(?:记住|记下|记一下)(?!了?[吗么没])了?[：:，,]?\s*(?<text>.+)$/su, 'memory_store'],
  [/^what do you remember(?: about (?<query>.+))?$/i, 'memory_search'],
  [
    /^(?:关于\s*(?<query>.{1,200}?)\s*[，,]?)?[你您]?还?都?(?:记得|记住了?|记了)些?(?:什么|哪些)(?:事情?|东西|内容)?$/u,
    'memory_search',
  ],
  [/^remind me in (?<in_minutes>[1-9]\d{0,5} (?:minute|hour|day)s?) (?:to|of|that|about) (?<text>.+)$/is, 'remind'],
  [
    /^(?:在|过)?\s*(?<in_minutes>(?:[1-9]\d{0,5}|[一二两三四五六七八九十半])\s*个?半?(?:分钟|小时|钟头|天))(?:之后|以后|后)[，,]?\s*提醒我[：:，,]?\s*(?<text>.+)$/su,
    'remind',
  ],
  [
    /^提醒我[，,]?\s*(?<in_minutes>(?:[1-9]\d{0,5}|[一二两三四五六七八九十半])\s*个?半?(?:分钟|小时|钟头|天))(?:之后|以后|后)[，,]?\s*(?<text>.+)$/su,
    'remind',
  ],
];

function chinese(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, 'su');
}

function callIn(clause: string): Call | undefined {
  // "date." is no command, ".." is a folder.
  const bare = restIsContent.test(clause) ? clause : clause.replace(/(?<=[\w`"'])[.!?]+$|[。！？]+$/, '');
  for (const [pattern, name, always = {}] of patterns) {
    const found = pattern.exec(bare);
    if (found === null) continue;
    const values = Object.entries(found.groups ?? {}).map(([key, text = '']) => [key, argumentOf(key, text)]);
    const call = { name, arguments: { ...Object.fromEntries(values), ...always } };
    // With an unpaired backtick, the end of a command is unclear.
    return String(call.arguments.command ?? '').split('`').length % 2 === 1 ? call : undefined;
  }
  return undefined;
}

function argumentOf(key: string, text: string): string | number {
  if (key === 'in_minutes') return minutesOf(text);
  if (key === 'path' && text === '') return '.';
  // A quotation stands for its content.
  const [, , plain, chinese] = /^(?:(["'`])((?:(?!\1).)+)\1|[“「]([^”」]+)[”」])$/s.exec(text.trim()) ?? [];
  return plain ?? chinese ?? text.trim();
}

/** `2 hours`, `两个小时`, `半小时`, `一个半小时`. */
function minutesOf(text: string): number {
  const unit = /day|天/i.test(text) ? 1440 : /hour|小时|钟头/i.test(text) ? 60 : 1;
  const [first = ''] = text;
  if (first === '半') return Math.ceil(unit / 2);
  const count = /\d/.test(first)
    ? Number.parseInt(text, 10)
    : Math.max(1, zhDigits.indexOf(first === '两' ? '二' : first));
  return Math.ceil((count + (/半/.test(text) ? 0.5 : 0)) * unit);
}

const zhDigits = '零一二三四五六七八九十';
