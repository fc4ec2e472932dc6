import { catalogue } from '../../lib/words.ts';

/** What owners read of traces, as markdown. */
export const traceWords = catalogue({
  en: {
    contentSent:
      '👁 Traces have content: the OpenTelemetry collector gets what people, models and tools say, without secrets.',
  },
  zh: { contentSent: '👁 追踪含有内容：OpenTelemetry 收集器会得到人、模型和工具说的话，不含密钥。' },
});
