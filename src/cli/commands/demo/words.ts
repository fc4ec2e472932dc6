/* The story that the demo tells: plain text for a terminal. */

import { catalogue } from '../../../lib/words.ts';

export const demoWords = catalogue({
  en: {
    command: {
      summary: 'show in a minute what happens when it is killed: no key, no network, nothing is kept',
      more: `Plays with a Telegram on this machine, in a folder that is removed at the end.
Exit code: 0 if all happened as it is told, 1 if not.`,
    },
    fast: 'do not wait for a key between the steps',

    intro: `This is the real program, with a Telegram that runs on this machine instead of the real one.
There is no AI in it, no key and no network, and nothing is kept.`,
    anyKey: '  (a key goes on, q ends) ',
    starts: ({ pid }: Process) => `1. Keyturn starts: process ${pid}. Ada has it in her Telegram.`,
    writes: '2. She writes from her phone. It asks before it runs a command.',
    order: 'run echo "one coffee" >> orders.txt',
    nothingYet: 'Nothing has run: orders.txt is not there. The command waits for her.',
    killed: ({ pid }: Process) =>
      `3. Now the power fails: kill -9 ${pid}. The process is gone, before anybody has answered.`,
    stands: 'On the phone the question still stands, and nobody is there.',
    startsAgain: ({ pid }: Process) => `4. Keyturn starts again: process ${pid}.`,
    presses: '5. Ada presses the same button, on the same message.',
    ran: 'It ran. orders.txt says:',
    pressesAgain: '6. Her phone was slow, and sends the press once more.',
    answered: ({ text }: { readonly text: string }) => `It says to her: ${text}`,
    once: ({ lines }: { readonly lines: number }) => `orders.txt still has ${lines} line: one coffee, not two.`,
    end: `That is what Keyturn promises: no message is lost, an approval survives a restart, and what has an effect does not run twice.`,
    next: ({ program }: { readonly program: string }) => `Make it yours:  ${program} setup\nOr talk here:   ${program}`,
    failed: ({ what }: { readonly what: string }) =>
      `The demo did not go as it should: ${what}\nThat is a fault of Keyturn, or of this machine. Please report it with these lines.`,
    wrongs: {
      ranEarly: 'the command ran before anybody said yes',
      notKilled: 'the process was not killed',
      ranTwice: 'the command did not run exactly once',
    },
    stopped: 'The demo was ended. Nothing is left of it.',
  },
  zh: {
    command: {
      summary: '一分钟看它被杀掉时会怎样：不需要密钥和网络，什么都不留下',
      more: `使用这台机器上的一个 Telegram，数据在一个临时文件夹里，结束时删除。
退出码：一切如所讲述的发生为 0，否则为 1。`,
    },
    fast: '步骤之间不等待按键',

    intro: `这是真正的程序，只是用这台机器上的一个 Telegram 代替真正的 Telegram。
其中没有 AI，不需要密钥和网络，什么都不会留下。`,
    anyKey: '  （按任意键继续，q 结束）',
    starts: ({ pid }) => `1. Keyturn 启动：进程 ${pid}。Ada 在她的 Telegram 里能找到它。`,
    writes: '2. 她用手机写了一句话。运行命令之前，它会先问。',
    order: '运行 echo "一杯咖啡" >> orders.txt',
    nothingYet: '什么都还没有运行：orders.txt 不存在。命令在等她。',
    killed: ({ pid }) => `3. 现在断电了：kill -9 ${pid}。进程没了，问题才问到一半。`,
    stands: '手机上的问题还在，但没有人在那头。',
    startsAgain: ({ pid }) => `4. Keyturn 再次启动：进程 ${pid}。`,
    presses: '5. Ada 在同一条消息上按下同一个按钮。',
    ran: '运行了。orders.txt 的内容：',
    pressesAgain: '6. 她的手机太慢，把这次按键又发了一遍。',
    answered: ({ text }) => `它对她说：${text}`,
    once: ({ lines }) => `orders.txt 仍然只有 ${lines} 行：一杯咖啡，不是两杯。`,
    end: '这就是 Keyturn 的承诺：消息不会丢失，批准不怕重启，有后果的事不会做两次。',
    next: ({ program }) => `换成你自己的：${program} setup\n或在这里对话：${program}`,
    failed: ({ what }) => `演示没有按预期进行：${what}\n这是 Keyturn 或这台机器的问题。请连同这些内容一起报告。`,
    wrongs: {
      ranEarly: '还没有人同意，命令就运行了',
      notKilled: '进程没有被杀掉',
      ranTwice: '命令不是恰好运行了一次',
    },
    stopped: '演示已结束，什么都没有留下。',
  },
});

interface Process {
  readonly pid: number;
}
