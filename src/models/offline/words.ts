import { catalogue } from '../../lib/words.ts';

/** The name of the offline model: the same in each language. */
export const offlineLabel = 'offline (pattern matching, no AI)';

/** What the offline model says. Names, sentences and results are markdown. */
export const offlineWords = catalogue({
  en: {
    guide: `I am the offline model, which is no AI: I only match patterns. The tools that I call, and the questions before they run, are real. Say, for example:

- \`list the files\`
- \`write hello to notes.txt\`
- \`read notes.txt\`
- \`replace hello with goodbye in notes.txt\`
- \`\` run \`date\` \`\`
- \`remember that the bin is emptied on Friday\`
- \`remind me in 5 minutes to stand up\`

To talk to a real model, set \`ANTHROPIC_API_KEY\`, \`OPENAI_API_KEY\` or \`GEMINI_API_KEY\` and start me again, or give a model in the config the \`base_url\` of an OpenAI-compatible server, such as Ollama.`,
    hello: ({ guide }: { readonly guide: string }) => `Hello! ${guide}`,
    notUnderstood: ({ sentences, isMore, guide }: NotUnderstood) =>
      `I do not understand ${sentences.join(', ')}${isMore ? ', …' : ''}. ${guide}`,
    noTool: ({ tool }: { readonly tool: string }) => `The tool ${tool} is not available here.`,
    received: ({ file }: { readonly file: string }) => `I have received ${file}.`,
    gave: ({ tool }: { readonly tool: string }) => `${tool} gave`,
    news: 'News',
    titled: ({ title, text, isBlock }: Titled) => `${title}:${isBlock ? '\n\n' : ' '}${text}`,
    denied: 'You did not allow it, so I did not do it.',
    waits: 'That waits for your permission. The result will follow.',
    cut: ({ shown, left }: Cut) => `${shown}\n… (${left} more characters)`,
  },
  zh: {
    guide: `我是离线模型，不是 AI：我只会匹配句式。不过我调用的工具，以及运行前的询问，都是真的。比如可以说：

- \`列出文件\`
- \`把 hello 写入 notes.txt\`
- \`读取 notes.txt\`
- \`把 notes.txt 里的 hello 换成 goodbye\`
- \`\` 运行 \`date\` \`\`
- \`记住周五要倒垃圾\`
- \`5 分钟后提醒我站起来\`

要和真正的模型对话，设置 \`ANTHROPIC_API_KEY\`、\`OPENAI_API_KEY\` 或 \`GEMINI_API_KEY\` 后重新启动，或在配置中给一个模型写上兼容 OpenAI 的服务器（例如 Ollama）的 \`base_url\`。`,
    hello: ({ guide }) => `你好！${guide}`,
    notUnderstood: ({ sentences, isMore, guide }) => `我没看懂 ${sentences.join('、')}${isMore ? ' ……' : ''}。${guide}`,
    noTool: ({ tool }) => `这里没有工具 ${tool}。`,
    received: ({ file }) => `已收到 ${file}。`,
    gave: ({ tool }) => `${tool} 的结果`,
    news: '新消息',
    titled: ({ title, text, isBlock }) => `${title}：${isBlock ? '\n\n' : ''}${text}`,
    denied: '你没有允许，所以我没有执行。',
    waits: '正在等你批准，之后会有结果。',
    cut: ({ shown, left }) => `${shown}\n……（还有 ${left} 个字符）`,
  },
});

/** `sentences`: as code. `isMore`: there are others. */
interface NotUnderstood {
  readonly sentences: readonly string[];
  readonly isMore: boolean;
  readonly guide: string;
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
