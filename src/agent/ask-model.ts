import { type LanguageModel, type ModelAnswer, ModelError, type ModelUsage } from '../model/language-model.ts';
import { AnswerTally } from './answer-tally.ts';
import type { CallAnnouncer } from './call-announcer.ts';
import type { LiveText } from './live-text.ts';
import { type Question, type TurnRequest, type TurnRequestDependencies, turnRequest } from './turn-request.ts';

export interface AskModelDependencies extends TurnRequestDependencies {
  /** The name of the model in the config. */
  readonly asked: string;
  /** Told what is to be paid for, as soon as that is known, however the answer ends. */
  readonly owes: (usage: ModelUsage) => void;
}

/** What people see of an answer before it is stored. */
export interface Shown {
  readonly live: LiveText;
  readonly announcer: CallAnnouncer;
}

/**
 * Asks a model once, and shows what it writes. A request that is too long is made again, each time with about half as much,
 * as long as nothing of an answer was shown. Undefined if it was aborted. Throws `ModelError`.
 */
export async function askModel(
  question: Question,
  shown: Shown,
  dependencies: AskModelDependencies,
): Promise<ModelAnswer | undefined> {
  let limit = Number.POSITIVE_INFINITY;
  for (let refusals = 0; ; refusals += 1) {
    const asked = await turnRequest({ ...question, refusals, limit }, dependencies);
    try {
      return await answerTo(asked, question, shown, dependencies);
    } catch (error) {
      if (!(error instanceof ModelError) || error.fault !== 'too-long') throw error;
      limit = Math.min(limit, await limitOf(error, asked, question.model, dependencies));
      if (refusals >= mostShrinks || shown.live.hasText || !shown.announcer.ids.isEmpty) throw error;
    }
  }
}

/** So often a request that is too long is made smaller. */
const mostShrinks = 3;

/** How much is taken by who has refused the request. */
async function limitOf(
  { standIn }: ModelError,
  { hasPictures, measured }: TurnRequest,
  model: LanguageModel,
  { gauge, context: { contextTokens } }: AskModelDependencies,
): Promise<number> {
  const label = standIn ?? model.label;
  const size = await measured();
  // Who stands in may be known to take less than it was given: requests are made for the first of all.
  const isNews = standIn === undefined || size <= gauge.limit(label, contextTokens);
  // It may be the pictures: the next request is without them.
  if (isNews && !hasPictures) gauge.refused(label, contextTokens, size);
  return gauge.limit(label, contextTokens);
}

async function answerTo(
  { request, size, measured }: TurnRequest,
  { model, heard }: Question,
  shown: Shown,
  { gauge, asked, owes }: AskModelDependencies,
): Promise<ModelAnswer | undefined> {
  const tally = new AnswerTally(request);
  try {
    const answer = await listen(model.stream(request), tally, { ...shown, heard });
    const owed = await tally.owed(measured);
    if (owed !== undefined) owes(owed);
    if (answer === undefined) return undefined;
    // Who stands in for another counts in other ways.
    const isOwn = answer.usage.model === undefined || answer.usage.model === asked;
    if (size !== undefined && isOwn) gauge.learn(model.label, size, answer.usage);
    return { ...answer, usage: owed ?? answer.usage };
  } catch (error) {
    const owed = await tally.owed(measured, error);
    if (owed !== undefined) owes(owed);
    throw error;
  }
}

async function listen(
  events: ReturnType<LanguageModel['stream']>,
  tally: AnswerTally,
  { live, announcer, heard }: Shown & Pick<Question, 'heard'>,
): Promise<ModelAnswer | undefined> {
  for await (const event of events) {
    tally.hear(event);
    heard?.();
    switch (event.type) {
      case 'text':
        live.push(event.delta);
        break;
      case 'partial-call':
        await announcer.announce(event);
        break;
      case 'reasoning':
        announcer.think(event.delta);
        break;
      case 'finish':
        return event.answer;
    }
  }
  return undefined;
}
