import { catalogue } from '../../../lib/words.ts';

/** What may be a mistake in the config of speech. */
export const speechSettingWords = catalogue({
  en: {
    idle: 'speech has no effect without transcription: answers are spoken if a voice message asks, and none is understood.',
  },
  zh: {
    idle: '没有 transcription，speech 不起作用：只有语音消息提出的问题才用语音回答，而语音消息都听不懂。',
  },
});
