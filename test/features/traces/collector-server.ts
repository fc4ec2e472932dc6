import { createServer, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { Changes } from '../../support/wait-for.ts';

const valueSchema = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  doubleValue: z.number().optional(),
});
const attributesSchema = z.array(z.object({ key: z.string(), value: valueSchema }));
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: attributesSchema,
  status: z.object({ code: z.number() }),
});
const bodySchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesSchema }),
      scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
});

export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** In ms since 1970. */
  readonly from: number;
  readonly until: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isFault: boolean;
}

/** What it answers: a status, or nothing. */
type Mood = number | 'silent';

/** An OpenTelemetry collector that keeps what it is sent. */
export class CollectorServer {
  readonly changes = new Changes();
  readonly bodies: string[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];
  mood: Mood = 200;
  readonly address: string;

  constructor(address: string) {
    this.address = address;
  }

  take(request: IncomingMessage, body: string): Mood {
    this.requests.push({ path: request.url ?? '', headers: request.headers });
    if (this.mood === 200) this.bodies.push(body);
    this.changes.notify();
    return this.mood;
  }

  get spans(): readonly SentSpan[] {
    return this.#read().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(toSpan)));
  }

  /** What is said of their sender. */
  get resource(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#read().flatMap(({ resource }) => Object.entries(valuesOf(resource.attributes))));
  }

  #read() {
    return this.bodies.flatMap((body) => bodySchema.parse(JSON.parse(body)).resourceSpans);
  }

  /** Resolves with the first span of that name once it has come. */
  span(name: string): Promise<SentSpan> {
    return this.changes.waitFor(() => this.spans.find((one) => one.name === name), {
      what: `the span ${name}`,
      describe: () => this.spans.map((one) => one.name).join('\n'),
    });
  }
}

function toSpan({
  startTimeUnixNano,
  endTimeUnixNano,
  status,
  attributes,
  ...span
}: z.output<typeof spanSchema>): SentSpan {
  return {
    ...span,
    parentSpanId: span.parentSpanId || undefined,
    from: Number(BigInt(startTimeUnixNano) / 1_000_000n),
    until: Number(BigInt(endTimeUnixNano) / 1_000_000n),
    attributes: valuesOf(attributes),
    isFault: status.code === 2,
  };
}

function valuesOf(attributes: z.output<typeof attributesSchema>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.doubleValue ?? (value.intValue === undefined ? undefined : Number(value.intValue)),
    ]),
  );
}

/** Starts one that ends with the test. */
export async function collectorServer(): Promise<CollectorServer> {
  const held: { collector?: CollectorServer } = {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const mood = held.collector?.take(request, Buffer.concat(chunks).toString()) ?? 500;
      if (mood === 'silent') return;
      response.writeHead(mood, { 'Content-Type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const found = server.address();
  const collector = new CollectorServer(`http://127.0.0.1:${typeof found === 'object' ? found?.port : ''}`);
  held.collector = collector;
  return collector;
}
