import { catalogue } from '../../../lib/words.ts';
import type { ModelAbilities } from '../../../models/language-model.ts';

/** What probes of a model say. */
export const probeWords = catalogue({
  en: {
    begins: ({ model, count, input, output }: Announced) =>
      `${model} is asked ${count} times, which costs about ${input.toLocaleString('en')} tokens in and ${output.toLocaleString('en')} out; more if it thinks first. Ctrl-C ends it.`,
    names: { tools: 'Tool calls', spelling: 'Spelling', window: 'Window', vision: 'Pictures' },
    outcomes: { ok: 'ok', not: 'no', unanswered: 'no answer', 'not-asked': 'not asked' },
    set: ({ key, value }: { readonly key: string; readonly value: string }) =>
      `  Set ${key} to ${value} in the config.`,
    spent: ({ input, output, seconds }: Spent) =>
      `It took ${seconds} s, ${input.toLocaleString('en')} tokens in and ${output.toLocaleString('en')} out, as far as its server counts them.`,
    late: ({ seconds }: { readonly seconds: number }) => `There was no whole answer in ${seconds} s.`,
    sameAgain: 'It would fail in the same way.',
    practice:
      'This is the practice mode, which is no AI: it is not asked for tool calls, spelling, long texts or pictures.',

    calls: 'It calls a tool by its name, with a text, a number, a list and a boolean as they should be.',
    mended: ({ came }: { readonly came: string }) =>
      `It calls the tool, but writes arguments in another form, which Keyturn mends: ${came}`,
    talks: ({ said }: { readonly said: string }) =>
      said === ''
        ? 'It was asked to call a tool, and did nothing.'
        : `It was asked to call a tool, and talked in place of that: "${said}".`,
    wrongCall: ({ came, wanted }: { readonly came: string; readonly wanted: string }) =>
      `It calls the tool with wrong arguments: ${came} came in the place of ${wanted}.`,
    goodInText: ({ native }: { readonly native: string }) => `${native} With its tool calls in text, it does it right.`,
    neither: ({ native }: { readonly native: string }) =>
      `${native} With tool calls in text it does no better: use another model.`,

    copied: 'It copies a path with Chinese, spaces and a quote, and a line of code, without a change.',
    notCopied: ({ said }: { readonly said: string }) =>
      `It was asked to copy a path into a call, and made no call${said === '' ? '' : `, but said: "${said}"`}.`,
    garbled: ({ changed }: Garbled) =>
      `It changes what it copies: ${changed.map(({ given, came }) => `‹${given}› came as ‹${came}›`).join('; ')}. It would name other files, and write other code: read what you approve, or use a larger model, or one that is less compressed. No key of the config mends that.`,

    readWhole: ({ words, window, windowFrom, server = 'its server' }: ReadWhole) =>
      `It has read all of a request of ${words.toLocaleString('en')} words. ${
        window === undefined
          ? 'Its server tells no size of the window: Keyturn takes agent.context_tokens, so set context_tokens of the model if it has less.'
          : `Its window has ${window.toLocaleString('en')} tokens, as ${windowFrom === 'config' ? 'the config' : server} says.`
      }`,
    cuts: ({ words, counted, window }: Cut) =>
      `Its server cuts long requests without a word: of ${words.toLocaleString('en')} words, the beginning was gone, and it counted ${counted.toLocaleString('en')} tokens${window === undefined ? '' : `, though its window should have ${window.toLocaleString('en')}`}. Give it a larger window there (num_ctx or OLLAMA_CONTEXT_LENGTH, -c, context length); as long as you do not:`,
    forgets: ({ words, counted, said }: Forgotten) =>
      `It did not find what a request of ${words.toLocaleString('en')} words begins with${said === '' ? '' : `, and said: "${said}"`}. ${
        counted === 0
          ? 'Its server counts no tokens, so it may cut long requests: look at its window there, and set context_tokens of the model to that.'
          : `Its server has counted ${counted.toLocaleString('en')} tokens, so it was not cut: the model loses sight of long texts.`
      }`,
    refusesSize: ({ words, window }: Refused) =>
      `It refuses a request of ${words.toLocaleString('en')} words${window === undefined ? '' : `: its window has ${window.toLocaleString('en')} tokens`}. That is little; give it a larger window in its server (num_ctx, -c, context length).`,

    sees: 'It sees pictures.',
    seesUnknown: ({ isOff }: { readonly isOff: boolean }) =>
      `It sees pictures, but gets none${isOff ? ', since the config says that it sees none' : ', since nothing says that it can'}.`,
    deniesPictures: ({ server = 'Its server' }: { readonly server: string | undefined }) =>
      `${server} says that it sees no pictures, so it gets none.`,
    blind: ({ digits, said }: Blind) =>
      `It is taken for one that sees pictures, but does not: of a picture with ${digits} it said "${said}".`,
    blindKnown: ({ digits, said }: Blind) =>
      `It sees no pictures, and gets none: of one with ${digits} it said "${said}".`,
  },
  zh: {
    begins: ({ model, count, input, output }) =>
      `要问 ${model} ${count} 次，大约花费输入 ${input.toLocaleString('en')}、输出 ${output.toLocaleString('en')} 个 token；先思考的模型更多。按 Ctrl-C 结束。`,
    names: { tools: '调用工具', spelling: '照抄', window: '窗口', vision: '图片' },
    outcomes: { ok: '正常', not: '不行', unanswered: '没有回答', 'not-asked': '没有问' },
    set: ({ key, value }) => `  在配置中把 ${key} 设为 ${value}。`,
    spent: ({ input, output, seconds }) =>
      `用了 ${seconds} 秒，输入 ${input.toLocaleString('en')}、输出 ${output.toLocaleString('en')} 个 token（按服务器的计数）。`,
    late: ({ seconds }) => `${seconds} 秒内没有完整的回答。`,
    sameAgain: '结果会和上面一样。',
    practice: '这是练习模式，不是 AI：不检查它调用工具、照抄、读长文和看图片。',

    calls: '它按名字调用了工具，文字、数字、列表和布尔值都写对了。',
    mended: ({ came }) => `它调用了工具，但参数的写法不对，Keyturn 会改正：${came}`,
    talks: ({ said }) => (said === '' ? '要它调用工具，它什么也没做。' : `要它调用工具，它却只是说话：“${said}”。`),
    wrongCall: ({ came, wanted }) => `它调用工具的参数不对：应该是 ${wanted}，来的是 ${came}。`,
    goodInText: ({ native }) => `${native}用文字调用工具时，它做对了。`,
    neither: ({ native }) => `${native}用文字调用工具也不行：请换一个模型。`,

    copied: '带中文、空格和引号的路径，以及一行代码，它都照抄无误。',
    notCopied: ({ said }) => `要它把路径抄进调用里，它没有调用${said === '' ? '' : `，只是说：“${said}”`}。`,
    garbled: ({ changed }) =>
      `它抄的时候会改动：${changed.map(({ given, came }) => `‹${given}› 变成了 ‹${came}›`).join('；')}。它会写错文件名和代码：批准前请看仔细，或换一个更大的、压缩得少一些的模型。没有配置项能改正这一点。`,

    readWhole: ({ words, window, windowFrom, server = '服务器' }) =>
      `一个 ${words.toLocaleString('en')} 个单词的请求，它从头到尾都读到了。${
        window === undefined
          ? '服务器没有说窗口有多大：Keyturn 按 agent.context_tokens 处理；如果它更小，请设置这个模型的 context_tokens。'
          : `窗口有 ${window.toLocaleString('en')} 个 token（${windowFrom === 'config' ? '来自配置' : `${server} 说的`}）。`
      }`,
    cuts: ({ words, counted, window }) =>
      `它的服务器会截短长请求，而且不说：${words.toLocaleString('en')} 个单词的开头不见了，只数到 ${counted.toLocaleString('en')} 个 token${window === undefined ? '' : `，而窗口应该有 ${window.toLocaleString('en')} 个`}。请在服务器上加大窗口（num_ctx 或 OLLAMA_CONTEXT_LENGTH、-c、context length）；在那之前：`,
    forgets: ({ words, counted, said }) =>
      `一个 ${words.toLocaleString('en')} 个单词的请求，它没有找到写在开头的内容${said === '' ? '' : `，只是说：“${said}”`}。${
        counted === 0
          ? '服务器不数 token，所以可能截短了长请求：请看看那里的窗口有多大，并把这个模型的 context_tokens 设成一样。'
          : `服务器数到 ${counted.toLocaleString('en')} 个 token，所以没有被截短：是模型读长文时顾不上开头。`
      }`,
    refusesSize: ({ words, window }) =>
      `它拒绝 ${words.toLocaleString('en')} 个单词的请求${window === undefined ? '' : `：窗口只有 ${window.toLocaleString('en')} 个 token`}。这太小了；请在服务器上加大窗口（num_ctx、-c、context length）。`,

    sees: '它能看图片。',
    seesUnknown: ({ isOff }) => `它能看图片，但收不到：${isOff ? '配置说它不能看' : '没有谁说它能看'}。`,
    deniesPictures: ({ server = '服务器' }) => `${server} 说它不能看图片，所以不会发给它。`,
    blind: ({ digits, said }) => `它被当作能看图片的模型，其实不能：图里是 ${digits}，它说“${said}”。`,
    blindKnown: ({ digits, said }) => `它不能看图片，也收不到图片：图里是 ${digits}，它说“${said}”。`,
  },
});

interface Announced {
  readonly model: string;
  readonly count: number;
  readonly input: number;
  readonly output: number;
}

interface Spent {
  readonly input: number;
  readonly output: number;
  readonly seconds: string;
}

interface Garbled {
  readonly changed: readonly { readonly given: string; readonly came: string }[];
}

interface ReadWhole {
  readonly words: number;
  readonly window: number | undefined;
  readonly windowFrom: ModelAbilities['windowFrom'];
  readonly server: string | undefined;
}

interface Cut {
  readonly words: number;
  readonly counted: number;
  readonly window: number | undefined;
}

interface Forgotten {
  readonly words: number;
  readonly counted: number;
  readonly said: string;
}

interface Refused {
  readonly words: number;
  readonly window: number | undefined;
}

interface Blind {
  readonly digits: string;
  readonly said: string;
}
