import { webApi } from '@slack/bolt';
import type { SlackServer } from '../support/slack-server.ts';

/** The real client, which does not try again. */
export function slackClient({ apiUrl, botToken }: SlackServer, token = botToken): webApi.WebClient {
  return new webApi.WebClient(token, { slackApiUrl: apiUrl, retryConfig: { retries: 0 }, logger: silent });
}

/** Says nothing: what goes wrong here goes wrong on purpose. */
export const silent: webApi.Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => webApi.LogLevel.ERROR,
  setName: () => {},
};
