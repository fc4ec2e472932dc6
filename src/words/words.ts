import { clockTime, dayWords, durationWords, isSameDay, type Reader } from '../lib/time-words.ts';
import { catalogue } from '../lib/words.ts';
import type { AnswerEnding } from '../transcript.ts';

type Kind = 'reply' | 'for_user' | 'card' | 'notice' | 'status';

/** A file: its name as code, and its size with its unit. */
interface UnshownFile {
  readonly name: string;
  readonly size: string;
}

/** A message that was not shown. `size` in characters. */
interface Unshown {
  readonly kind: Kind;
  readonly size: number;
  readonly files: readonly UnshownFile[];
  readonly more: boolean;
  readonly shown: 'nothing' | 'in part' | 'before';
}

/** Why, and the id to type. `why` is markdown without its last full stop. */
interface Waits {
  readonly why: string;
  readonly id: string;
}

/** What is said around messages: files, late messages, and answers that are not whole. */
export const messageWords = catalogue({
  en: {
    seeFile: '*(The whole text is in the file.)*',
    cutHere: '*(Cut here: one message takes no more.)*',
    fileUnshown: ({
      name,
      why,
      path,
    }: {
      readonly name: string;
      readonly why: string;
      readonly path: string | undefined;
    }) =>
      `📎 The file ${name} could not be shown here: ${why}.${path === undefined ? '' : ` In the workspace it is ${path}.`}`,
    fileFailed: 'it could not be sent',
    noFiles: 'this channel takes no files',
    fileTooLarge: ({ size, most }: { readonly size: string; readonly most: string }) =>
      `it has ${size}, and this channel takes at most ${most}`,
    late: ({ at, now, reader }: { readonly at: number; readonly now: number; readonly reader: Reader }) =>
      `*🕓 Late: written ${isSameDay(at, now, reader) ? '' : `on ${dayWords(at, reader)} `}at ${clockTime(at, reader)}, ${durationWords(now - at)} ago.*`,
    ended: (ending: AnswerEnding | 'interrupted') =>
      ({
        cut: '✂️ *The answer ended here because the model reached its limit of tokens. Say "go on" for the rest.*',
        withheld: '✂️ *The answer ended here because the provider of the model held back the rest for its content.*',
        interrupted: '*(interrupted)*',
      })[ending],
    plainLinks:
      '*(Links are plain text here, except to addresses that you have written: content from elsewhere could use them to leak private data. `hxxp` means `http`, `[.]` a dot.)*',
  },
  zh: {
    seeFile: '*（全文见文件。）*',
    cutHere: '*（在此截断：一条消息放不下更多内容。）*',
    fileUnshown: ({ name, why, path }) =>
      `📎 文件 ${name} 无法在这里显示：${why}。${path === undefined ? '' : `它在工作区中的路径是 ${path}。`}`,
    fileFailed: '发送失败',
    noFiles: '这个渠道不接收文件',
    fileTooLarge: ({ size, most }) => `大小是 ${size}，这个渠道最多接收 ${most}`,
    late: ({ at, now, reader }) =>
      `*🕓 迟到的消息：写于${isSameDay(at, now, reader) ? '' : ` ${dayWords(at, reader)}`} ${clockTime(at, reader)}（${durationWords(now - at, 'zh')}前）。*`,
    ended: (ending) =>
      ({
        cut: '✂️ *回答在这里中断：模型达到了 token 上限。说“继续”可看其余部分。*',
        withheld: '✂️ *回答在这里中断：模型的服务商因内容问题拦下了其余部分。*',
        interrupted: '*（已中断）*',
      })[ending],
    plainLinks:
      '*（除了你写过的地址，这里的链接都是纯文本：外来内容可能用链接泄露私人数据。`hxxp` 指 `http`，`[.]` 指一个点。）*',
  },
});

