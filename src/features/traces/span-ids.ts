import { createHash } from 'node:crypto';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace';

/** The ids of a span and of its trace. */
export interface SpanPlace {
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * The ids of spans follow from those of their runs and calls. So a span can name its parent before that has ended, and what
 * another process goes on with stays in its trace.
 */
export class SpanIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #next: SpanPlace | undefined;

  /** The next span has these. */
  set next(place: SpanPlace) {
    this.#next = place;
  }

  generateTraceId(): string {
    return this.#next?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    return this.#next?.spanId ?? this.#random.generateSpanId();
  }

  /** Ids that no other span has. */
  anew(traceId = this.#random.generateTraceId()): SpanPlace {
    return { traceId, spanId: this.#random.generateSpanId() };
  }
}

export function traceIdOf(rootRunId: string): string {
  return digest(`trace ${rootRunId}`, 32);
}

export function spanIdOf(kind: 'run' | 'call' | 'approval', id: string): string {
  return digest(`${kind} ${id}`, 16);
}

function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
