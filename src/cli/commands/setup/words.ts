/* What the help of the program says of the set-up. */

import { catalogue } from '../../../lib/words.ts';

export const setupCommandWords = catalogue({
  en: {
    setup: {
      summary: 'set it up: find a model, connect a chat, become its owner',
      more: `Asks which model answers and where you talk to it, checks both at once, and then writes config.json
and .env. What is there stays, and Enter keeps it. Nothing is written before the last answer.

With --yes it asks nothing: it takes the keys and tokens of the environment and of .env, and the
model servers of this machine. Tokens never stand on the command line, which others can read.
Exit code: 0; 1 if something is wrong or after ctrl-c, with nothing written; 2 without a terminal.`,
    },
    options: {
      yes: 'do not ask',
      model: 'with --yes: its name at its server; offline: the practice mode',
      baseUrl: 'with --yes: the address of its server: http://127.0.0.1:11434/v1',
      channel: 'with --yes: telegram, slack or discord. Default: all with tokens',
      tokenFile: 'with --yes: a file with tokens, one a line; - is the standard input',
    },
  },
  zh: {
    setup: {
      summary: '设置：找一个模型，连接聊天，成为所有者',
      more: `询问由哪个模型回答、在哪里对话，当场检查，然后写入 config.json 和 .env。
已有的内容不变，按 Enter 保留。回答完最后一个问题之前什么都不写入。

加上 --yes 就不提问：采用环境和 .env 中的密钥、令牌，以及这台机器上的模型服务器。
令牌不写在命令行里：别人可以读到命令行。
退出码：0；有问题或按了 ctrl-c 时为 1，什么都不写入；没有终端时为 2。`,
    },
    options: {
      yes: '不提问',
      model: '和 --yes 一起用：模型在服务器上的名称；offline 是练习模式',
      baseUrl: '和 --yes 一起用：它的服务器的地址：http://127.0.0.1:11434/v1',
      channel: '和 --yes 一起用：telegram、slack 或 discord。默认：所有已有令牌的',
      tokenFile: '和 --yes 一起用：写有令牌的文件，每行一个；- 表示标准输入',
    },
  },
});
