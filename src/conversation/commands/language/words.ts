import { catalogue } from '../../../lib/words.ts';
import type { HeldLanguage } from '../../access/languages.ts';

type Held = Pick<HeldLanguage, 'source'>;

/** `/language`. */
export const languageWords = catalogue({
  en: {
    set: 'I speak English with you now.',
    /** Said in each language by itself. */
    buttonName: 'English',
    buttonForget: 'Forget what I have set',
    forgotten: 'Forgotten. `/language` shows which language holds for you now.',
    unknown: 'I speak English and Chinese: `/language en`, `/language zh`.',
    held: ({ source }: Held) =>
      ({
        set: 'Your language is English: you have set it.',
        platform: 'Your language is English: your app says so.',
        written: 'Your language is English: you write in it.',
        config: 'Your language is English: it is the default of this Keyturn, `language`.',
        machine: 'Your language is English: it is that of the machine that I run on, and I do not know yours.',
      })[source],
  },
  zh: {
    set: '从现在起我用中文和你说话。',
    buttonName: '中文',
    buttonForget: '清除我的设置',
    forgotten: '已清除你的语言设置。发送 `/language` 查看现在对你生效的语言。',
    unknown: '我会说中文和英文：`/language zh`、`/language en`。',
    held: ({ source }) =>
      ({
        set: '你的语言是中文：由你设置。',
        platform: '你的语言是中文：来自你的应用。',
        written: '你的语言是中文：你用中文写消息。',
        config: '你的语言是中文：这是这个 Keyturn 的默认值 `language`。',
        machine: '你的语言是中文：取自运行 Keyturn 的机器，我还不知道你的语言。',
      })[source],
  },
});
