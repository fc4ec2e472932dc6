import { type LogLevel, logLevels } from '../../lib/log.ts';
import type { LocalParts } from './local-parts.ts';
import { type LocalRequest, RefusedRequest } from './protocol.ts';

/** How much is logged. `isChosen`: as somebody at this machine wants it, until the process ends. */
export interface LogLevelFacts {
  readonly level: LogLevel;
  readonly configured: LogLevel;
  readonly isChosen: boolean;
}

/** Changes the level if the request has one; `default`: as configured. Throws `RefusedRequest`. */
export function logLevelFacts(
  { params: { level: wanted } }: Pick<LocalRequest, 'params'>,
  { services: { logThreshold: threshold, log } }: Pick<LocalParts, 'services'>,
): LogLevelFacts {
  if (wanted !== undefined) {
    const level = logLevels.find((one) => one === wanted);
    if (level === undefined && wanted !== 'default')
      throw new RefusedRequest('wrong-params', `level: ${logLevels.join(', ')}, default`);
    const fields = { from: threshold.level, to: level ?? threshold.configured };
    const tell = (): void => log.warn(fields, 'the level of the log is another one from here on: a command said so');
    // What is missing in a log should have a reason there: it is told at the level that has more.
    const isBefore = threshold.includes('warn');
    if (isBefore) tell();
    threshold.choose(level);
    if (!isBefore) tell();
  }
  const { level, configured, isChosen } = threshold;
  return { level, configured, isChosen };
}
