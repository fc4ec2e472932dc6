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
    const { level: from } = threshold;
    threshold.choose(level);
    // Whatever the level is: what is missing in a log should have a reason there.
    log.error({ from, to: threshold.level }, 'the level of the log was changed at this machine');
  }
  const { level, configured, isChosen } = threshold;
  return { level, configured, isChosen };
}
