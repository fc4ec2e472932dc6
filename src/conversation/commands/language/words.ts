import { catalogue } from '../../../lib/words.ts';
import type { HeldLanguage } from '../../access/languages.ts';

type Held = Pick<HeldLanguage, 'source'>;

/** `/language`. */
export const languageWords = catalogue({
  en: {
    set: 'I speak English with you now. `/language zh` 换成中文。',
    forgotten: 'Forgotten. `/language` shows which language holds for you now.',
    unknown: 'I speak English and Chinese: `/language en`, `/language zh`.',
    held: ({ source }: Held) =>
      ({
        set: 'Your language is English: you have set it. `/language zh` 换成中文；`/language off` forgets it.',
        platform: 'Your language is English: your app says so. `/language zh` 换成中文。',
        written: 'Your language is English: you write in it. `/language zh` 换成中文。',
        config: 'Your language is English: it is the default of this Keyturn, `language`. `/language zh` 换成中文。',
        machine:
          'Your language is English: it is that of the machine that I run on, and I do not know yours. `/language zh` 换成中文。',
      })[source],
  },
  zh: {
    set: '从现在起我用中文和你说话。`/language en` switches to English.',
    forgotten: '已清除你的语言设置。发送 `/language` 查看现在对你生效的语言。',
    unknown: '我会说中文和英文：`/language zh`、`/language en`。',
    held: ({ source }) =>
      ({
        set: '你的语言是中文：由你设置。`/language en` switches to English；`/language off` 清除设置。',
        platform: '你的语言是中文：来自你的应用。`/language en` switches to English.',
        written: '你的语言是中文：你用中文写消息。`/language en` switches to English.',
        config: '你的语言是中文：这是这个 Keyturn 的默认值 `language`。`/language en` switches to English.',
        machine: '你的语言是中文：取自运行 Keyturn 的机器，我还不知道你的语言。`/language en` switches to English.',
      })[source],
  },
});
