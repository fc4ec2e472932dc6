/** What stands at the end of an answer that the limit of tokens has cut: otherwise it may look complete. */
export const cutNotice =
  '✂️ *The answer ended here because the model reached its limit of tokens. Say "go on" for the rest.*';

/** The same where the provider has stopped it. */
export const withheldNotice =
  '✂️ *The answer ended here because the provider of the model held back the rest for its content.*';

/** Whether a piece of an answer is such a notice, and nothing that the model wrote. */
export function isNotice(delta: string): boolean {
  const text = delta.trim();
  return text === cutNotice || text === withheldNotice;
}
