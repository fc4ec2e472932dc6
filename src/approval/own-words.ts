/*
 * What the person's own words say of a call: whether they ask for it, and contain all that it says. Content of others must
 * not pass for their wish.
 */

import type { JsonObject } from '../lib/json.ts';
import { reachedBy, type Wish, wishFor } from '../tools/own-wish.ts';
import { isSaid, isSaidIn, readWords } from '../tools/said-values.ts';
import { isPartOf, textsIn } from '../tools/targets.ts';
import type { PreparedCall } from '../tools/tool.ts';
import type { Call } from '../transcript.ts';
import type { Labels } from './verdict.ts';

/** A valid call, with its tool's JSON Schema. */
interface DescribedCall {
  readonly prepared: PreparedCall;
  readonly parameters: JsonObject;
}

/** What the person wrote, and what has been read in their conversation. */
interface Heard {
  /** The messages of the person, as far as the model reads them. */
  readonly ownWords: () => readonly string[];
  /** The calls that the model reads, oldest first. */
  readonly calls: readonly Call[];
  readonly labels: Labels;
}

/** What the person wants with this call, by their own words; undefined if no words make it theirs. */
export function wishOf(
  { prepared, parameters }: DescribedCall,
  { ownWords, calls }: Omit<Heard, 'labels'>,
): Wish | undefined {
  return wishFor({ ...prepared, parameters }, ownWords(), listedIn(calls), strangersAnswers(calls));
}

/** Whether a trusted answer contains a value. That proves nothing if the call was made with it. */
function listedIn(calls: readonly Call[]): (value: string) => boolean {
  const answers = calls
    .filter(({ isTrusted }) => isTrusted === true)
    .map(({ result, arguments: args }) => ({ said: readWords(result?.text ?? ''), args }));
  return (value) => answers.some(({ said, args }) => isSaid(said, value) && !isPartOf(args, value));
}

/** The newest answers that may hold strangers' words. */
function strangersAnswers(calls: readonly Call[]): readonly string[] {
  return calls.flatMap(({ isTrusted, result }) => (isTrusted === true ? [] : (result?.text ?? []))).slice(-mostAnswers);
}

/**
 * Whether a call sends words that the person did not write to somebody whose words may have been read here, since
 * another tool was called with their name: those words may have asked for private data.
 */
export function mayAnswerStranger({ prepared: call, parameters }: DescribedCall, heard: Heard): boolean {
  const { calls, labels } = heard;
  const isStrangers = (target: string): boolean =>
    calls.some((one) => one.name !== call.toolName && one.isTrusted !== true && isPartOf(one.arguments, target)) ||
    labels.sources.some((source) => isSaidIn(source, target));
  return labels.private && !isOwnText(call, heard) && reachedBy({ ...call, parameters }).some(isStrangers);
}

/** Whether the person wrote everything that the call says. */
export function isOwnText({ arguments: args, facets }: PreparedCall, { ownWords }: Pick<Heard, 'ownWords'>): boolean {
  const said = readWords(ownWords().join('\n'));
  return (facets.sends ?? textsIn(args)).every((text) => isSaid(said, text));
}

/** Older answers are not compared with what a call says. */
const mostAnswers = 30;
