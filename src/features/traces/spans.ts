/*
 * Spans of what happens, made when it has ended: a run, its requests to models, its calls, and what people took to decide.
 * Names are those of OpenTelemetry's conventions for generative AI; what these do not know begins with `keyturn.`. There are
 * ids, names and figures in them; what somebody or something said only if the operator asks for it, and then they are made
 * once the run has ended.
 */

import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { Remembered } from '../../lib/remembered.ts';
import type { ApprovalDecided, CallEnded, ModelAsked, RunBegan, RunEnded, TelemetryEvent } from '../../telemetry.ts';
import type { Content } from './content.ts';
import type { LateWork } from './late-work.ts';
import { type SpanIds, type SpanPlace, spanIdOf, traceIdOf } from './span-ids.ts';

interface SpanParts {
  readonly tracer: Tracer;
  readonly ids: SpanIds;
  readonly now: () => number;
  /** What was said, if spans shall have it. */
  readonly said?: { readonly content: Content; readonly later: LateWork };
}

/** A run, as far as its spans need it. */
interface KnownRun {
  readonly runId: string;
  readonly traceId: string;
  /** The span of the call that began it. */
  readonly parentSpanId: string | undefined;
  /** In ms. */
  readonly waited: number;
}

interface SpanContext extends SpanParts {
  /** The newest run of each conversation, and each run by its id. */
  readonly newest: Remembered<string, KnownRun>;
  readonly runs: Remembered<string, KnownRun>;
  /** The runs of calls that have ended, and decisions about calls that have not. */
  readonly ended: Remembered<string, KnownRun>;
  readonly decided: Remembered<string, Decision>;
  /** The last answer of each run that has a span. */
  readonly answers: Remembered<string, number>;
}

interface Decision {
  readonly event: ApprovalDecided;
  readonly at: number;
}

/** So many are known at a time: what was forgotten begins a trace of its own. */
const mostKnown = 2_000;
/** Of a name that a model may have made up. */
const longestName = 64;

/** Returns the function that hears what happens. */
export function createSpans(parts: SpanParts): (event: TelemetryEvent) => void {
  const context: SpanContext = {
    ...parts,
    newest: new Remembered(mostKnown),
    runs: new Remembered(mostKnown),
    ended: new Remembered(mostKnown),
    decided: new Remembered(mostKnown),
    answers: new Remembered(mostKnown),
  };
  return (event) => hear(event, context);
}

function hear(event: TelemetryEvent, context: SpanContext): void {
  switch (event.type) {
    case 'run_began':
      begin(event, context);
      break;
    case 'run_ended':
      endRun(event, context);
      break;
    case 'model_asked':
      endModel(event, context);
      break;
    case 'call_ended':
      endCall(event, context);
      break;
    case 'approval_decided':
      decide({ event, at: context.now() }, context);
      break;
    case 'message_received':
    case 'approval_requested':
    case 'rights_changed':
    case 'message_delivered':
      break;
  }
}

function begin(event: RunBegan, { newest, runs }: SpanContext): void {
  const { runId, conversationId, parentCallId, parentConversationId = '', waited } = event;
  const parent = parentCallId === undefined ? undefined : newest.get(parentConversationId);
  const known: KnownRun = {
    runId,
    traceId: parent?.traceId ?? traceIdOf(runId),
    parentSpanId: parent && parentCallId && spanIdOf('call', parentCallId),
    waited,
  };
  runs.set(runId, known);
  newest.set(conversationId, known);
}

/** One that an earlier process has begun is a trace of its own, whose ids are the same in each process. */
function knownRun(runId: string, { runs }: SpanContext): KnownRun {
  return runs.get(runId) ?? { runId, traceId: traceIdOf(runId), parentSpanId: undefined, waited: 0 };
}

interface Drawn extends SpanPlace {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly parentSpanId: string | undefined;
  /** In ms. */
  readonly duration: number;
  /** When it ended. Default: now. */
  readonly until?: number;
  readonly attributes: Attributes;
  /** What kind of fault it ended with, if it did. */
  readonly fault: string | undefined;
  /** What was said. */
  readonly content?: (content: Content) => Promise<Attributes>;
}

function draw(drawn: Drawn, context: SpanContext): void {
  const { until = context.now(), content } = drawn;
  const { said } = context;
  if (said === undefined || content === undefined) {
    endSpan(drawn, startSpan(drawn, until, context), until);
    return;
  }
  said.later.add(async () => {
    const span = startSpan(drawn, until, context);
    if (span.isRecording()) span.setAttributes(await content(said.content));
    endSpan(drawn, span, until);
  });
}

/** Takes its ids in the same tick: what is drawn meanwhile has ids of its own. */
function startSpan(drawn: Drawn, until: number, { tracer, ids }: SpanContext): Span {
  const { name, kind = SpanKind.INTERNAL, traceId, parentSpanId, duration, attributes } = drawn;
  const parent =
    parentSpanId === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentSpanId, traceFlags: TraceFlags.SAMPLED });
  ids.next = drawn;
  // A number would be taken for one of the monotonic clock if it is small.
  const startTime = new Date(until - Math.max(0, duration));
  return tracer.startSpan(name, { kind, startTime, attributes }, parent);
}

