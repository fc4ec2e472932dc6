/* One run from the message to the reply, with what decided about each of its calls. */

import { readsPrivate, sourceWords } from '../../../../approval/verdict.ts';
import { ruleBehind } from '../../../../approval/why-allowed.ts';
import { deviceChannel } from '../../../../conversation/access/access.ts';
import { indentedJson } from '../../../../lib/indented-json.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { unmarked } from '../../../../lib/plain-text.ts';
import type { Language } from '../../../../lib/words.ts';
import { isRepeatable, isToolCategory } from '../../../../tools/tool.ts';
import type {
  CallRule,
  NamedPerson,
  RuleOfTwo,
  RunInList,
  Timeline,
  TimelineCall,
  TimelineDelivery,
  TimelineTurn,
} from '../../wire/activity.ts';
import { namedPlace, type RunListParts, runInList } from '../runs/run-list.ts';
import type { FoundRun } from '../runs/tables.ts';
import { namedPerson, type Seer } from '../seer.ts';
import {
  type CallDetail,
  longestResult,
  longestSent,
  type SentRow,
  type StoryStore,
  type WholeStory,
} from './tables.ts';

export interface TimelineParts extends RunListParts {
  readonly stories: StoryStore;
  readonly language: Language;
  readonly currency: string;
  readonly seer: Seer;
}

type Story = WholeStory;

/** A call with all that is known of it. */
interface Known extends TimelineParts {
  readonly story: Story;
  readonly details: ReadonlyMap<string, CallDetail>;
  readonly run: RunInList;
}

/** Undefined: there is none. The caller has seen to it that the person may see it. */
export async function timelineOf(found: FoundRun, parts: TimelineParts): Promise<Timeline | undefined> {
  const story = await parts.stories.story(found);
  const run = await runInList(found, parts);
  if (story === undefined || run === undefined) return undefined;
  const details = new Map(story.details.map((one) => [one.id, one]));
  const known: Known = { ...parts, story, details, run };
  return {
    run,
    parent: story.parent,
    messages: messagesOf(known),
    turns: await turnsOf(known),
    deliveries: await deliveriesOf(known),
    currency: parts.currency,
    isCut: story.turns.length < story.run.turns || story.calls.length < story.run.calls,
  };
}

/** Of others in a group, only owners read. */
function messagesOf({ story, seer, run }: Known): Timeline['messages'] {
  const isOwnPlace = seer.isOwner || seer.sessions.includes(run.place.conversationId);
  return story.messages
    .filter(({ principal }) => isOwnPlace || seer.accounts.includes(principal))
    .map(({ seq, at, kind, text, name, principal }) => ({ seq, at, kind, text, person: { principal, name } }));
}

async function turnsOf(known: Known): Promise<readonly TimelineTurn[]> {
  const { turns, calls, messages } = known.story;
  const shown = await callsOf(known);
  return turns.map((turn, index) => {
    const { id, at, kind, reason, model, inputTokens, cachedTokens, outputTokens, cost, text } = turn;
    const before = turns[index - 1];
    const ofBefore = calls.filter(({ turnId }) => turnId === before?.id).flatMap(({ doneAt }) => doneAt ?? []);
    const could = before === undefined ? messages.map((one) => one.at) : [before.at, ...ofBefore];
    return {
      id,
      at,
      kind: kind === 'closing' ? 'closing' : 'turn',
      reason,
      model,
      inputTokens,
      cachedTokens,
      outputTokens,
      cost,
      took: could.length === 0 ? undefined : Math.max(0, at - Math.max(...could)),
      text,
      calls: calls.filter(({ turnId }) => turnId === id).flatMap((call) => shown.get(call.id) ?? []),
    };
  });
}

async function callsOf(known: Known): Promise<ReadonlyMap<string, TimelineCall>> {
  const shown = new Map<string, TimelineCall>();
  for (const call of known.story.calls) shown.set(call.id, await timelineCall(call, known));
  return shown;
}

async function timelineCall(call: Story['calls'][number], known: Known): Promise<TimelineCall> {
  const { id, name, category, outcome, doneAt, duration, noted = {} } = call;
  const detail = known.details.get(id);
  const { result, resultLength = 0, changedBy, begunAt, subRunSeq, subRunIn } = detail ?? {};
  const below =
    subRunSeq === undefined || subRunIn === undefined
      ? undefined
      : await runInList({ conversationId: subRunIn, runId: `run${subRunSeq}` }, known);
  return {
    id,
    name,
    category,
    arguments: indentedJson(call.arguments),
    changedBy,
    state: stateOf(call.state),
    outcome,
    output: result,
    isOutputCut: resultLength > longestResult,
    begunAt,
    doneAt,
    duration,
    isUnconfined: noted.unconfined === true,
    rule: await ruleOf(call, detail, known),
    decision: await decisionOf(detail, known),
    ruleOfTwo: ruleOfTwo(call, detail, known),
    subRun: below,
  };
}

