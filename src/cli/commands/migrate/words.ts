import { catalogue } from '../../../lib/words.ts';

/** What the help says of `migrate`. */
export const migrateCommandWords = catalogue({
  en: {
    migrate: {
      summary: 'take over what you had in OpenClaw, Hermes, ZeroClaw, ZeptoClaw or nanobot',
      operands: '[PROGRAM]',
      more: 'Without PROGRAM, tells which of them are on this machine.\nWithout --yes it only tells what it would take, and what it cannot take and why.\nNothing of the other program is changed. Stop Keyturn first, and the other one before you start it.',
    },
    options: {
      from: 'the folder of the other program, if it is not in its usual place',
      yes: 'do it',
      person: 'who you are: becomes the owner, and gets memories and tasks: telegram:17',
    },
  },
  zh: {
    migrate: {
      summary: '把你在 OpenClaw、Hermes、ZeroClaw、ZeptoClaw 或 nanobot 里的东西搬过来',
      operands: '[PROGRAM]',
      more: '不写 PROGRAM 时，说明这台机器上有哪几个。\n不加 --yes 时，只说明会搬什么、什么不能搬以及原因。\n不改动另一个程序的任何东西。先停止 Keyturn；启动它之前，先停止另一个程序。',
    },
    options: {
      from: '另一个程序的文件夹，如果不在通常的位置',
      yes: '执行',
      person: '你是谁：成为所有者，记忆和任务归你：telegram:17',
    },
  },
});
