import { catalogue } from '../lib/words.ts';

/** A call of a foreign tool: what is called, and the arguments that tell most. As markdown, but for the keys. */
interface ForeignCall {
  readonly what: string;
  readonly args: readonly { readonly key: string; readonly value: string }[];
  readonly more: number;
}

/** What is said of any tool. */
export const toolsWords = catalogue({
  en: {
    call: ({ what, args, more }: ForeignCall) => {
      const told = args.map(({ key, value }) => `${key} ${value}`).join(', ');
      return `call ${what}${told === '' ? '' : ` with ${told}`}${more > 0 ? ` and ${more} more` : ''}`;
    },
    noPreview: (error: string) => `⚠️ The tool could not show what it would change: it threw "${error}"`,
    leadsTo: (path: string) => `leads to ${path}`,
    unusable: 'cannot be used',
    missing: 'not there',
  },
  zh: {
    call: ({ what, args, more }) => {
      const told = args.map(({ key, value }) => `${key} ${value}`).join('，');
      return `调用 ${what}${told === '' ? '' : `：${told}`}${more > 0 ? `，以及另外 ${more} 项` : ''}`;
    },
    noPreview: (error) => `⚠️ 工具无法显示将要做的更改，报错：“${error}”`,
    leadsTo: (path) => `指向 ${path}`,
    unusable: '无法使用',
    missing: '不存在',
  },
});
