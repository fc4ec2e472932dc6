import { type JsonObject, jsonCopy } from '../../../lib/json.ts';
import { oneLine, unmarked } from '../../../lib/plain-text.ts';
import { machineTimeZone, timeOfDay } from '../../../lib/time-words.ts';
import type { Language } from '../../../lib/words.ts';
import { findRun, type RunStory, type StoryCall, type StoryMessage, type StoryTurn } from '../../../store/run-story.ts';
import type { Redactor } from '../../../tools/guard/redact/redact.ts';
import { knownSecrets, readData, type Shown, shownFor } from '../../read-data.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { costWords, instantWords, seeWords } from './words.ts';

/** `runs show ID`: one run from the message to the reply. */
export async function runsShow(context: CommandContext): Promise<number> {
  const { operands, asJson, print } = context;
  const [id = ''] = operands;
  const found = await readData(context, (sql) => findRun(sql, id.toLowerCase()));
  if (found === undefined) throw new UnansweredError(exitCodes.failed, (reader) => seeWords[reader].noRun({ id }));
  const story = withoutSecrets(found, await knownSecrets(context));
  print(asJson ? JSON.stringify(story, undefined, 2) : storyText(story, await shownFor(context)));
  return exitCodes.done;
}

/** Each text whole, as what was cut would not be found. */
function withoutSecrets({ run, messages, turns, calls }: RunStory, redact: Redactor): RunStory {
  return {
    run,
    messages: messages.map((one) => ({ ...one, name: redact(one.name), text: redact(one.text) })),
    turns: turns.map((one) => ({ ...one, text: redact(one.text) })),
    calls: calls.map((one) => ({
      ...one,
      arguments: inJson(one.arguments, redact),
      noted: one.noted && inJson(one.noted, redact),
      approval: one.approval && { ...one.approval, reason: one.approval.reason && redact(one.approval.reason) },
    })),
  };
}

function inJson(json: JsonObject, redact: Redactor): JsonObject {
  return jsonCopy(json, (_key, part) => (typeof part === 'string' ? redact(part) : part));
}

const longestText = 300;
const longestArguments = 200;
/** Below the time of day. */
const indent = '       ';

/** For a person: a line a step, with the time of day. */
export function storyText({ run, messages, turns, calls }: RunStory, shown: Shown): string {
  const { language, now } = shown;
  const say = seeWords[language];
  const { id, closing, isOpen, conversationId, principal, isSubRun, beganAt, tokens, cost } = run;
  const person = isSubRun ? say.forRun : principal;
  const sums = say.runLine({ turns: run.turns, calls: run.calls, tokens, cost: costOf(cost, shown) });
  return [
    say.runTitle({ id, end: say.runEnd({ closing, isOpen }), conversation: conversationId, person }),
    `${instantWords(beganAt, now, language)}; ${sums}`,
    '',
    ...messages.map((message) => messageLine(message, language)),
    ...turns.flatMap((turn) => [
      ...turnLines(turn, shown),
      ...calls.filter(({ turnId }) => turnId === turn.id).flatMap((call) => callLines(call, language)),
    ]),
    ...(turns.length < run.turns || calls.length < run.calls ? [say.cut] : []),
  ].join('\n');
}

function messageLine({ at, kind, name, text }: StoryMessage, language: Language): string {
  const said = oneLine(text, longestText);
  return `${timeOf(at)}  ${kind === 'event' ? seeWords[language].event({ text: said }) : `${oneLine(name, longestText)}: ${said}`}`;
}

function turnLines(turn: StoryTurn, shown: Shown): readonly string[] {
  const { at, kind, reason, model, inputTokens: input, outputTokens: output, cost, text } = turn;
  const say = seeWords[shown.language];
  if (kind === 'closing') return [`${timeOf(at)}  ${say.ended({ reason: reason ?? '' })}`];
  const said = text.trim() === '' ? [] : [`${indent}${say.says({ text: oneLine(text, longestText) })}`];
  return [
    `${timeOf(at)}  ${say.modelTurn({ model: model ?? '?', input, output, cost: costOf(cost, shown) })}`,
    ...said,
  ];
}

function callLines(call: StoryCall, language: Language): readonly string[] {
  const { id, name, outcome, state, duration } = call;
  const given = oneLine(JSON.stringify(call.arguments), longestArguments);
  const steps = [...verdictOf(call, language), seeWords[language].outcome({ outcome: outcome ?? state, duration })];
  return [`${indent}${name} ${given}  (${id.slice(0, 8)})`, `${indent}  ${steps.join('; ')}`];
}

/** Which rule let it run or asked, and who decided. */
function verdictOf({ noted, approval, outcome }: StoryCall, language: Language): readonly string[] {
  const say = seeWords[language];
  if (approval === undefined) {
    const why = typeof noted?.why === 'string' ? noted.why : undefined;
    return outcome === 'refused' ? [] : [say.allowed({ why })];
  }
  const { state, reason, decidedBy, decidedAt } = approval;
  return [
    say.asked({ reason: reason === null ? undefined : oneLine(unmarked(reason), longestText) }),
    say.decision({ state, by: decidedBy ?? undefined, at: decidedAt === null ? undefined : timeOf(decidedAt) }),
  ];
}

function timeOf(at: number): string {
  return timeOfDay(at, machineTimeZone());
}

function costOf(cost: number, { currency }: Shown): string | undefined {
  return cost === 0 ? undefined : costWords(cost, currency);
}
