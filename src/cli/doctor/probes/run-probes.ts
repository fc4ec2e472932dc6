/* All probes of a model, one after another: what each has shown, what it cost, and what to write into the config. */

import { abilityWords } from '../../../conversation/commands/model/ability-words.ts';
import { type Clock, withTimeout } from '../../../lib/clock.ts';
import type { Language } from '../../../lib/words.ts';
import { type ModelAbilities, ModelError } from '../../../models/language-model.ts';
import type { OneModel } from '../open-one-model.ts';
import {
  type ConfigAdvice,
  type Finding,
  type Probe,
  type ProbeContext,
  type ProbeName,
  type ProbeOutcome,
  sumOf,
} from './probe.ts';
import { spellingProbe } from './spelling.ts';
import { toolProbe } from './tool-calls.ts';
import { visionProbe } from './vision.ts';
import { windowProbe } from './window.ts';
import { probeWords } from './words.ts';

/** The cheap ones first. */
const probes: readonly Probe[] = [toolProbe, spellingProbe, windowProbe, visionProbe];

/** Those that are asked. `isQuick`: only those that need no long request and no picture. */
export function probesOf(isQuick: boolean): readonly Probe[] {
  return isQuick ? [toolProbe, spellingProbe] : probes;
}

/** What a probe has shown, for a person and for programs. */
export interface ProbeReport {
  readonly name: ProbeName;
  readonly outcome: ProbeOutcome;
  /** One sentence or two, in the reader's language. */
  readonly says: string;
  /** What to write into the config. */
  readonly set?: ConfigAdvice;
  /** In ms. */
  readonly duration: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What all of them have shown. */
export interface ProbedModel {
  readonly model: string;
  /** Whether it has answered at all. */
  readonly ok: boolean;
  /** Whether it calls a tool as it was asked to. */
  readonly callsTools: boolean;
  /** Why it did not answer. */
  readonly problem?: string;
  /** Of all requests, in ms. */
  readonly duration: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly abilities?: ModelAbilities | undefined;
  /** The same for a person. */
  readonly summary: string;
  readonly probes: readonly ProbeReport[];
}

export interface ProbeParts {
  /** Its name in the config. */
  readonly key: string;
  readonly isQuick: boolean;
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly language: Language;
  /** Told what each has shown, as soon as it has. */
  readonly found: (report: ProbeReport) => void;
}

/**
 * Asks one after another, each within its own time; a probe that fails does not end the others. Only a server that cannot be
 * reached, or refuses the key or the model, is not asked again: it would say the same.
 */
export async function probeModel({ model, inText }: OneModel, parts: ProbeParts): Promise<ProbedModel> {
  const { key, random, language, found } = parts;
  const reports: ProbeReport[] = [];
  let gone = false;
  let problem: string | undefined;
  for (const probe of probesOf(parts.isQuick)) {
    const began = parts.clock.now();
    const result: Result = gone ? notAsked : await outcomeOf(probe, { model, inText, key, random }, parts.clock);
    if (result.error !== undefined) problem ??= result.error.saidIn(language);
    const hasAnswered = reports.some(isAnswer);
    gone ||= !hasAnswered && result.error !== undefined && isFinal(result.error);
    const { usage, says, ...rest } = result.finding;
    const { inputTokens, outputTokens } = usage;
    const duration = parts.clock.now() - began;
    const report = { name: probe.name, ...rest, says: says(language), duration, inputTokens, outputTokens };
    reports.push(report);
    found(report);
  }
  const ok = reports.some(isAnswer);
  return {
    model: model.label,
    ok,
    callsTools: reports.some(({ name, outcome }) => name === 'tools' && outcome === 'ok'),
    ...(ok || problem === undefined ? {} : { problem }),
    duration: reports.reduce((sum, { duration }) => sum + duration, 0),
    ...sumOf(reports),
    abilities: model.abilities?.(),
    summary: abilityWords(model, language),
    probes: reports,
  };
}

interface Result {
  readonly finding: Finding;
  /** Why there was no answer. */
  readonly error?: ModelError;
}

const noUsage = { inputTokens: 0, outputTokens: 0 };

const notAsked: Result = {
  finding: { outcome: 'not-asked', says: (language) => probeWords[language].sameAgain, usage: noUsage },
};

async function outcomeOf(
  { run, longest }: Probe,
  context: Omit<ProbeContext, 'signal' | 'longest'>,
  clock: Clock,
): Promise<Result> {
  try {
    const finding = await withTimeout({ clock, milliseconds: longest * 1000 }, (signal) =>
      run({ ...context, signal, longest }),
    );
    return { finding };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { finding: { outcome: 'unanswered', says: error.saidIn, usage: error.usage ?? noUsage }, error };
  }
}

function isAnswer({ outcome }: ProbeReport): boolean {
  return outcome === 'ok' || outcome === 'not';
}

function isFinal({ fault }: ModelError): boolean {
  return fault === 'transient' || fault === 'auth' || fault === 'unavailable';
}
