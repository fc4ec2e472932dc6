import { GrammyError } from 'grammy';

/** What the server says no with. */
export async function refusal(request: Promise<unknown>): Promise<string> {
  const error = await request.then(
    () => new Error('It was done.'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof GrammyError)) throw error;
  return `${error.error_code} ${error.description}`;
}
