/*
 * What is counted and measured, from the events that the daemon tells. No label names a chat, a person, a run or a call, and
 * none has more than a few hundred values, so that Prometheus keeps few series however long Keyturn runs.
 */

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { TelemetryEvent } from '../../telemetry.ts';

/** Bounds a name from outside, so that it can be a label. */
export type BoundName = (name: string) => string;

export interface InstrumentParts {
  readonly registry: Registry;
  readonly boundTool: BoundName;
  readonly boundName: BoundName;
}

/** Returns the function that hears what happens. It takes next to no time. */
export function createInstruments(parts: InstrumentParts): (event: TelemetryEvent) => void {
  const { registry } = parts;
  const context: MeasureContext = {
    ...parts,
    messages: messageMeasures(registry),
    runs: runMeasures(registry),
    models: modelMeasures(registry),
    calls: callMeasures(registry),
    running: new Set(),
  };
  return (event) => hear(event, context);
}

interface MeasureContext extends InstrumentParts {
  readonly messages: MessageMeasures;
  readonly runs: RunMeasures;
  readonly models: ModelMeasures;
  readonly calls: CallMeasures;
  /** The runs that have begun and not ended, as far as this process knows. */
  readonly running: Set<string>;
}

function hear(event: TelemetryEvent, context: MeasureContext): void {
  const { messages, runs, calls, running, boundTool, boundName } = context;
  switch (event.type) {
    case 'message_received':
      messages.received.inc({ channel: boundName(event.channel), kind: event.kind });
      break;
    case 'message_delivered': {
      const channel = boundName(event.channel);
      messages.delivered.inc({ channel, kind: boundName(event.kind), outcome: event.outcome });
      messages.deliveryTime.observe({ channel }, seconds(event.waited));
      break;
    }
    case 'run_began':
      runs.wait.observe(seconds(event.waited));
      running.add(event.runId);
      runs.running.set(running.size);
      break;
    case 'run_ended':
      running.delete(event.runId);
      runs.running.set(running.size);
      runs.ended.inc({ outcome: event.outcome });
      runs.time.observe(seconds(event.duration));
      break;
    case 'model_asked':
      hearModel(event, context);
      break;
    case 'call_ended': {
      const tool = boundTool(event.tool);
      calls.ended.inc({ tool, outcome: event.outcome });
      calls.time.observe({ tool }, seconds(event.duration));
      break;
    }
    case 'approval_requested':
      calls.requested.inc({ kind: event.kind, dangerous: String(event.isDangerous) });
      break;
    case 'approval_decided':
      calls.decided.inc({ kind: event.kind, decision: event.decision });
      calls.approvalTime.observe({ decision: event.decision }, seconds(event.waited));
      break;
    case 'rights_changed':
      messages.rights.inc({ change: event.change });
      break;
  }
}

function hearModel(
  event: Extract<TelemetryEvent, { readonly type: 'model_asked' }>,
  { models, boundName }: MeasureContext,
): void {
  const model = boundName(event.model);
  models.asked.inc({ model, provider: boundName(event.provider), outcome: boundName(event.outcome) });
  models.time.observe({ model }, seconds(event.duration));
  if (event.firstPart !== undefined) models.firstPart.observe({ model }, seconds(event.firstPart));
  models.tokens.inc({ model, direction: 'input' }, atLeastZero(event.inputTokens));
  models.tokens.inc({ model, direction: 'output' }, atLeastZero(event.outputTokens));
  models.cost.inc({ model }, atLeastZero(event.cost) / 1_000_000);
}

/** Of milliseconds. A clock that was set back makes none of them negative. */
function seconds(milliseconds: number): number {
  return atLeastZero(milliseconds) / 1000;
}

/** Counters throw at anything else. */
function atLeastZero(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

/** In seconds: from what a machine does by itself to what a model takes. */
const workBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
/** In seconds: people answer within moments, or within days. */
const peopleBuckets = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 604_800];

interface Described<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
  readonly buckets?: readonly number[];
}

function counter<Label extends string = never>(registry: Registry, { name, help, labels }: Described<Label>) {
  return new Counter({
    name: `keyturn_${name}`,
    help,
    labelNames: [...(labels ?? [])],
    registers: [registry],
  });
}

function histogram<Label extends string = never>(registry: Registry, described: Described<Label>) {
  const { name, help, labels, buckets = workBuckets } = described;
  return new Histogram({
    name: `keyturn_${name}`,
    help,
    labelNames: [...(labels ?? [])],
    buckets: [...buckets],
    registers: [registry],
  });
}

