import type { ChannelHost, Sender } from '../../src/contract.ts';
import { ownCommand } from '../../src/lib/own-command.ts';
import { secondsWords } from '../../src/lib/time-words.ts';
import { catalogue } from '../../src/lib/words.ts';

interface Asked {
  /** What is asked, in a few words. */
  readonly subject: string;
  /** Number of waiting cards, including this one. */
  readonly waiting: number;
}

interface Searched {
  readonly query: string;
  readonly isFound: boolean;
}

interface Elapsed {
  readonly seconds: number;
}

interface Answers {
  /** The answers as they are typed: `[y] approve · [n] deny`. */
  readonly choices: string;
}

interface Pasted {
  readonly number: number;
  readonly lines: number;
  readonly characters: number;
}

/** What the terminal itself says to the person at it. */
export const terminalWords = catalogue({
  en: {
    thisTerminal: 'this terminal',
    /** The person, if the system has no name for them. */
    you: 'you',
    promptAllow: ({ subject, waiting }: Asked) => `Allow ${subject}?${waiting > 1 ? ` (1 of ${waiting})` : ''}`,
    promptAnswer: ({ subject, waiting }: Asked) => `${subject}?${waiting > 1 ? ` (1 of ${waiting})` : ''}`,
    /** Below the card itself, if others wait too. */
    promptOneOf: ({ waiting }: Pick<Asked, 'waiting'>) => `1 of ${waiting}:`,
    askAllow: ({ choices }: Answers) => `Allow? ${choices}`,
    askAnswer: ({ choices }: Answers) => `Your answer? ${choices}`,
    searching: ({ query, isFound }: Searched) => `search "${query}"${isFound ? '' : ' (nothing)'}`,
    thinking: ({ seconds }: Elapsed) => `thinking…${seconds < 2 ? '' : ` ${secondsWords(seconds * 1000, 'en')}`}`,
    lasted: (milliseconds: number) => secondsWords(milliseconds, 'en'),
    pasted: ({ number, lines, characters }: Pasted) =>
      `[paste ${number}: ${lines} ${lines === 1 ? 'line' : 'lines'}, ${characters} characters]`,
    answeredMeanwhile: 'That question was answered in the meantime: nothing was done.',
    notStored: 'That could not be stored, so nothing was done. Press ↑ and Enter to send it again.',
    sentAside: 'Sent as a message. The question above still waits.',
    stopping: 'stopping… (ctrl-c again quits)',
    stillWaiting: ({ count, shortcut }: { readonly count: number; readonly shortcut: string }) =>
      `${count === 1 ? '1 question still waits' : `${count} questions still wait`} for your answer. ` +
      `If Keyturn runs, "${ownCommand()} chat" at a terminal asks again, and "${ownCommand()} approvals" lists what waits; ` +
      `if not, start it at a terminal. Then type ${shortcut}, or /approve with the ID that the card says.`,
    lineTooLong: ({ most }: { readonly most: number }) =>
      `A line was left out: it is longer than ${most} characters. Split it, or save it in the workspace and ask me to read it.`,
    lineHeld: 'A line could not be stored. It is held here and tried again.',
    pipeBroken: 'Reading from the pipe failed. Start Keyturn again.',
    onlyLocal: 'The terminal has one conversation, "local", and no other.',
    notOpen: 'The terminal is not open. It will be when Keyturn runs again.',
    nobodyReads: 'Nobody reads the output.',
  },
  zh: {
    thisTerminal: '这个终端',
    you: '你',
    promptAllow: ({ subject, waiting }) => `允许：${subject}？${waiting > 1 ? `（1/${waiting}）` : ''}`,
    promptAnswer: ({ subject, waiting }) => `${subject}？${waiting > 1 ? `（1/${waiting}）` : ''}`,
    promptOneOf: ({ waiting }) => `1/${waiting}：`,
    askAllow: ({ choices }) => `允许吗？${choices}`,
    askAnswer: ({ choices }) => `你的回答？${choices}`,
    searching: ({ query, isFound }) => `搜索“${query}”${isFound ? '' : '（没有）'}`,
    thinking: ({ seconds }) => `思考中……${seconds < 2 ? '' : secondsWords(seconds * 1000, 'zh')}`,
    lasted: (milliseconds) => secondsWords(milliseconds, 'zh'),
    pasted: ({ number, lines, characters }) => `[粘贴 ${number}：${lines} 行，${characters} 个字符]`,
    answeredMeanwhile: '这个问题已经有了答复，这一行没有生效。',
    notStored: '没能保存，所以什么也没做。按 ↑ 再按 Enter 重新发送。',
    sentAside: '已作为消息发送。上面的问题仍在等待你的决定。',
    stopping: '正在停止……（再按一次 ctrl-c 退出）',
    stillWaiting: ({ count, shortcut }) =>
      `还有 ${count} 个问题在等你答复。如果 Keyturn 正在运行，在终端里用“${ownCommand()} chat”会再次询问，“${ownCommand()} approvals”列出等待的事项；否则在终端里启动它。然后输入 ${shortcut}，或输入 /approve 加上卡片里的 ID。`,
    lineTooLong: ({ most }) => `有一行已略过：超过了 ${most} 个字符。把它拆开，或存到工作区再让我读。`,
    lineHeld: '有一行没能保存。已留在这里，稍后重试。',
    pipeBroken: '管道读取失败。重新启动 Keyturn。',
    onlyLocal: '终端只有一个对话“local”，没有别的。',
    notOpen: '终端没有打开。Keyturn 重新运行后才会打开。',
    nobodyReads: '没有程序在读取输出。',
  },
});

export type TerminalWords = (typeof terminalWords)['en'];

/** The words for the person at the terminal, as the host says at this moment. */
export function wordsFor(host: Pick<ChannelHost, 'languageFor'> | undefined, person: Sender): TerminalWords {
  return terminalWords[host?.languageFor?.(person) ?? 'en'];
}
