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
    failing: ({ tool, times }: Repeated) =>
      `⏸️ 我先停在这里：${tool} 已连续失败 ${times} 次。说“继续”我就再试，或者告诉我该怎么做。`,
    repeating: ({ tool, times }: Repeated) =>
      `⏸️ 我先停在这里：${tool} 的同一个调用已 ${times} 次得到相同的结果。说“继续”我就再试，或者告诉我该怎么做。`,
  },
});
