import { Api, type RawApi, type Transformer } from 'grammy/web';
import { z } from 'zod';
import type { KeptRequests } from '../../src/lib/network/kept-requests.ts';
import { FailedRequest, lost } from '../kit/request-failure.ts';
import { keptFetch } from './kept-fetch.ts';
import type { TelegramSettings } from './settings.ts';
import { telegramWords } from './words.ts';

interface ClientOptions {
  readonly settings: Pick<TelegramSettings, 'token' | 'api_root'>;
  readonly timeoutSeconds: number;
  readonly requests: KeptRequests;
  /** What changes requests and answers, beside the check of shapes. */
  readonly transformers?: readonly Transformer[];
}

/** A client of the Bot API. An answer that has not the documented shape is an error. */
export function botApiClient({ settings, timeoutSeconds, requests, transformers = [] }: ClientOptions): RawApi {
  const { token, api_root: apiRoot } = settings;
  const options = { apiRoot, timeoutSeconds };
  // Its type is that of a library which this build of grammY does not have.
  Reflect.set(options, 'fetch', keptFetch(requests));
  const { config, raw } = new Api(token, options);
  config.use(expectShape, ...transformers);
  return raw;
}

const sentShape = z.object({ message_id: z.number() });
/** A message that was sent. */
export type Sent = z.output<typeof sentShape>;

/** What we read of the answers. */
const answerShapes: Readonly<Record<string, z.ZodType>> = {
  getMe: z.object({ id: z.number(), username: z.string() }),
  getUpdates: z.array(z.unknown()),
  getWebhookInfo: z.object({ pending_update_count: z.number() }),
  getMyCommands: z.array(z.object({ command: z.string(), description: z.string() })),
  getFile: z.object({ file_path: z.string().optional(), file_size: z.number().optional() }),
  sendMessage: sentShape,
  sendPhoto: sentShape,
  sendDocument: sentShape,
  sendVoice: sentShape,
};

/** Throws if the answer has not the documented shape. */
const expectShape: Transformer = async (request, method, payload, signal) => {
  const answer = await request(method, payload, signal);
  if (answer.ok && answerShapes[method]?.safeParse(answer.result).success === false)
    throw new FailedRequest(lost((language) => telegramWords[language].strangeAnswer({ method })));
  return answer;
};

type ClientSignal = NonNullable<Parameters<RawApi['getMe']>[0]>;

/** grammY's types name a polyfill's signal, but it works with Node's. */
export function toClientSignal(signal: AbortSignal): ClientSignal {
  return signal as unknown as ClientSignal;
}
