import { webApi } from '@slack/bolt';
import { isJsonObject } from '../../src/lib/json.ts';

/** What the Web API says no with. */
export async function slackRefusal(request: Promise<unknown>): Promise<string> {
  const error = await request.then(
    () => new Error('It was done.'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error && 'code' in error && error.code === webApi.ErrorCode.PlatformError && 'data' in error))
    throw error;
  return isJsonObject(error.data) ? String(error.data.error) : '';
}
