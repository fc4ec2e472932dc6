import { catalogue } from '../../lib/words.ts';

/** The name of the offline model: the same in each language. */
export const offlineLabel = 'offline (pattern matching, no AI)';

/** What the offline model says. Names, files and choices are markdown; sentences to say are plain text. */
export const offlineWords = catalogue({
  en: {
    /** The sentences of the tour, as people say them. Each is understood. */
    say: {
      list: 'list the files',
      write: 'write hello to notes.txt',
      read: 'read notes.txt',
      edit: 'replace hello with goodbye in notes.txt',
      run: 'run date',
      time: 'what is the time',
      search: 'search for hello in my files',
      delete: 'delete notes.txt',
      remember: 'remember that the bin is emptied on Friday',
      recall: 'what do you remember?',
      remind: 'remind me in 5 minutes to stand up',
      planned: 'show my reminders',
      fetch: 'fetch https://example.com',
      model: 'set up a real model',
      help: 'help',
    },
    /** What is behind a sentence that does not say it. */
    tell: {
      write: 'I ask before I write',
      delete: 'I ask first',
      run: 'a command, in a sandbox where there is one',
    },
    hello: ({ choices }: Choices) =>
      `Hi! No AI model is set up yet, so I only know a few phrases; my tools and my questions are real. Try one, or type its number:\n\n${choices}`,
    who: ({ choices }: Choices) =>
      `I am Keyturn: I chat, and I act with tools, and what is dangerous I do only after you allow it. No AI model is set up yet: for now I am no AI, and only know a few phrases. Try one, or type its number:\n\n${choices}`,
    help: ({ choices }: Choices) =>
      `Say one of these, or type its number. Commands such as \`/status\` are in \`/help\`.\n\n${choices}`,
    thanks: "You're welcome.",
    bye: 'Bye! I am here whenever you write.',
    fine: ({ choices }: Choices) => `All good here. What shall I do? Type a number:\n\n${choices}`,
    model: `A real model, in one of three ways:

- a key: put \`ANTHROPIC_API_KEY=…\`, \`OPENAI_API_KEY=…\` or \`GEMINI_API_KEY=…\` in \`.env\` beside the config, or in the environment, and start me again
- Ollama or another OpenAI-compatible server: give a model in the config its \`base_url\`
- then \`/model\` shows which one answers`,
    people:
      'Owners decide who may talk to me. A person who writes to my bot is asked about; `/people` shows who was let in. Groups are named in the config, under `channels`.',
    stop: 'Nothing is running that I could stop. While something runs, `/stop` ends it.',
    undo: 'I cannot take back by myself what was done. `/help` lists the commands.',
    language: 'I speak English and Chinese. `/language` chooses one for you.',
    safety: ({ choices }: Choices) =>
      `I see only the files in my workspace, and ask before I write, run or send anything: nothing of that happens without your yes. \`/tools\` shows what asks. See it for yourself; type a number:\n\n${choices}`,
    plan: ({ choices }: Choices) =>
      `Without an AI model I know two ways to say that: minutes, hours or days from now, or a time today or tomorrow. Type a number:\n\n${choices}`,
    cannot: ({ choices }: Choices) =>
      `That needs a real AI model. What I can do without one; type a number:\n\n${choices}`,
    notUnderstood: ({ sentences, isMore, choices }: NotUnderstood) =>
      `I know no such phrase without an AI model: ${sentences.join(', ')}${isMore ? ', …' : ''}. The nearest that I know; type a number:\n\n${choices}`,
    next: ({ choices }: Choices) => `Next:\n\n${choices}`,
    noTool: ({ tool }: { readonly tool: string }) => `The tool ${tool} is not available here.`,
    received: ({ file }: { readonly file: string }) => `I have received ${file}.`,
    gave: ({ tool }: { readonly tool: string }) => `${tool} gave`,
    wrote: ({ isNew, file, size }: Written) => `${isNew ? 'Created' : 'Overwrote'} ${file} (${size}).`,
    edited: ({ file }: { readonly file: string }) => `Changed ${file}.`,
    remembered: "I'll remember that.",
    reminderSet: ({ time, id }: { readonly time: string; readonly id: string }) =>
      `Reminder set for ${time}. To call it off: \`cancel reminder ${id}\``,
    nothingHere: 'No files here yet.',
    here: 'Here are',
    holds: ({ file }: { readonly file: string }) => file,
    ranQuietly: 'Done. It printed nothing.',
    news: 'News',
    titled: ({ title, text, isBlock }: Titled) => `${title}:${isBlock ? '\n\n' : ' '}${text}`,
    denied: 'Not done.',
    waits: 'That waits for your permission. The result will follow.',
    cut: ({ shown, left }: Cut) => `${shown}\n… (${left} more characters)`,
  },
  zh: {
    say: {
      list: '列出文件',
      write: '把 hello 写入 notes.txt',
      read: '读取 notes.txt',
      edit: '把 notes.txt 里的 hello 换成 goodbye',
      run: '运行 date',
      time: '现在几点',
      search: '在文件里搜索 hello',
      delete: '删除 notes.txt',
      remember: '记住周五要倒垃圾',
      recall: '你记得什么？',
      remind: '5 分钟后提醒我站起来',
      planned: '查看我的提醒',
      fetch: '打开 https://example.com',
      model: '接入真正的模型',
      help: '帮助',
    },
    tell: { write: '写之前会先问你', delete: '会先问你', run: '一条命令，有沙箱时在沙箱里运行' },
    hello: ({ choices }) =>
      `你好！还没有接入 AI 模型，我只认得几句话；不过工具和询问都是真的。说一句试试，或输入编号：\n\n${choices}`,
    who: ({ choices }) =>
      `我是 Keyturn：陪你聊天，也能用工具做事，危险的事只有你批准后才做。现在还没有接入 AI 模型：我还不是 AI，只认得几句话。说一句试试，或输入编号：\n\n${choices}`,
    help: ({ choices }) => `可以说下面任意一句，或输入编号。\`/status\` 这样的命令见 \`/help\`。\n\n${choices}`,
    thanks: '不客气。',
    bye: '再见！随时写给我。',
    fine: ({ choices }) => `我很好。要我做什么？输入编号：\n\n${choices}`,
    model: `接入真正的模型，有三种办法：

- 密钥：把 \`ANTHROPIC_API_KEY=……\`、\`OPENAI_API_KEY=……\` 或 \`GEMINI_API_KEY=……\` 写进配置旁边的 \`.env\` 或环境变量，然后重新启动
- Ollama 或其他兼容 OpenAI 的服务器：在配置里给一个模型写上它的 \`base_url\`
- 之后用 \`/model\` 查看由哪个模型回答`,
    people:
      '谁能和我说话由所有者决定。有人给我的机器人写消息时，会先问所有者；`/people` 显示已经允许的人。群要写在配置的 `channels` 里。',
    stop: '现在没有任务可以停止。有任务在运行时，`/stop` 可以结束它。',
    undo: '做过的事我自己撤不回来。`/help` 列出所有命令。',
    language: '我会说中文和英文。用 `/language` 选择一种。',
    safety: ({ choices }) =>
      `我只看得到工作区里的文件；写入、运行、发送之前都会先问你，你不同意就不会做。\`/tools\` 显示哪些会询问。自己试试，输入编号：\n\n${choices}`,
    plan: ({ choices }) =>
      `没有 AI 模型时，我只认得两种说法：几分钟、几小时或几天以后，或者今天、明天的几点。输入编号：\n\n${choices}`,
    cannot: ({ choices }) => `这要接入真正的 AI 模型才行。现在我能做的如下，输入编号：\n\n${choices}`,
    notUnderstood: ({ sentences, isMore, choices }) =>
      `没有 AI 模型时我不认得这句话：${sentences.join('、')}${isMore ? ' ……' : ''}。最接近的如下，输入编号：\n\n${choices}`,
    next: ({ choices }) => `下一步：\n\n${choices}`,
    noTool: ({ tool }) => `这里没有工具 ${tool}。`,
    received: ({ file }) => `已收到 ${file}。`,
    gave: ({ tool }) => `${tool} 的结果`,
    wrote: ({ isNew, file, size }) => `${isNew ? '已创建' : '已覆盖'} ${file}（${size}）。`,
    edited: ({ file }) => `已修改 ${file}。`,
    remembered: '记住了。',
    reminderSet: ({ time, id }) => `已设提醒：${time}。要取消就说 \`取消提醒 ${id}\``,
    nothingHere: '这里还没有文件。',
    here: '这里有',
    holds: ({ file }) => file,
    ranQuietly: '已完成，没有输出。',
    news: '新消息',
    titled: ({ title, text, isBlock }) => `${title}：${isBlock ? '\n\n' : ''}${text}`,
    denied: '没有执行。',
    waits: '正在等你批准，之后会有结果。',
    cut: ({ shown, left }) => `${shown}\n……（还有 ${left} 个字符）`,
  },
});

/** Numbered lines. */
interface Choices {
  readonly choices: string;
}

/** `sentences`: as code. `isMore`: there are others. */
interface NotUnderstood extends Choices {
  readonly sentences: readonly string[];
  readonly isMore: boolean;
}

/** A file that was written: its name as code, its size in words. */
interface Written {
  readonly isNew: boolean;
  readonly file: string;
  readonly size: string;
}

/** `isBlock`: the text begins on a line of its own. */
interface Titled {
  readonly title: string;
  readonly text: string;
  readonly isBlock: boolean;
}

/** A text of which so many characters are left out. */
interface Cut {
  readonly shown: string;
  readonly left: number;
}
