import { type Logger, LogLevel } from '@slack/bolt';
import type { Log } from '../../../src/lib/log.ts';

/**
 * What Slack's libraries write their log with. What they warn of goes into ours, for who looks closely; what they say
 * beside that holds the texts of messages, and goes nowhere.
 */
export function boltLogger(log: Log): Logger {
  const write = (...words: readonly unknown[]): void =>
    log.debug({ words: words.map(String) }, "Slack's library warns");
  return {
    debug() {},
    info() {},
    warn: write,
    error: write,
    setLevel() {},
    getLevel: () => LogLevel.INFO,
    setName() {},
  };
}
