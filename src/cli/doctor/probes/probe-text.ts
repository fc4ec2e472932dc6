/* What probes have shown, for a person. */

import type { Language } from '../../../lib/words.ts';
import { doctorWords } from '../words.ts';
import { type ProbedModel, type ProbeReport, probesOf } from './run-probes.ts';
import { probeWords } from './words.ts';

/** What it will cost, before anything is asked. */
export function announcement(model: string, isQuick: boolean, language: Language): string {
  const asked = probesOf(isQuick);
  return probeWords[language].begins({
    model,
    count: asked.length,
    input: asked.reduce((sum, { cost }) => sum + cost.input, 0),
    output: asked.reduce((sum, { cost }) => sum + cost.output, 0),
  });
}

/** Of one probe, with what to write into the config. */
export function probeText(report: ProbeReport, language: Language): string {
  const { names, outcomes, set } = probeWords[language];
  const { name, outcome, says, duration, set: advice } = report;
  const time = outcome === 'not-asked' ? '' : `, ${secondsOf(duration)} s`;
  const told = `${names[name]} [${outcomes[outcome]}${time}] ${says}`;
  if (advice === undefined) return told;
  return `${told}\n${set({ key: advice.key, value: JSON.stringify(advice.value) })}`;
}

/** What all have shown together. */
export function probedText(probed: ProbedModel, language: Language): string {
  const { model, ok, problem = '', duration, inputTokens, outputTokens, summary } = probed;
  if (!ok) return doctorWords[language].modelSilent({ model, problem });
  const spent = probeWords[language].spent({
    input: inputTokens,
    output: outputTokens,
    seconds: secondsOf(duration),
  });
  return [...(summary === '' ? [] : [summary]), spent].join('\n');
}

function secondsOf(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
