/* What the commands say that talk: plain text for a terminal, but notices within a chat, which are markdown. */

import { ownCommand } from '../../../lib/own-command.ts';
import { catalogue } from '../../../lib/words.ts';

export const talkWords = catalogue({
  en: {
    chat: {
      summary: 'talk with the Keyturn that runs, from this terminal or a script',
      more: `On a terminal: /exit or ctrl-d leaves, and Keyturn runs on. From a pipe, each line is a message.
With --once TEXT, prints the answer alone and ends; TEXT is "-" for what is piped in.
Exit code: 0 if it was answered, 1 if it failed or waits for a person, 3 if Keyturn does not run.`,
    },
    once: 'say this one thing, and print the answer',
    name: 'a chat of its own, with its own history; default: local',

    opened: 'You talk with the Keyturn that runs here. `/exit` or ctrl-d leaves; it runs on.',
    isLost: 'Keyturn has ended or restarts. What you write now is sent when it is back.',
    isBack: 'Keyturn is back.',
    waits: ({ count }: { readonly count: number }) =>
      `${count === 1 ? 'It waits' : `${count} things wait`} for a decision: "${ownCommand()} approvals" lists what, and "${ownCommand()} chat" answers.`,
    fromTool: 'A command that a tool of Keyturn runs cannot chat. Only a person talks here.',
    jsonNeedsOnce: '"--json" needs "--once TEXT".',
    saysNothing: `"--once" needs a text: ${ownCommand()} chat --once "What is on today?"`,
  },
  zh: {
    chat: {
      summary: '在这个终端或脚本里，和正在运行的 Keyturn 对话',
      more: `在终端里：/exit 或 ctrl-d 离开，Keyturn 继续运行。从管道读取时，每行是一条消息。
用 --once TEXT 只输出回答然后结束；TEXT 为“-”时读取管道的全部内容。
退出码：有了回答为 0；失败或有事等人决定为 1；Keyturn 没有运行为 3。`,
    },
    once: '只说这一句，并输出回答',
    name: '单独的聊天，有自己的历史；默认：local',

    opened: '你正在和这里运行的 Keyturn 对话。`/exit` 或 ctrl-d 离开，它会继续运行。',
    isLost: 'Keyturn 已结束或正在重启。现在写的内容会在它恢复后发送。',
    isBack: 'Keyturn 回来了。',
    waits: ({ count }) =>
      `有 ${count} 件事在等待决定：“${ownCommand()} approvals”列出它们，“${ownCommand()} chat”可以回答。`,
    fromTool: '这是由工具的命令启动的：这里只有人可以说话。',
    jsonNeedsOnce: '“--json”需要“--once TEXT”。',
    saysNothing: `“--once”需要一段文字：${ownCommand()} chat --once "今天有什么安排？"`,
  },
});
