import type { ChannelHost, Sender } from '../../src/contract.ts';
import { catalogue, type Language } from '../../src/lib/words.ts';

/** What every channel has to say. */
export const kitWords = catalogue({
  en: {
    /** A message without anything that can be read: continues "I cannot read". */
    thisKindOfMessage: 'this kind of message',
    unstored: ({ platform }: { readonly platform: string }) =>
      `What ${platform} delivers cannot be stored. Keyturn keeps trying; the log says what is wrong.`,
  },
  zh: {
    thisKindOfMessage: '这类消息',
    unstored: ({ platform }) => `${platform} 发来的内容无法保存。Keyturn 会继续尝试，原因见日志。`,
  },
});

/** The language to speak to this person in; to the operator, if nobody is named. */
export function languageFor(host: Pick<ChannelHost, 'languageFor'> | undefined, sender?: Sender): Language {
  return host?.languageFor?.(sender) ?? 'en';
}
