import { writeSync } from 'node:fs';
import { styleText } from 'node:util';
import { type DestinationStream, pino } from 'pino';
import { isJsonObject } from '../lib/json.ts';
import type { Log, LogLevel, LogThreshold } from '../lib/log.ts';
import { messageOf } from '../lib/plain-text.ts';
import type { Redactor } from '../tools/guard/redact/redact.ts';

export interface LogOptions {
  readonly threshold: Pick<LogThreshold, 'includes'>;
  /** One coloured line per entry instead of JSON. */
  readonly isPretty: boolean;
  /** Removes secrets from each line, even inside other values. */
  readonly redact: Redactor;
}

/** The process's log, on standard error. */
export function createLog({ threshold, isPretty, redact: streamWrite }: LogOptions): Log {
  const destination = isPretty ? readable : pino.destination({ dest: 2, sync: true });
  // Narrowed at once: pino's own type accepts any method, even one that returns a promise.
  const log: Log = pino({ level: 'debug', base: null, hooks: { streamWrite }, serializers: { err } }, destination);
  return aboveThreshold(log, threshold);
}

/** A logger of pino keeps the level of its birth; the threshold holds for all of them. */
function aboveThreshold(log: Log, threshold: LogOptions['threshold']): Log {
  const write =
    (level: LogLevel): Log[LogLevel] =>
    (fields, message) => {
      if (threshold.includes(level)) log[level](fields, message);
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => aboveThreshold(log.child(fields), threshold),
  };
}

/** Foreign code may throw what throws when it is read. */
function err(thrown: Error) {
  try {
    return pino.stdSerializers.err(thrown);
  } catch {
    return messageOf(thrown);
  }
}

const readable: DestinationStream = {
  write(json) {
    writeSync(2, `${readableLine(JSON.parse(json))}\n`);
  },
};

const levels: Readonly<Record<number, readonly [string, 'gray' | 'green' | 'yellow' | 'red']>> = {
  10: ['trace', 'gray'],
  20: ['debug', 'gray'],
  30: ['info', 'green'],
  40: ['warn', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', 'red'],
};

/** `20:41:07 warn  a channel has fallen silent · channel: telegram`; the stack of an error is below. */
function readableLine(entry: unknown): string {
  if (!isJsonObject(entry)) return String(entry);
  const { level, time, msg = '', err, ...rest } = entry;
  const [name, colour] = levels[Number(level)] ?? ['log', 'gray'];
  const clock = new Date(Number(time)).toTimeString().slice(0, 8);
  const fields = Object.entries(rest).map(([key, value]) => `${key}: ${shown(value)}`);
  const head = `${styleText('gray', clock)} ${styleText(colour, name.padEnd(5))} ${[msg, ...fields].join(' · ')}`;
  return err === undefined ? head : `${head}\n${isJsonObject(err) ? String(err.stack ?? err.message) : shown(err)}`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
