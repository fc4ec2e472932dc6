import { catalogue } from '../../../lib/words.ts';

/** What is wrong with the key `metrics` of the config. */
export const metricsSettingWords = catalogue({
  en: {
    token: 'expected at least 16 characters without spaces: write it into .env, made with "openssl rand -hex 32"',
    needsToken: ({ host }: { readonly host: string }) =>
      `anybody who reaches ${host} could read them: set metrics.token, or write "127.0.0.1".`,
    samePort: ({ key }: { readonly key: string }) => `${key}.port has the same port. Choose another.`,
  },
  zh: {
    token: '应为至少 16 个字符，不含空格：写进 .env，用 "openssl rand -hex 32" 生成',
    needsToken: ({ host }) => `能连到 ${host} 的任何人都能读取：设置 metrics.token，或写 "127.0.0.1"。`,
    samePort: ({ key }) => `${key}.port 用的是同一个端口。换一个。`,
  },
});
