import { type DestinationStream, pino } from 'pino';
import type { Log } from '../lib/log.ts';
import { redactor } from '../tools/guard/redact/redact.ts';

export interface LogOptions {
  readonly level: string;
  /** For people to read: one coloured line each, instead of JSON. */
  readonly isPretty: boolean;
  /** Never written, wherever they stand, and however they are spelled. Those of at least 4 characters. */
  readonly secrets: readonly string[];
}

/**
 * The process's log, on standard error. No secret that the config knows is in it, not even inside another value, and
 * nothing that looks like one.
 */
export async function createLog({ level, isPretty, secrets }: LogOptions): Promise<Log> {
  const destination = await openDestination(isPretty);
  const options = { level, base: null, hooks: { streamWrite: redactor({ secrets, shortest: 4 }) } };
  // Narrowed at once: pino's own type takes any method for its own, even that of a promise.
  const log: Log = pino(options, destination);
  return log;
}

async function openDestination(isPretty: boolean): Promise<DestinationStream> {
  if (!isPretty) return pino.destination({ dest: 2, sync: true });
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' });
}