function endSpan({ fault }: Drawn, span: Span, until: number): void {
  if (fault !== undefined) span.setAttribute('error.type', fault).setStatus({ code: SpanStatusCode.ERROR });
  span.end(new Date(until));
}

function endRun({ runId, conversationId, outcome, duration, calls, modelCalls }: RunEnded, context: SpanContext): void {
  const { traceId, parentSpanId, waited } = knownRun(runId, context);
  draw(
    {
      name: 'invoke_agent keyturn',
      traceId,
      spanId: spanIdOf('run', runId),
      parentSpanId,
      duration,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'keyturn',
        'gen_ai.conversation.id': conversationId,
        'keyturn.run.id': runId,
        'keyturn.run.outcome': outcome,
        'keyturn.run.calls': calls,
        'keyturn.run.model_calls': modelCalls,
        'keyturn.run.waited': waited / 1000,
      },
      fault: outcome === 'failed' ? outcome : undefined,
      content: (content) => content.ofRun({ conversationId, runId }),
    },
    context,
  );
  context.runs.delete(runId);
  context.said?.later.begin();
}

function endModel(event: ModelAsked, context: SpanContext): void {
  const { runId, conversationId, model, provider, modelId, outcome, duration, firstPart } = event;
  // A summary is asked for between runs, or within one.
  const run = runId === '' ? undefined : knownRun(runId, context);
  draw(
    {
      name: `chat ${modelId}`,
      kind: SpanKind.CLIENT,
      ...context.ids.anew(run?.traceId),
      parentSpanId: run && spanIdOf('run', run.runId),
      duration,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerNames.get(provider) ?? provider,
        'gen_ai.request.model': modelId,
        'gen_ai.conversation.id': conversationId,
        'gen_ai.usage.input_tokens': event.inputTokens,
        'gen_ai.usage.output_tokens': event.outputTokens,
        ...(firstPart === undefined ? {} : { 'gen_ai.response.time_to_first_chunk': firstPart / 1000 }),
        'keyturn.model.name': model,
        'keyturn.model.outcome': outcome,
        'keyturn.model.cost': event.cost / 1_000_000,
      },
      fault: outcome === 'answered' || outcome === 'stopped' ? undefined : outcome,
      ...(run === undefined || outcome !== 'answered' ? {} : { content: answerOf(event, context) }),
    },
    context,
  );
}

/** A turn is stored after its request is told of, so it is found by when that was, and by what it has used. */
function answerOf(
  { runId, conversationId, inputTokens, outputTokens }: ModelAsked,
  { answers, now }: SpanContext,
): (content: Content) => Promise<Attributes> {
  const at = now();
  return (content) =>
    content.ofRequest(
      { runId, conversationId, inputTokens, outputTokens, at, after: answers.get(runId) ?? 0 },
      (turnId) => answers.set(runId, turnId),
    );
}

/** The names that the conventions have for providers, where ours differ. */
const providerNames: ReadonlyMap<string, string> = new Map([['google', 'gcp.gemini']]);

function endCall(event: CallEnded, context: SpanContext): void {
  const { runId, callId, tool, conversationId, outcome, duration } = event;
  const run = knownRun(runId, context);
  draw(
    {
      name: `execute_tool ${tool.slice(0, longestName)}`,
      traceId: run.traceId,
      spanId: spanIdOf('call', callId),
      parentSpanId: spanIdOf('run', runId),
      duration,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool.slice(0, longestName),
        'gen_ai.tool.call.id': callId,
        'gen_ai.conversation.id': conversationId,
        'keyturn.call.outcome': outcome,
      },
      fault: outcome === 'failed' || outcome === 'unknown' ? outcome : undefined,
      content: (content) => content.ofCall(callId),
    },
    context,
  );
  context.ended.set(callId, run);
  const decision = context.decided.get(callId);
  if (decision !== undefined) drawDecision(decision, run, context);
}

/** Only the end of a call tells whose it was; which of the two is told first depends on the decision. */
function decide(decision: Decision, context: SpanContext): void {
  const { callId } = decision.event;
  if (callId === '') return;
  const run = context.ended.get(callId);
  if (run === undefined) context.decided.set(callId, decision);
  else drawDecision(decision, run, context);
}

function drawDecision({ event, at }: Decision, run: KnownRun, context: SpanContext): void {
  const { approvalId, callId, tool, kind, decision, waited } = event;
  context.decided.delete(callId);
  draw(
    {
      name: `wait_for_person ${tool.slice(0, longestName)}`.trim(),
      traceId: run.traceId,
      spanId: spanIdOf('approval', approvalId),
      parentSpanId: spanIdOf('run', run.runId),
      duration: waited,
      until: at,
      attributes: {
        'gen_ai.tool.name': tool.slice(0, longestName),
        'gen_ai.tool.call.id': callId,
        'keyturn.approval.id': approvalId,
        'keyturn.approval.kind': kind,
        'keyturn.approval.decision': decision,
      },
      fault: undefined,
    },
    context,
  );
}
