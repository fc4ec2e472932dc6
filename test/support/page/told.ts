/** The JSON of a good answer, as the page is typed to get it. Throws with what is said otherwise. */
export async function told<Body>(answer: Promise<Response>): Promise<Body> {
  const response = await answer;
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text);
}

/** What a refusal says, with its status. */
export async function refused(answer: Promise<Response>): Promise<{ readonly status: number; readonly error: string }> {
  const response = await answer;
  return { status: response.status, ...JSON.parse(await response.text()) };
}
