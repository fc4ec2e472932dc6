import { catalogue } from '../../lib/words.ts';

/** How often something happened with a tool, which is markdown. */
interface Repeated {
  readonly tool: string;
  readonly times: number;
}

/** Why a run was stopped as stuck. */
export const stuckRunWords = catalogue({
  en: {
    failing: ({ tool, times }: Repeated) =>
      `⏸️ I stopped here: ${tool} has failed ${times} times in a row. Say "go on" if I should try further, or tell me what to do instead.`,
    repeating: ({ tool, times }: Repeated) =>
      `⏸️ I stopped here: the same call of ${tool} gave the same result ${times} times. Say "go on" if I should try further, or tell me what to do instead.`,
  },
  zh: {
    failing: ({ tool, times }) =>
      `⏸️ 我先停在这里：${tool} 已连续失败 ${times} 次。说“继续”我就再试，或者告诉我该怎么做。`,
    repeating: ({ tool, times }) =>
      `⏸️ 我先停在这里：${tool} 的同一个调用已 ${times} 次得到相同的结果。说“继续”我就再试，或者告诉我该怎么做。`,
  },
});

/** About summaries: the answers to `/compact`, and what could not be summarised. */
export const compactWords = catalogue({
  en: {
    /** In tokens. */
    summarised: ({ before, after }: { readonly before: number; readonly after: number }) =>
      `🗜️ Summarised: about ${before} tokens became ${after}. The newest messages are kept as they are.`,
    nothingToDo: 'There is nothing to summarise yet: I still read all that was said here.',
    /** `why`: a sentence. */
    overBudget: (why: string) => `⏸️ ${why} Nothing was summarised.`,
    cannotNow: '⚠️ The model cannot be asked for a summary now. Nothing has changed. Try again in a moment.',
    notSummarised:
      'ℹ️ This conversation is longer than I can read at once, and I could not summarise its oldest part, so I no longer read it. Please tell me again what matters.',
  },
  zh: {
    summarised: ({ before, after }) => `🗜️ 已总结：约 ${before} 个 token 缩为 ${after} 个。最新的消息保持原样。`,
    nothingToDo: '还没有什么可总结的：这里说过的话我都还能读到。',
    overBudget: (why) => `⏸️ ${why}未作总结。`,
    cannotNow: '⚠️ 现在无法让模型写总结，对话没有变化。稍后再试。',
    notSummarised: 'ℹ️ 这段对话太长，我一次读不完，最早的部分也没能总结，所以我不再读它。重要的事再告诉我一次。',
  },
});
