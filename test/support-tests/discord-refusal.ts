import { DiscordAPIError } from 'discord.js';

/** What the server says no with: the status, and Discord's own number. */
export async function refusal(request: Promise<unknown>): Promise<string> {
  const error = await request.then(
    () => new Error('It was done.'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof DiscordAPIError)) throw error;
  return `${error.status} ${error.code} ${error.message.split('\n').join(' · ')}`;
}
