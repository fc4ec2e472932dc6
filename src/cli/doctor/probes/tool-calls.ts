/* Whether a model calls a tool, with arguments of the right names and types. */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { oneLine } from '../../../lib/plain-text.ts';
import { type LanguageModel, type ModelAnswer, ModelError, type ModelUsage } from '../../../models/language-model.ts';
import { inputSchema, validate } from '../../../tools/arguments.ts';
import { ask, callOf, type Finding, type Probe, type ProbeContext, type Question, saidIn, sumOf } from './probe.ts';
import { probeWords } from './words.ts';

export const toolProbe: Probe = {
  name: 'tools',
  longest: 120,
  cost: { input: 400, output: 100 },
  run: probeTools,
};

const booking = z.strictObject({
  guest: z.string(),
  persons: z.int(),
  dishes: z.array(z.string()),
  outside: z.boolean(),
});

const wanted = { guest: 'Mira Novak', persons: 3, dishes: ['rice', 'green tea'], outside: true };

/** The tool that the model is asked to call. */
export const bookingTool = 'book_table';

const question: Question = {
  system: 'You are tested. Call the tool that you are asked to call, once, and say nothing else.',
  messages: [
    {
      role: 'user',
      text: `Call the tool ${bookingTool}: the guest is Mira Novak, 3 persons, the dishes are "rice" and "green tea" in this order, and they sit outside.`,
    },
  ],
  tools: [
    {
      name: bookingTool,
      description: 'Books a table in a restaurant. outside: whether the guests sit outside.',
      parameters: inputSchema(booking),
    },
  ],
};

async function probeTools(context: ProbeContext): Promise<Finding> {
  const { model, inText, key } = context;
  const answer = await ask(model, question, context);
  const found = judge(answer);
  // Where the calls went in text already, that is no other way.
  if (found.outcome === 'ok' || inText === undefined || model.abilities?.().tools === false) return found;
  const other = await textTrial(inText, context);
  const usage = sumOf([found.usage, other.usage]);
  if (!other.isGood)
    return { ...found, says: (language) => probeWords[language].neither({ native: found.says(language) }), usage };
  return {
    ...found,
    says: (language) => probeWords[language].goodInText({ native: found.says(language) }),
    set: { key: `models.${key}.tool_calls`, value: 'text' },
    usage,
  };
}

/** The same request with the tool described in text. What fails there says nothing of the first one. */
async function textTrial(
  inText: LanguageModel,
  context: ProbeContext,
): Promise<{ readonly isGood: boolean; readonly usage: ModelUsage }> {
  try {
    const answer = await ask(inText, question, context);
    return { isGood: judge(answer).outcome === 'ok', usage: answer.usage };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { isGood: false, usage: error.usage ?? { inputTokens: 0, outputTokens: 0 } };
  }
}

function judge(answer: ModelAnswer): Finding {
  const { usage } = answer;
  const call = callOf(answer, bookingTool);
  if (call === undefined) {
    const said = oneLine(saidIn(answer), longestShown);
    return { outcome: 'not', says: (language) => probeWords[language].talks({ said }), usage };
  }
  const came = oneLine(JSON.stringify(call.arguments), longestShown);
  if (isDeepStrictEqual(call.arguments, wanted))
    return { outcome: 'ok', says: (language) => probeWords[language].calls, usage };
  const mended = validate(booking, call.arguments);
  if (mended.valid && isDeepStrictEqual(mended.value, wanted))
    return { outcome: 'ok', says: (language) => probeWords[language].mended({ came }), usage };
  const shown = oneLine(JSON.stringify(wanted), longestShown);
  return { outcome: 'not', says: (language) => probeWords[language].wrongCall({ came, wanted: shown }), usage };
}

const longestShown = 200;
