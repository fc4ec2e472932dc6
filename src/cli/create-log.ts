import { type DestinationStream, pino } from 'pino';
import type { Log } from '../lib/log.ts';

export interface LogOptions {
  readonly level: string;
  /** For people to read: one coloured line each, instead of JSON. */
  readonly isPretty: boolean;
  /** Never written, wherever they stand. */
  readonly secrets: readonly string[];
}

/** The process's log, on standard error. No secret that the config knows is in it, not even inside another value. */
export async function createLog({ level, isPretty, secrets }: LogOptions): Promise<Log> {
  const destination = await openDestination(isPretty);
  const hidden = [...secrets].filter((secret) => secret.length >= 4).sort((a, b) => b.length - a.length);
  const spellings = hidden.flatMap((secret) => [
    ...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]),
  ]);
  const options = {
    level,
    base: null,
    hooks: {
      streamWrite: (line: string) => spellings.reduce((text, secret) => text.replaceAll(secret, '[secret]'), line),
    },
  };
  // Narrowed at once: pino's own type takes any method for its own, even that of a promise.
  const log: Log = pino(options, destination);
  return log;
}

async function openDestination(isPretty: boolean): Promise<DestinationStream> {
  if (!isPretty) return pino.destination({ dest: 2, sync: true });
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' });
}
