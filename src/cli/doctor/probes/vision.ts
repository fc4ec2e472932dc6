/* Whether a model sees pictures, and whether Keyturn knows it. */

import { oneLine } from '../../../lib/plain-text.ts';
import { digitPicture, drawnDigits } from './digit-picture.ts';
import { ask, type Finding, type Probe, type ProbeContext, pick, saidIn } from './probe.ts';
import { probeWords } from './words.ts';

export const visionProbe: Probe = {
  name: 'vision',
  longest: 180,
  cost: { input: 600, output: 20 },
  run: probeVision,
};

const count = 3;
const longestShown = 80;

async function probeVision(context: ProbeContext): Promise<Finding> {
  const { model, key, random, signal } = context;
  await model.ready?.(signal);
  const { images, imagesFrom, server } = model.abilities?.() ?? {};
  if (images === false && imagesFrom === 'server')
    return {
      outcome: 'not-asked',
      says: (language) => probeWords[language].deniesPictures({ server }),
      usage: { inputTokens: 0, outputTokens: 0 },
    };
  const digits = Array.from({ length: count }, () => pick(drawnDigits, random)).join('');
  const answer = await ask(
    model,
    {
      system: 'You are tested.',
      messages: [
        {
          role: 'user',
          text: 'Which number does this picture show? Answer with its digits and nothing else; if you see no picture, say so.',
          images: [{ mediaType: 'image/png', bytes: digitPicture(digits) }],
        },
      ],
      tools: [],
    },
    context,
  );
  const said = saidIn(answer);
  const { usage } = answer;
  const { seesImages } = model;
  const setting = `models.${key}.images`;
  if (numbersIn(said).includes(digits))
    return seesImages
      ? { outcome: 'ok', says: (language) => probeWords[language].sees, usage }
      : {
          outcome: 'ok',
          says: (language) => probeWords[language].seesUnknown({ isOff: imagesFrom === 'config' }),
          set: { key: setting, value: true },
          usage,
        };
  const shown = { digits, said: oneLine(said, longestShown) };
  return seesImages
    ? {
        outcome: 'not',
        says: (language) => probeWords[language].blind(shown),
        set: { key: setting, value: false },
        usage,
      }
    : { outcome: 'not', says: (language) => probeWords[language].blindKnown(shown), usage };
}

/** Also where a model writes spaces or commas between the digits. */
function numbersIn(text: string): readonly string[] {
  return (text.match(/\d(?:[ ,]*\d)*/g) ?? []).map((number) => number.replace(/[ ,]/g, ''));
}
