/* One small request to a model, which shows whether it answers, how fast, and whether it calls tools. */

import type { LoadedConfig } from '../../config/load.ts';
import { abilityWords } from '../../conversation/commands/model/ability-words.ts';
import { systemClock, withTimeout } from '../../lib/clock.ts';
import { oneLine } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import { type LanguageModel, type ModelAbilities, type ModelAnswer, ModelError } from '../../models/language-model.ts';
import { openModelOf } from './open-one-model.ts';
import { doctorWords } from './words.ts';

/** How long an answer may take, in ms: a model of one's own is loaded first. */
const longestAnswer = 120_000;
const longestShown = 200;

/** What a small request has shown. */
export interface ModelTrial {
  readonly model: string;
  readonly ok: boolean;
  /** Why it did not answer. */
  readonly problem?: string;
  /** In ms. */
  readonly duration?: number;
  /** Whether it called the tool that it was asked to call. */
  readonly callsTools?: boolean;
  readonly said?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly abilities?: ModelAbilities | undefined;
  readonly summary?: string;
}

/** Asks a model of the config, by its name there, for one call of a tool. Throws `ConfigError` if a model has no key. */
export async function tryModelOf(loaded: LoadedConfig, name: string, language: Language): Promise<ModelTrial> {
  const { model } = await openModelOf(loaded, name);
  const trial = await tryModel(model, language);
  return { ...trial, summary: abilityWords(model, language) };
}

async function tryModel(model: LanguageModel, language: Language): Promise<ModelTrial> {
  const began = performance.now();
  try {
    const answer = await withTimeout({ clock: systemClock, milliseconds: longestAnswer }, (signal) =>
      answerOf(model, signal),
    );
    return { ...trialOf(model, answer), duration: Math.round(performance.now() - began) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { model: model.label, ok: false, problem: error.saidIn(language) };
  }
}

/** One request, as small as can be, that shows whether it calls tools. */
async function answerOf(model: LanguageModel, signal: AbortSignal): Promise<ModelAnswer | undefined> {
  await model.ready?.(signal);
  const request = {
    system: 'You are tested. Call the tool that you are asked to call, and say nothing else.',
    messages: [{ role: 'user', text: 'Call the tool report with the word "ready".' }] as const,
    tools: [
      {
        name: 'report',
        description: 'Reports one word.',
        parameters: {
          type: 'object',
          properties: { word: { type: 'string' } },
          required: ['word'],
          additionalProperties: false,
        },
      },
    ],
    signal,
  };
  for await (const event of model.stream(request)) if (event.type === 'finish') return event.answer;
  return undefined;
}

function trialOf(model: LanguageModel, answer: ModelAnswer | undefined): ModelTrial {
  const { parts = [], usage } = answer ?? {};
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  return {
    model: model.label,
    ok: answer !== undefined,
    callsTools: parts.some((part) => part.type === 'call' && part.name === 'report'),
    said: oneLine(text, longestShown),
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
    abilities: model.ownAbilities?.() ?? model.abilities?.(),
  };
}

/** For a person. */
export function trialText(trial: ModelTrial, language: Language): string {
  const say = doctorWords[language];
  const { model, ok, problem = '', duration = 0, callsTools = false, said = '', summary = '' } = trial;
  if (!ok) return say.modelSilent({ model, problem });
  return [
    say.modelAnswered({ model, seconds: (duration / 1000).toFixed(1) }),
    callsTools ? say.modelCalls : say.modelTalks({ said }),
    ...(summary === '' ? [] : [summary]),
  ].join('\n');
}
