import type { SettingsOf } from '../../config/settings-part.ts';
import type { FinishedAnswer } from '../../engine/feature.ts';
import { quietly, quietNoticeIn } from '../../engine/message.ts';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { type SpeechDescription, SpeechError, speak } from '../../models/speaker.ts';
import { speechSettings } from './settings.ts';
import { speechWords } from './words.ts';

/**
 * Speaks the answers to voice messages. The text is stored and sent first, whatever comes of this; the recording follows as a
 * message of its own, stored like any file. What is not spoken when the process ends stays unspoken, so nothing is spoken
 * twice. Its cost is not counted.
 */
export const speech: FeatureDefinition = { name: 'speech', settings: speechSettings, make: makeSpeech };

interface SpeechContext {
  readonly core: FeatureCore;
  /** Answers that are being spoken, one after the other in each conversation. */
  readonly queues: Map<string, Promise<void>>;
  /** The conversations that know of the present outage. */
  readonly told: Set<string>;
}

function makeSpeech(core: FeatureCore): Feature {
  const speech: SpeechContext = { core, queues: new Map(), told: new Set() };
  return {
    answered: (finished) => answered(finished, speech),
    // A server that was mended, or another one, is a new chance to fail.
    reload: async ({ from, to }) => {
      const [before, now] = [from, to].map((config) => JSON.stringify(speechSettings.read(config)));
      if (before !== now) speech.told.clear();
    },
    stop: async () => {
      await Promise.all(speech.queues.values());
    },
  };
}

function answered(finished: FinishedAnswer, speech: SpeechContext): void {
  const { core, queues } = speech;
  if (!finished.isAskedByVoice || core.settings(speechSettings).speech === undefined) return;
  const { conversationId } = finished;
  const spoken = (queues.get(conversationId) ?? Promise.resolve()).then(() => tryToSpeak(finished, speech));
  queues.set(conversationId, spoken);
  void spoken.then(() => {
    if (queues.get(conversationId) === spoken) queues.delete(conversationId);
  });
}

/** Never rejects. */
async function tryToSpeak(finished: FinishedAnswer, { core, told }: SpeechContext): Promise<void> {
  try {
    if (!core.ending.aborted && (await speakAnswer(finished, describe(core.settings(speechSettings)), core)))
      told.clear();
  } catch (error) {
    if (core.ending.aborted) return;
    const { conversationId } = finished;
    core.log.warn({ err: error, conversation: conversationId }, 'an answer could not be spoken; its text was sent');
    if (!(error instanceof SpeechError) || told.has(conversationId)) return;
    told.add(conversationId);
    const { language } = core.readers.forConversation(conversationId);
    await say(conversationId, speechWords[language].notSpoken({ why: escapeMarkdown(error.saidIn(language)) }), core);
  }
}

/** How answers are spoken; undefined if they are not. */
function describe({ speech }: SettingsOf<typeof speechSettings>): SpeechDescription | undefined {
  if (speech === undefined) return undefined;
  const { base_url: baseUrl, name, api_key: apiKey, voice, format, max_chars: longest, timeout_secs } = speech;
  return { baseUrl, name, apiKey, voice, format, longest, timeout: timeout_secs * 1000 };
}

/** False if there is nothing to say, or nowhere to say it. */
async function speakAnswer(
  { conversationId, conversation, messageId: answerId, markdown }: FinishedAnswer,
  description: SpeechDescription | undefined,
  { store, adapters, clock, network, ending, redact, deliver, log }: FeatureCore,
): Promise<boolean> {
  const most = adapters.get(conversation.channel)?.capabilities.maxFileBytes ?? 0;
  if (description === undefined || most === 0) return false;
  const { spokenText } = await import('./spoken-text.ts');
  const text = spokenText(redact(markdown), description.longest);
  if (text === '') return false;
  const { bytes, mediaType, extension } = await speak(text, { description, clock, network }, ending);
  if (bytes.length > most) {
    log.warn({ conversation: conversationId, bytes: bytes.length }, 'a spoken answer is too large for its channel');
    return true;
  }
  // The same for each try: the store takes it once.
  const id = `${answerId}vo`;
  const file = await store.files.keepBytes(id, { name: `answer.${extension}`, mediaType, isVoice: true }, bytes);
  // The text has been sent before.
  const spoken = quietly({ id, kind: 'for_user', markdown: '', files: [file] } as const);
  await store.outbox.say(conversationId, spoken, clock.now());
  deliver([conversationId]);
  return true;
}

/** A line of Keyturn's own. If even that cannot be stored, the log has it. */
async function say(
  conversationId: string,
  markdown: string,
  { store, clock, deliver, log }: FeatureCore,
): Promise<void> {
  try {
    await store.outbox.say(conversationId, quietNoticeIn(conversationId, markdown).message, clock.now());
    deliver([conversationId]);
  } catch (error) {
    log.error({ err: error, conversation: conversationId }, 'a notice could not be stored');
  }
}
