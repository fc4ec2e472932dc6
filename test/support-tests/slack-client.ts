import { type Logger, LogLevel, WebClient } from '@slack/web-api';
import type { SlackServer } from '../support/slack-server.ts';

/** The real client, which does not try again. */
export function slackClient({ apiUrl, botToken }: SlackServer, token = botToken): WebClient {
  return new WebClient(token, { slackApiUrl: apiUrl, retryConfig: { retries: 0 }, logger: silent });
}

/** Says nothing: what goes wrong here goes wrong on purpose. */
export const silent: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};
