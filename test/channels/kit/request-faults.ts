import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ChannelError, type ChannelFault } from '../../../src/contract.ts';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';

/** What asks a platform, at the address that it was given. It gives a request up after a second. */
export interface Requester {
  /** Done twice, it is seen twice. */
  send(): Promise<unknown>;
  /** Done twice, it changes nothing. */
  change(): Promise<unknown>;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

type FaultType = ChannelFault['type'];

export interface FaultSetting {
  /** The address is that of a server, without a path. */
  readonly at: (origin: string) => Requester;
  /** The token, and what is said. */
  readonly secrets: readonly string[];
  /** What the server answers, and what follows for a sending and, if that is something else, for a change. */
  readonly answers: readonly (readonly [name: string, answer: Answer, sending: FaultType, changing?: FaultType])[];
}

/** That a request fails as it should, is not tried again, and tells no secret. */
export function requestFaults({ at, secrets, answers }: FaultSetting): void {
  async function expectFault(
    { send, change }: Requester,
    sending: FaultType,
    changing = sending,
  ): Promise<readonly ChannelError[]> {
    const errors = [await failureOf(send()), await failureOf(change())];
    expect(errors.map(({ fault }) => fault.type)).toEqual([sending, changing]);
    for (const error of errors) for (const secret of secrets) expect(allOf(error)).not.toContain(secret);
    return errors;
  }

  describe('a request fails', () => {
    for (const [name, { status = 200, headers, body }, sending, changing] of answers)
      test(`by ${name}`, async () => {
        const server = await answering((_request, response) => {
          response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
        });
        await expectFault(at(server.origin), sending, changing);
        expect(server.asked).toBe(2);
      });

    test.each<readonly [string, (response: ServerResponse) => unknown, string]>([
      ['a connection that breaks', (response) => response.destroy(), ''],
      ['no answer in time', () => {}, 'in time'],
      ['an answer that never ends', (response) => response.writeHead(200).write('{"ok":'), 'in time'],
    ])('by %s, which leaves open whether it was done', async (_name, answer, words) => {
      const server = await answering((_request, response) => answer(response));
      const errors = await expectFault(at(server.origin), 'ambiguous', 'transient');
      for (const { message } of errors) expect(message).toContain(words);
    });

    test('where nobody listens, or the host has no name: it has not been sent', async () => {
      const server = createServer();
      const port = await listenOnLoopback(server);
      await closeServer(server);
      const errors = await expectFault(at(`http://127.0.0.1:${port}`), 'transient');
      for (const { message } of errors) expect(message).toContain('ECONNREFUSED');
      await expectFault(at('http://no-such-host.invalid'), 'transient');
    });
  });
}

/** A server that answers what the test says, until the test is over. */
export async function answering(
  listener: RequestListener,
): Promise<{ readonly origin: string; readonly asked: number }> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    listener(request, response);
  });
  const port = await listenOnLoopback(server);
  onTestFinished(() => closeServer(server));
  return {
    origin: `http://127.0.0.1:${port}`,
    get asked() {
      return asked;
    },
  };
}

/** What it fails with. Throws if it succeeds, or fails with anything else than a `ChannelError`. */
export async function failureOf(work: Promise<unknown>): Promise<ChannelError> {
  const error: unknown = await work.then(
    () => new Error('It has succeeded.'),
    (reason: unknown) => reason,
  );
  if (error instanceof ChannelError) return error;
  throw error;
}

/** How a request fails. Throws if it does not, and if the error tells one of the secrets. */
export async function faultOf(request: Promise<unknown> | undefined, secrets: readonly string[]) {
  const error = await failureOf(Promise.resolve(request));
  for (const secret of secrets) expect(allOf(error)).not.toContain(secret);
  return { ...error.fault, message: error.message };
}

/** All that an error says, with what it holds and what caused it. */
export function allOf(error: Error): string {
  const { cause } = error;
  return `${error.stack} ${JSON.stringify(error)} ${cause instanceof Error ? allOf(cause) : String(cause)}`;
}