/** The stub of a message that its platform refuses. */
export const stubWords = catalogue({
  en: {
    message: (unshown: Unshown) => englishMessage(unshown),
    anyMessage: 'A message',
    refusedAgain: 'it was refused again and again',
    kind: (kind: Kind) => englishKinds[kind],
    shownAfterAll: '✅ What could not be shown here was shown after all.',
    unshown: ({ what, why, id }: Waits & { readonly what: string }) =>
      `⚠️ ${what} could not be shown here: ${why}.\n\nIt waits. Or type \`/retry ${id}\`, \`/drop ${id}\`.`,
    undelivered: ({
      what,
      at,
      reader,
      id,
    }: {
      readonly what: string;
      readonly at: number;
      readonly reader: Reader;
      readonly id: string;
    }) =>
      `✉️ ${what} of ${clockTime(at, reader)} on ${dayWords(at, reader)} could not be delivered here. It waits. Or type \`/retry ${id}\`, \`/drop ${id}\`.`,
    unshownElsewhere: ({
      what,
      conversation,
      why,
      id,
    }: Waits & { readonly what: string; readonly conversation: string }) =>
      `⚠️ ${what} could not be shown in ${conversation}: ${why}. It waits: \`/retry ${id}\`, \`/drop ${id}\`.`,
    nothingGetsThrough: ({ chat, why }: { readonly chat: string; readonly why: string }) =>
      `⚠️ Nothing that I send to ${chat} gets through: ${why}. Other chats may be fine: perhaps I was removed or blocked there.`,
    buttonRetry: '🔁 Retry',
    buttonShow: '🔁 Show it',
    buttonDrop: '🗑 Drop',
  },
  zh: {
    message: (unshown) => chineseMessage(unshown),
    anyMessage: '一条消息',
    refusedAgain: '一再被平台拒绝',
    kind: (kind) => chineseKinds[kind],
    shownAfterAll: '✅ 之前无法显示的内容现在已显示。',
    unshown: ({ what, why, id }) =>
      `⚠️ ${what}无法在这里显示：${why}。\n\n已保留，等你决定。也可以输入 \`/retry ${id}\`、\`/drop ${id}\`。`,
    undelivered: ({ what, at, reader, id }) =>
      `✉️ ${dayWords(at, reader)} ${clockTime(at, reader)} 的${what}没能送达这里。已保留，等你决定。也可以输入 \`/retry ${id}\`、\`/drop ${id}\`。`,
    unshownElsewhere: ({ what, conversation, why, id }) =>
      `⚠️ ${what}无法在 ${conversation} 显示：${why}。已保留，等你决定：\`/retry ${id}\`、\`/drop ${id}\`。`,
    nothingGetsThrough: ({ chat, why }) =>
      `⚠️ 我发往 ${chat} 的内容都没有送达：${why}。其他聊天可能正常：也许我在那里被移除或屏蔽了。`,
    buttonRetry: '🔁 重试',
    buttonShow: '🔁 显示',
    buttonDrop: '🗑 丢弃',
  },
});

const englishKinds: Readonly<Record<Kind, string>> = {
  reply: 'A reply',
  for_user: 'What a tool shows',
  card: 'A card',
  notice: 'A notice',
  status: 'What tools do',
};

const chineseKinds: Readonly<Record<Kind, string>> = {
  reply: '回答',
  for_user: '工具显示的内容',
  card: '卡片',
  notice: '通知',
  status: '工具状态',
};

function englishMessage({ kind, size, files, more, shown }: Unshown): string {
  const length = size === 0 ? '' : ` (${size.toLocaleString('en')} characters)`;
  const named = files.map((file) => `${file.name} (${file.size})`).join(', ');
  const shownFiles = files.length === 0 ? '' : ` with ${named}${more ? ' …' : ''}`;
  const part = shown === 'before' ? ', changed,' : shown === 'in part' ? ', in part,' : '';
  return `${englishKinds[kind]}${length}${shownFiles}${part}`;
}

function chineseMessage({ kind, size, files, more, shown }: Unshown): string {
  const named = files.map((file) => `${file.name}（${file.size}）`).join('、');
  const facts = [
    ...(shown === 'nothing' ? [] : [shown === 'before' ? '修改后' : '部分']),
    ...(size === 0 ? [] : [`${size.toLocaleString('en')} 个字符`]),
    ...(files.length === 0 ? [] : [`附带 ${named}${more ? '等' : ''}`]),
  ];
  return `${chineseKinds[kind]}${facts.length === 0 ? '' : `（${facts.join('，')}）`}`;
}
