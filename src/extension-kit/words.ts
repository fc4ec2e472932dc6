import { catalogue } from '../lib/words.ts';

/** What is wrong with external code, for people. */
export const extensionWords = catalogue({
  en: {
    /** Why a piece of external code cannot be used. `why` has no subject. */
    unusable: ({ why }: Why) => `it ${why}.`,
    badTool: ({ why }: Why) => `${why}.`,
    threw: ({ error }: { readonly error: string }) => `it threw ${error}`,
    threwUnshown: 'it threw what cannot be shown',
    trouble: ({ title, fault }: { readonly title: string; readonly fault: string }) => `${title}: ${fault}`,
    stillStarting: ({ place }: { readonly place: string }) => `${place} is still starting.`,
    ended: ({ exitCode, signal, printed, refusals }: Ended) =>
      `${exitCode === undefined ? `it was ended by ${signal}` : `it ended with exit code ${exitCode}`}${printed === '' ? '' : `${enPrinted}${printed}`}${refusals.map((refusal) => ` ${refusal}`).join('')}`,
    endedForFlood: ({ seconds }: Seconds) => `it was ended because it wrote more than can be read, for ${seconds} s`,
    endedForLine: ({ bytes }: { readonly bytes: number }) =>
      `it was ended because a line was longer than ${bytes} bytes`,
    endedUnread: 'it did not read what it was told, and was ended',
  },
  zh: {
    unusable: ({ why }) => `${why}。`,
    badTool: ({ why }) => `工具的定义有误：${why}。`,
    threw: ({ error }) => `抛出了错误：${error}`,
    threwUnshown: '抛出了无法显示的内容',
    trouble: ({ title, fault }) => `${title}：${fault}`,
    stillStarting: ({ place }) => `${place} 仍在启动。`,
    ended: ({ exitCode, signal, printed, refusals }) =>
      `${exitCode === undefined ? `进程被 ${signal} 结束` : `进程已退出，退出码为 ${exitCode}`}${printed === '' ? '' : `；最后输出的错误：${printed}`}${refusals.map((refusal) => ` ${refusal}`).join('')}`,
    endedForFlood: ({ seconds }) => `输出过多，连续 ${seconds} 秒来不及读取，已被结束`,
    endedForLine: ({ bytes }) => `输出的一行超过 ${bytes} 字节，已被结束`,
    endedUnread: '进程不读取发给它的内容，已被结束',
  },
});

/** Precedes what a program printed last: a log gets what stands before it. */
export const enPrinted = '; the last that it printed as an error was: ';

interface Why {
  readonly why: string;
}

interface Seconds {
  readonly seconds: number;
}

interface Ended {
  /** Undefined if a signal ended it. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** The end of what it printed as an error, or nothing. */
  readonly printed: string;
  /** What the sandbox says of it, in sentences. */
  readonly refusals: readonly string[];
}