function stateOf(state: string): TimelineCall['state'] {
  return (['ready', 'awaiting', 'begun'] as const).find((one) => one === state) ?? 'done';
}

function personOf(principal: string, known: Known): Promise<NamedPerson> {
  return namedPerson(principal, known.run.place.conversationId, known);
}

async function ruleOf(call: Story['calls'][number], detail: CallDetail | undefined, known: Known): Promise<CallRule> {
  const { category, state, outcome, noted = {} } = call;
  const { isQuestion = false, approvalId, reason, result, because = [] } = detail ?? {};
  const judged = { isQuestion, approvalId, reason, state, outcome, category, result };
  const found = ruleBehind(judged, noted, (id) => known.story.grants.find((grant) => grant.id === id));
  switch (found.rule) {
    case 'asked':
      return { rule: 'asked', reason: unmarked(found.reason), because };
    case 'refused':
    case 'invalid':
      return { rule: found.rule, said: found.said };
    case 'grant': {
      const { id, kind, isRule, grantedBy, createdAt } = found.grant;
      const giver = await personOf(grantedBy, known);
      return {
        rule: 'grant',
        grant: { id, kind: isRule ? 'rule' : kind === 'window' ? 'window' : 'always', giver, createdAt },
      };
    }
    case 'question':
    case 'unknown':
    case 'policy-off':
    case 'not-dangerous':
    case 'autonomous':
    case 'allow-rule':
    case 'own-words':
      return { rule: found.rule };
  }
}

async function decisionOf(detail: CallDetail | undefined, known: Known): Promise<TimelineCall['decision']> {
  const { approvalId: id, approvalState: state, askedAt, decidedBy, decidedAt } = detail ?? {};
  if (id === undefined || state === undefined || askedAt === undefined) return undefined;
  const person = decidedBy === undefined ? undefined : await personOf(decidedBy, known);
  return { id, state, askedAt, decidedBy: person, decidedAt };
}

/** What is noted of it. Of what nobody was asked for, the newest sources are. */
function ruleOfTwo(call: Story['calls'][number], detail: CallDetail | undefined, known: Known): RuleOfTwo {
  const noted: JsonObject = call.noted ?? {};
  const ofCard = detail?.readBefore;
  const read = Array.isArray(noted.read) ? noted.read.filter((one) => typeof one === 'string') : [];
  const isKnown = ofCard !== undefined || typeof noted.why === 'string';
  const sources = ofCard ?? read;
  return {
    untrusted: isKnown ? sources.length > 0 : undefined,
    sources: sources.map((source) => unmarked(sourceWords([source], known.language))),
    private: privateBefore(call, detail, known),
    changes: !isToolCategory(call.category) || !isRepeatable(call.category),
  };
}

function privateBefore(
  call: Story['calls'][number],
  detail: CallDetail | undefined,
  { story }: Known,
): boolean | undefined {
  if (detail?.because?.includes('could-leak') === true) return true;
  const before = story.calls.slice(0, story.calls.indexOf(call));
  const hasRead = before.some(
    ({ turnId, category, outcome }) =>
      turnId < call.turnId && outcome === 'success' && isToolCategory(category) && readsPrivate(category),
  );
  if (hasRead) return true;
  return story.isPrivate ? undefined : false;
}

/** To others than owners, what was sent elsewhere is not told. */
async function deliveriesOf(known: Known): Promise<readonly TimelineDelivery[]> {
  const { story, run, details, seer, stories } = known;
  const from = Math.min(run.beganAt, ...story.messages.map(({ at }) => at));
  const { conversationId } = run.place;
  const approvals = [...details.values()].flatMap(({ approvalId }) => approvalId ?? []);
  const sent = await stories.sent({ conversationId, from, to: run.lastAt }, approvals);
  const deliveries: TimelineDelivery[] = [];
  for (const row of sent)
    if (seer.isOwner || row.conversationId === conversationId) deliveries.push(await deliveryOf(row, known));
  return deliveries;
}

async function deliveryOf(row: SentRow, { store, redact }: Known): Promise<TimelineDelivery> {
  const { id, kind, at, deliveredAt, failure, markdown } = row;
  const shown = redact(markdown);
  const place = await namedPlace(row.conversationId, store);
  return {
    id,
    kind,
    at,
    place,
    state: sentState(row, place.channel === deviceChannel),
    deliveredAt,
    failure,
    markdown: shown.slice(0, longestSent).toWellFormed(),
    isCut: shown.length > longestSent,
  };
}

/** On a device, a message waits for somebody who looks, whatever was before. */
function sentState({ state, isRetried }: SentRow, isOnDevice: boolean): TimelineDelivery['state'] {
  switch (state) {
    case 'delivered':
      return 'sent';
    case 'failed':
      return 'failed';
    case 'abandoned':
      return 'dropped';
    case 'streaming':
    case 'queued':
      if (isOnDevice) return 'awaited';
      return isRetried ? 'retried' : 'sending';
  }
}