interface MessageMeasures {
  readonly received: Counter<'channel' | 'kind'>;
  readonly delivered: Counter<'channel' | 'kind' | 'outcome'>;
  readonly deliveryTime: Histogram<'channel'>;
  readonly rights: Counter<'change'>;
}

function messageMeasures(registry: Registry): MessageMeasures {
  return {
    received: counter(registry, {
      name: 'messages_received_total',
      help: 'What came in and was stored.',
      labels: ['channel', 'kind'],
    }),
    delivered: counter(registry, {
      name: 'messages_delivered_total',
      help: 'Messages that went out, were refused, or are held.',
      labels: ['channel', 'kind', 'outcome'],
    }),
    deliveryTime: histogram(registry, {
      name: 'delivery_seconds',
      help: 'From a message that is stored to its delivery.',
      labels: ['channel'],
    }),
    rights: counter(registry, {
      name: 'rights_changes_total',
      help: 'People and devices that were let in, refused or removed.',
      labels: ['change'],
    }),
  };
}

interface RunMeasures {
  readonly running: Gauge;
  readonly wait: Histogram;
  readonly ended: Counter<'outcome'>;
  readonly time: Histogram;
}

function runMeasures(registry: Registry): RunMeasures {
  return {
    running: new Gauge({
      name: 'keyturn_runs_open',
      help: 'Runs that have begun and not ended; those that wait for a person among them.',
      registers: [registry],
    }),
    wait: histogram(registry, {
      name: 'run_wait_seconds',
      help: 'From a stored message to the begin of its run.',
    }),
    ended: counter(registry, { name: 'runs_total', help: 'Runs that have ended.', labels: ['outcome'] }),
    time: histogram(registry, {
      name: 'run_seconds',
      help: 'From the begin of a run to its end, with what people took.',
      buckets: [...workBuckets, 3_600, 86_400],
    }),
  };
}

interface ModelMeasures {
  readonly asked: Counter<'model' | 'provider' | 'outcome'>;
  readonly time: Histogram<'model'>;
  readonly firstPart: Histogram<'model'>;
  readonly tokens: Counter<'model' | 'direction'>;
  readonly cost: Counter<'model'>;
}

function modelMeasures(registry: Registry): ModelMeasures {
  return {
    asked: counter(registry, {
      name: 'model_requests_total',
      help: 'Requests to models.',
      labels: ['model', 'provider', 'outcome'],
    }),
    time: histogram(registry, {
      name: 'model_request_seconds',
      help: 'From a request to the end of its answer.',
      labels: ['model'],
    }),
    firstPart: histogram(registry, {
      name: 'model_first_part_seconds',
      help: 'From a request to the first part of its answer.',
      labels: ['model'],
    }),
    tokens: counter(registry, {
      name: 'model_tokens_total',
      help: 'Tokens of requests and answers.',
      labels: ['model', 'direction'],
    }),
    cost: counter(registry, {
      name: 'model_cost_total',
      help: 'What models cost, by the prices in the config.',
      labels: ['model'],
    }),
  };
}

interface CallMeasures {
  readonly ended: Counter<'tool' | 'outcome'>;
  readonly time: Histogram<'tool'>;
  readonly requested: Counter<'kind' | 'dangerous'>;
  readonly decided: Counter<'kind' | 'decision'>;
  readonly approvalTime: Histogram<'decision'>;
}

function callMeasures(registry: Registry): CallMeasures {
  return {
    ended: counter(registry, {
      name: 'tool_calls_total',
      help: 'Calls that have their result.',
      labels: ['tool', 'outcome'],
    }),
    time: histogram(registry, {
      name: 'tool_call_seconds',
      help: 'What a call took, without the time of people.',
      labels: ['tool'],
    }),
    requested: counter(registry, {
      name: 'approvals_requested_total',
      help: 'Permissions, questions and extensions that a person was asked for.',
      labels: ['kind', 'dangerous'],
    }),
    decided: counter(registry, {
      name: 'approvals_decided_total',
      help: 'Those that were decided, or whose time was over.',
      labels: ['kind', 'decision'],
    }),
    approvalTime: histogram(registry, {
      name: 'approval_wait_seconds',
      help: 'From the question to its decision.',
      labels: ['decision'],
      buckets: peopleBuckets,
    }),
  };
}
